//===- op_traits.h - properties that sets of ops share ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about ops that more than one decision of the partitioner asks. The
// answers are traits of the ops' rules (rules/partition_traits.h), or follow
// from attributes. Linear ops: linear_ops.h. Ops that read windows:
// op_windows.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_OP_TRAITS_H
#define SHARDWRIGHT_PARTITION_OPS_OP_TRAITS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include <optional>

namespace shardwright {

/// True for while, if and case, whose regions run some number of times.
bool isControlFlow(mlir::Operation *op);
/// True if the op has one result, whose elements depend only on the same
/// elements of the operands (or on scalars), and has neither regions nor
/// effects.
bool isElementwiseFunction(mlir::Operation *op);
/// PartitionTraits::ignoresPaddingRows, also of convolutions, where it depends
/// on their groups.
bool ignoresPaddingRows(mlir::Operation *op);
/// True for add and subtract.
bool isAdditive(mlir::Operation *op);
/// True for sums of products: products of matrices and convolutions.
bool isContraction(mlir::Operation *op);
/// True for products of two matrices.
bool isDot(mlir::Operation *op);
/// True if the op returns a part of its first operand.
bool isSlicing(mlir::Operation *op);
/// True if the op returns a part of its first operand that other operands
/// choose.
bool isDynamicSlicing(mlir::Operation *op);
/// True if operands describe the shape of the result.
bool takesShapeAsOperand(mlir::Operation *op);
/// True for collectives, but not for those of sdy.
bool isCollective(mlir::Operation *op);
/// True for infeed, outfeed, send and recv.
bool isHostTransfer(mlir::Operation *op);
/// True if an outside observer can count how often the op runs: for host
/// transfers, and custom calls with side effects.
bool hasSideEffect(mlir::Operation *op);

/// The direction in which the block compares its first argument with its second
/// and returns the result; none if it computes something else.
std::optional<stablehlo::ComparisonDirection>
comparedArguments(mlir::Block &block);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_TRAITS_H
