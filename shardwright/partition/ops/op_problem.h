//===- op_problem.h - sharding options of an op -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_OP_PROBLEM_H
#define SHARDWRIGHT_PARTITION_OPS_OP_PROBLEM_H

#include "shardwright/partition/decide/decide.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Operation.h"

namespace shardwright {

/// The rule by which the partitioner computes `op` on shards; none if all its
/// operands and results must be replicated.
std::optional<ShardingRule> getPartitionRule(mlir::Operation *op);

/// The reducer of the op's partial results if its reduction factors are
/// sharded; none if there is none.
std::optional<ReducerKind> getCombiner(mlir::Operation *op);

/// Fills all fields of the problem except the layouts.
DecideProblem makeProblem(mlir::Operation *op, const ShardingRule &rule);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_PROBLEM_H
