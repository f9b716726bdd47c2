//===- linear_ops.h - ops that may work on partial values -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that is linear in some operands maps partial sums of these operands to
// partial sums of its results. Sums of integers wrap around; sums of floats
// round. In the same way an op may map partial maxima or minima of some
// operands to those of its results. That must be exact, for NaN, infinities and
// -0 too: data movement, selections, maxima, minima, and conversions that keep
// the order. Not additions: -inf + inf is NaN, and sums of integers wrap
// around.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H
#define SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H

#include "shardwright/mesh/sharding.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace shardwright {

/// True if elements of this type can be added and have a neutral element. False
/// for i1, whose sum is an `or`.
bool canAdd(mlir::Type type);

/// True if elements of this type have partial values of this kind, with a
/// neutral element.
bool canReduce(mlir::Type type, ReductionKind kind);

/// By operand index: the operands in which `op` jointly commutes with the
/// reduction, so that partial values of them give partial values of the results
/// (for sums: it is linear); none if it does not. A product commutes in each
/// factor alone: selects the first factor that `isPartial`. Other operands are
/// replicated; for maxima and minima, any of the operands may be.
llvm::SmallVector<bool, 4>
commutingOperands(mlir::Operation *op, ReductionKind kind,
                  llvm::function_ref<bool(unsigned operand)> isPartial);

/// True if results of the op can be partial values of this kind: it reduces so,
/// or it commutes with the reduction.
bool mayBePartial(mlir::Operation *op, ReductionKind kind);

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

/// True if the reduction distributes over `op` in each of its first two
/// operands alone: products for sums, minima for maxima, maxima for minima.
bool isProduct(mlir::Operation *op, ReductionKind kind);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_LINEAR_OPS_H
