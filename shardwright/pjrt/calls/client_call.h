//===- client_call.h - a call as the client sees it -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_CLIENT_CALL_H
#define SHARDWRIGHT_PJRT_CALLS_CLIENT_CALL_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/pjrt/calls/custom_partitioners.h"

namespace shardwright::pjrt {

/// A call that the client has a say in, between the shardings of the program
/// and those that the client speaks of.
class ClientCall {
public:
  /// Where the module has no mesh it gets one, of `devices`.
  ClientCall(stablehlo::CustomCallOp call, int64_t devices);

  llvm::StringRef config() const;
  /// As XLA says it where some axes are manual: the others are a mesh of fewer
  /// devices.
  HloSharding shardingOf(mlir::Value value) const;
  mlir::FailureOr<std::vector<PartitionedValue>>
  describe(mlir::ValueRange values) const;
  /// In axes that are free here.
  mlir::FailureOr<sdy::TensorShardingAttr>
  fromClient(const HloSharding &sharding, mlir::Type type) const;

  stablehlo::CustomCallOp call;
  mlir::MLIRContext *context = call.getContext();
  int64_t numDevices = 1;
  Mesh free; ///< the axes of the program's that are not manual around the call
  mlir::Attribute meshRef;
};

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_CLIENT_CALL_H
