//===- propagate_calls.h - propagation through calls ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_PROPAGATE_CALLS_H
#define SHARDWRIGHT_COMPILE_PROPAGATE_CALLS_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// Functions that decide how the results of custom calls without a sharding
/// rule are sharded. The calls are those of a propagated copy of the module.
class CallShardings {
public:
  using Shardings = llvm::SmallVector<sdy::TensorShardingAttr>;

  virtual ~CallShardings();
  /// True if the shardings of the results of this call are decided here.
  virtual bool decides(stablehlo::CustomCallOp call) = 0;
  /// The shardings of the results that follow from those of the operands;
  /// empty: none. Emits a diagnostic on failure.
  virtual mlir::FailureOr<Shardings> infer(stablehlo::CustomCallOp call) = 0;
  /// The shardings of the results that follow from those that their users need;
  /// empty: none. Emits a diagnostic on failure.
  virtual mlir::FailureOr<Shardings>
  propagateUser(stablehlo::CustomCallOp call) = 0;
};

/// Runs before propagation. Propagates copies of the module and queries
/// `deciders` until no answer changes, then sets the shardings of the results
/// in `module`. `devices` is used if it has no mesh. Inlines function calls if
/// there is such a call. Emits one diagnostic on failure.
mlir::LogicalResult propagateThroughCalls(mlir::ModuleOp module,
                                          int64_t devices,
                                          CallShardings &deciders);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_PROPAGATE_CALLS_H
