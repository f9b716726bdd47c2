//===- op_windows.h - which ops read their operands in windows --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OP_WINDOWS_H
#define SHARDWRIGHT_PARTITION_OP_WINDOWS_H

#include "shardwright/partition/row_window.h"

#include "mlir/IR/Operation.h"

namespace shardwright {

/// A dimension of an operand that the op reads in windows to make a dimension
/// of its results. Operand and result still have their global types.
struct OpWindow {
  int64_t operand = 0, operandDim = 0, resultDim = 0;
  WindowMap map;
};

/// All dimensions of slices, pads, reversals, concatenations, window reductions
/// and convolutions in which rows of the result are not the same rows of the
/// operand, and all spatial ones of convolutions; empty for other ops.
llvm::SmallVector<OpWindow, 2> getWindows(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OP_WINDOWS_H
