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

#include "shardwright/partition/cost/predicted_seconds.h"

#include "mlir/IR/Operation.h"

namespace shardwright {

/// Operations on elements of one run of the op, regions of control flow
/// excluded. 0 for tensors of dynamic shape.
double countOperations(mlir::Operation *op);
OutputColumns countColumns(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_WORK_H
