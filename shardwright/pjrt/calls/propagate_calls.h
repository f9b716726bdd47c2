//===- propagate_calls.h - propagation by clients ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_PROPAGATE_CALLS_H
#define SHARDWRIGHT_PJRT_CALLS_PROPAGATE_CALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright::pjrt {

/// Runs before propagation, for programs that Shardy does not partition. Calls
/// of targets that the client partitions (custom_partitioners.h) have no
/// sharding rule; the client infers the shardings of their results from those
/// of the operands, or from those that their users need. Propagates copies of
/// the module and queries the client until no answer changes, then sets the
/// shardings of the results in `module`. `devices` is used if it has no mesh.
/// Inlines function calls. Emits one diagnostic on failure.
mlir::LogicalResult propagateThroughClientCalls(mlir::ModuleOp module,
                                                int64_t devices);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_PROPAGATE_CALLS_H
