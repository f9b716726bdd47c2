//===- pad_borders.h - padded shards of arguments and results ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GSPMD's convention for a dimension of size n over k shards that k does not
// divide: the device buffers of an argument or result have ceil(n / k) rows
// each. The last rows are padding: arbitrary in arguments, zeros in our
// results.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_PREPARE_PAD_BORDERS_H
#define SHARDWRIGHT_PARTITION_PREPARE_PAD_BORDERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// On an argument or result of @main that `padBorders` has padded: its shape
/// without padding, an array of i64.
inline constexpr llvm::StringLiteral kUnpaddedShapeAttrName =
    "sw.unpadded_shape";

/// Gives unevenly sharded arguments and results of the function the shape that
/// all shards have together, k * ceil(n / k): slices the arguments, pads the
/// results with zeros. Afterwards all of their dimensions divide. Other values
/// keep their types. Their former shape is left as an attribute
/// (kUnpaddedShapeAttrName). To be called between propagation and
/// `insertCollectives`, for a function without callers. Fails with a diagnostic
/// if a padded dimension is too large to be counted.
mlir::LogicalResult padBorders(mlir::func::FuncOp main);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PREPARE_PAD_BORDERS_H
