//===- refine_shapes.h - refine dynamic shapes ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_BOUNDED_REFINE_SHAPES_H
#define SHARDWRIGHT_INTEROP_BOUNDED_REFINE_SHAPES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace shardwright {

/// Folds constants and propagates static dimensions from operands to results,
/// until nothing changes. Does not look through calls: inline them first.
/// Dimensions that stay unknown are no error. Removes JAX's assertions about
/// sizes (`@shape_assertion`) that hold; fails on one that does not.
mlir::LogicalResult refineShapes(mlir::ModuleOp module);

/// Gives arguments of @main with unknown and unbounded dimensions the shapes
/// that the caller provides, if they fit. If there are such arguments, inlines
/// calls and refines shapes.
mlir::LogicalResult giveShapes(
    mlir::ModuleOp module,
    llvm::function_ref<std::optional<llvm::SmallVector<int64_t, 4>>(unsigned)>
        shapeOf);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_BOUNDED_REFINE_SHAPES_H
