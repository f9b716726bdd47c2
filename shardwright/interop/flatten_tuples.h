//===- flatten_tuples.h - remove tuples -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_FLATTEN_TUPLES_H
#define SHARDWRIGHT_INTEROP_FLATTEN_TUPLES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwright {

/// Replaces every argument, operand and result of tuple type, at @main and at
/// calls, by its leaves in order, and removes the tuple ops that remain. An
/// empty tuple has no leaves. The sharding of a tuple (`mhlo.sharding`) is
/// split; `tf.aliasing_output` is renumbered to count leaves.
mlir::LogicalResult flattenTuples(mlir::ModuleOp module);

/// `sw-flatten-tuples`.
void registerFlattenTuplesPass();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_FLATTEN_TUPLES_H
