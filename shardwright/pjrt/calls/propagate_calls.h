//===- propagate_calls.h - propagation that clients do ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_PROPAGATE_CALLS_H
#define SHARDWRIGHT_PJRT_CALLS_PROPAGATE_CALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright::pjrt {

/// Before propagation, in a program that Shardy does not partition: calls of
/// targets that the client partitions (custom_partitioners.h) have no rule, but
/// the client says where their results are, from the shardings of the operands
/// or from those that the results' users want. Copies of the module are
/// propagated to ask, until no answer changes; then the results of the calls
/// have the shardings in `module`. `devices` counts when it has no mesh. Calls
/// of functions are inlined. One diagnostic on failure.
mlir::LogicalResult propagateThroughClientCalls(mlir::ModuleOp module,
                                                int64_t devices);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_PROPAGATE_CALLS_H
