//===- op_windows.h - which ops read their operands in windows --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_OP_WINDOWS_H
#define SHARDWRIGHT_PARTITION_OPS_OP_WINDOWS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/decide/row_window.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace shardwright {

/// An operand dimension that the op reads in windows to compute a result
/// dimension. Types are global.
struct OpWindow {
  int64_t operand = 0, operandDim = 0, resultDim = 0;
  WindowMap map;
  /// If not -1: the window moves with the shards of this dimension of a
  /// convolution's kernel, each of which computes a partial sum of every
  /// result, instead of with the result's shards.
  int64_t kernelDim = -1;
  /// A prefix operation: shards exchange one total each instead of rows.
  bool isScan = false;
};

/// True if the windows of a select_and_scatter tile this dimension, so that
/// each shard of the source has its rows of the operand.
bool windowsTile(stablehlo::SelectAndScatterOp op, int64_t dim);

/// A value that no window of a select_and_scatter selects unless it has no
/// other; null if there is none known.
mlir::TypedAttr neverSelected(stablehlo::SelectAndScatterOp op);

/// True if shards of a select_and_scatter's result can be computed from halo
/// rows of its operands, in dimensions that its windows do not tile.
bool exchangesWindows(stablehlo::SelectAndScatterOp op);

/// A window reduction in which each row of one dimension combines all rows up
/// to it, or all rows from it on.
struct Scan {
  int64_t dim = 0;
  bool isReversed = false;
};

/// The scan that the op computes; none unless shards can be combined in order:
/// the initial values must be constants, and identities if the reducer is
/// known.
std::optional<Scan> getScan(mlir::Operation *op);

/// The constant value of a scalar, through broadcasts of rank 0; null if there
/// is none.
mlir::TypedAttr scalarConstant(mlir::Value scalar);

/// The windows of slices, pads, reversals, concatenations, window reductions
/// and convolutions, for dimensions in which a result row is not the same
/// operand row, and for all spatial dimensions of convolutions (for the
/// result's shards and for the kernel's); empty for other ops.
llvm::SmallVector<OpWindow, 2> getWindows(mlir::Operation *op);
/// True if ops of this name may have windows.
bool hasWindows(mlir::Operation *op);

/// Rows of a window along an operand's dimension.
struct WindowRows {
  int64_t dim = 0, rows = 0;
  /// Rows of a window beyond one: the most that can lie outside of a shard
  /// which has a row of the window.
  int64_t room() const { return rows > 0 ? rows - 1 : 0; }
};

/// The indexed dimensions, of operands of this shape, of which the scatter's
/// windows cover a part. Empty if one of these dimensions has no index.
llvm::SmallVector<WindowRows> partialWindows(stablehlo::ScatterOp op,
                                             llvm::ArrayRef<int64_t> shape);

/// True if combining with `init` any number of times changes nothing, except
/// the sign of -0.
bool isNeutral(mlir::TypedAttr init, ReducerKind kind);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_WINDOWS_H
