//===- op_work.h - number of operations of an op ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of the time model. A multiply-add is two operations; other
// units of work count as the additions that take about as long: a function like
// tanh, a comparison of a sort, the address of a gathered row.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_OP_WORK_H
#define SHARDWRIGHT_PARTITION_OPS_OP_WORK_H

#include "mlir/IR/Operation.h"

namespace shardwright {

/// Operations on elements of one run of the op, regions of control flow
/// excluded. 0 for tensors of dynamic shape.
double countOperations(mlir::Operation *op);
/// Output columns that a contraction computes together: the dimensions of a
/// dot that only the right operand has, the output features of a convolution. 0
/// for a product with a vector, and for other ops.
double countColumns(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_WORK_H
