//===- flatten_tuples.h - programs without tuples ---------------*- C++ -*-===//
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

/// Makes of every argument, operand and result of tuple type, at @main and at
/// calls, its leaves in order, and takes the tuples apart that this leaves. An
/// empty tuple has no leaves. The sharding of a tuple (`mhlo.sharding`) is
/// split, `tf.aliasing_output` counts leaves.
mlir::LogicalResult flattenTuples(mlir::ModuleOp module);

/// `sw-flatten-tuples`.
void registerFlattenTuplesPass();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_FLATTEN_TUPLES_H
