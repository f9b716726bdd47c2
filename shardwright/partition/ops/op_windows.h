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

/// Discardable attribute of a pad that adds as many rows at one end of a
/// dimension as it takes away at the other: the rows taken away are those added
/// (a roll). Its value is the dimension.
inline constexpr llvm::StringLiteral kRollAttrName = "sw.roll";

/// A dimension of an operand that the op reads in windows to make a dimension
/// of its results. Operand and result still have their global types.
struct OpWindow {
  int64_t operand = 0, operandDim = 0, resultDim = 0;
  WindowMap map;
  /// Not the result's shards but those of this dimension of a convolution's
  /// kernel move the window: each sums up a part of every result (-1: they do
  /// not).
  int64_t kernelDim = -1;
  /// A prefix operation: shards exchange one total each instead of rows.
  bool isScan = false;
};

/// The windows of a select_and_scatter lie side by side in this dimension and
/// cover it: each shard of the source has its rows of the operand.
bool windowsTile(stablehlo::SelectAndScatterOp op, int64_t dim);

/// What no window of a select_and_scatter selects unless it has nothing else;
/// null if that is not known.
mlir::TypedAttr neverSelected(stablehlo::SelectAndScatterOp op);

/// Shards of a select_and_scatter's result can be computed from rows of its
/// operands, in dimensions in which its windows do not tile.
bool exchangesWindows(stablehlo::SelectAndScatterOp op);

/// A window reduction in which each row of one dimension is made of all rows up
/// to it, or of all from it on.
struct Scan {
  int64_t dim = 0;
  bool isReversed = false;
};

/// None unless combining parts in order gives the same: the initial values are
/// constants, and identities where it is known what the body computes.
std::optional<Scan> getScan(mlir::Operation *op);

/// The constant that a scalar is, through broadcasts to no dimensions; null if
/// it is none.
mlir::TypedAttr scalarConstant(mlir::Value scalar);

/// All dimensions of slices, pads, reversals, concatenations, window reductions
/// and convolutions in which rows of the result are not the same rows of the
/// operand, and all spatial ones of convolutions (for the result's shards, and
/// for the kernel's); empty for other ops.
llvm::SmallVector<OpWindow, 2> getWindows(mlir::Operation *op);
/// Whether ops of this name may have any.
bool hasWindows(mlir::Operation *op);

/// Rows of a window along an operand's dimension.
struct WindowRows {
  int64_t dim = 0, rows = 0;
  /// For what of a window is outside of a shard that has a row of it.
  int64_t room() const { return rows > 0 ? rows - 1 : 0; }
};

/// The indexed dimensions, of operands of this shape, of which the scatter's
/// windows cover a part. Dimensions without an index among them have none.
llvm::SmallVector<WindowRows> partialWindows(stablehlo::ScatterOp op,
                                             llvm::ArrayRef<int64_t> shape);

/// Folding in `init` any number of times changes nothing (-0 but for its sign).
bool isNeutral(mlir::TypedAttr init, ReducerKind kind);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_WINDOWS_H
