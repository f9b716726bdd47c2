//===- client_call.h - a call in the client's terms -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_CLIENT_CALL_H
#define SHARDWRIGHT_PJRT_CALLS_CLIENT_CALL_H

#include "shardwright/compile/manual_call.h"
#include "shardwright/pjrt/calls/custom_partitioners.h"

namespace shardwright::pjrt {

/// A call that the client partitions; converts between the shardings of the
/// program and those of the client.
class ClientCall : public ManualCall {
public:
  using ManualCall::ManualCall;

  llvm::StringRef config() const;
  /// The sharding as in XLA: if some axes are manual, the remaining axes are a
  /// mesh of fewer devices.
  HloSharding shardingOf(mlir::Value value) const;
  mlir::FailureOr<std::vector<PartitionedValue>>
  describe(mlir::ValueRange values) const;
  /// Uses only axes that are free (not manual) here.
  mlir::FailureOr<sdy::TensorShardingAttr>
  fromClient(const HloSharding &sharding, mlir::Type type) const;
};

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_CLIENT_CALL_H
