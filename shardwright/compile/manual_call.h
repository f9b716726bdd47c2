//===- manual_call.h - calls on the shards of each device -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_MANUAL_CALL_H
#define SHARDWRIGHT_COMPILE_MANUAL_CALL_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/mesh/mesh.h"

namespace shardwright {

/// A custom call of global values that a manual computation replaces.
class ManualCall {
public:
  /// If the module has no mesh, adds one of `devices` devices.
  ManualCall(stablehlo::CustomCallOp call, int64_t devices);

  /// The propagated sharding of a value with all dimensions closed.
  sdy::TensorShardingAttr closed(mlir::Value value) const;
  /// The type of a shard; dimensions are padded to a multiple of their shards.
  mlir::Type shardType(mlir::Type type, sdy::TensorShardingAttr sharding) const;
  /// The caller must fill the body; operands and results are padded outside.
  sdy::ManualComputationOp replace(llvm::ArrayRef<sdy::TensorShardingAttr> in,
                                   llvm::ArrayRef<sdy::TensorShardingAttr> out);

  stablehlo::CustomCallOp call;
  mlir::MLIRContext *context = call.getContext();
  int64_t numDevices = 1;
  Mesh free; ///< the axes of the program that are not manual around the call
  mlir::Attribute meshRef;
};

/// The custom calls that fit, after inlining: the manual axes around a call are
/// only known at the call site of its function. Without a call that fits,
/// nothing is inlined.
mlir::FailureOr<llvm::SmallVector<stablehlo::CustomCallOp>>
inlinedCustomCalls(mlir::ModuleOp module,
                   llvm::function_ref<bool(stablehlo::CustomCallOp)> fits);

/// Replaces the calls of `target`, which have no results, by calls on each
/// device with its shards, as propagation divided the operands. For a
/// propagated module; inlines functions, if there is such a call.
mlir::LogicalResult callOnEachDevice(mlir::ModuleOp module, int64_t devices,
                                     llvm::StringRef target);

/// Copies the ops of `body`, a block of another module, to the end of `block`,
/// whose arguments are those of `body`, and ends it with an sdy terminator of
/// the same operands. `block` is in the module of `call`. The other functions
/// of `from` move with it; names and channels that would clash with those of
/// the program change, and annotations of shardings are dropped. `main`: the
/// function of `from` that holds `body`.
void moveBody(mlir::ModuleOp from, mlir::Operation *main, mlir::Block &body,
              mlir::Operation *call, mlir::Block &block);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_MANUAL_CALL_H
