//===- refine_shapes.h - dynamic shapes that turn out static ----*- C++ -*-===//
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

/// Folds constants and gives values the static dimensions that follow from
/// their operands, turn by turn until nothing changes. Calls are not looked
/// through: inline them first. Dimensions that stay unknown are no error.
/// Assertions of JAX about sizes (`@shape_assertion`) that hold go; one that
/// does not is an error.
mlir::LogicalResult refineShapes(mlir::ModuleOp module);

/// Gives arguments of @main with dimensions of unknown and unbounded size the
/// shapes that the caller knows, where they fit. If there are such arguments,
/// inlines calls and refines what follows.
mlir::LogicalResult giveShapes(
    mlir::ModuleOp module,
    llvm::function_ref<std::optional<llvm::SmallVector<int64_t, 4>>(unsigned)>
        shapeOf);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_BOUNDED_REFINE_SHAPES_H
