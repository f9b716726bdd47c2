//===- linear_ops.h - ops that may work on partial sums ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that is linear in some operands maps partial sums of these operands to
// partial sums of its results. Sums of integers wrap around; sums of floats
// round.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H
#define SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace shardwright {

/// True if elements of this type can be added and have a neutral element. False
/// for i1, whose sum is an `or`.
bool canAdd(mlir::Type type);

/// By operand index: the operands in which `op` is jointly linear; none if it
/// is not linear. A product is linear in each factor alone: selects the first
/// factor that `isPartial`.
llvm::SmallVector<bool, 4>
linearOperands(mlir::Operation *op,
               llvm::function_ref<bool(unsigned operand)> isPartial);

/// The operand in which `op` is linear if its other operands are no summands:
/// they are zero, or one number everywhere. The sum over devices may then be
/// computed after the op instead of before it. Null if there is none, or if the
/// op repeats elements, drops some, or loses digits of summands.
mlir::OpOperand *soleLinearOperand(mlir::Operation *op);

/// The constant that the value is a splat of, through broadcasts; null if there
/// is none.
mlir::DenseElementsAttr splatOfValue(mlir::Value value);

/// True if the value is a constant zero of either sign, which is the same as a
/// summand of a partial sum and as a full value.
bool isZeroSplat(mlir::Value value);

/// True if `op` is the product of its first two operands.
bool isProduct(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H
