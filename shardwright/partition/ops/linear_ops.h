//===- linear_ops.h - ops that may work on partial sums ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that is linear in some operands gives the sum of its results for the
// summands of these operands: it may work on partial sums, and its results are
// such. Sums of integers wrap around, sums of floats round.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H
#define SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace shardwright {

/// Elements of this type add up, and have a neutral element. Truth values do
/// not: their sum is an `or`.
bool canAdd(mlir::Type type);

/// Operands in which `op` is linear together, by index; none set where it is
/// linear in none. Of a product, which is linear in each factor alone, this is
/// the first factor that `isPartial`.
llvm::SmallVector<bool, 4>
linearOperands(mlir::Operation *op,
               llvm::function_ref<bool(unsigned operand)> isPartial);

/// The constant that the value is everywhere, through broadcasts; null if it is
/// none such.
mlir::DenseElementsAttr splatOfValue(mlir::Value value);

/// The value is a constant zero, of either sign: as a summand, whole or
/// partial, it is the same.
bool isZeroSplat(mlir::Value value);

/// `op` is a product of its first two operands, linear in each alone.
bool isProduct(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H
