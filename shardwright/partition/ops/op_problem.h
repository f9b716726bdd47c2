//===- op_problem.h - what may be sharded when an op is computed -*- C++
//-*-===//
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

/// The rule by which the partitioner computes `op` in shards; none if all its
/// operands and results must be whole.
std::optional<ShardingRule> getPartitionRule(mlir::Operation *op);

/// What combines the partial results of an op whose reduction factors are
/// sharded; none if nothing does.
std::optional<ReducerKind> getCombiner(mlir::Operation *op);

/// Fills everything of the problem but the layouts.
DecideProblem makeProblem(mlir::Operation *op, const ShardingRule &rule);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_PROBLEM_H
