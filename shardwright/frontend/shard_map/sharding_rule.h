//===- sharding_rule.h - how dimensions correspond ------------*- C++ -*-===//
//------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule of a function with custom partitioning, as in
// jax.experimental.custom_partitioning:
//
//   "i k, k j -> i j"        values by commas, dimensions by spaces
//   "i (j k) -> (i j) k"     factors of one dimension, major to minor
//   "... i -> ... i"         leading dimensions; ...1 is another group of them
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARDING_RULE_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARDING_RULE_H

#include "shardwright/frontend/base/error.h"
#include "shardwright/frontend/base/shape.h"

#include <string>
#include <utility>
#include <vector>

namespace shardwright::frontend {

/// What the notation does not say: a factor passes through, unless it is in one
/// of these lists. Sizes of the factors that are never a whole dimension.
struct RuleFactors {
  std::vector<std::string> reduction = {}, needReplication = {},
                           permutation = {};
  std::vector<std::pair<std::string, int64_t>> sizes = {};
};

/// JAX: SdyShardingRule.
class ShardingRule {
public:
  /// The factors of a dimension; of several each is a part of the dimension.
  using Dim = std::vector<std::string>;
  /// A dimension `...`, or `...1`, may be first: leading dimensions.
  using Mapping = std::vector<Dim>;

  /// Errors have JAX's texts.
  static Expected<ShardingRule> get(const std::string &rule,
                                    const RuleFactors &factors = {});
  static Expected<ShardingRule> get(std::vector<Mapping> operands,
                                    std::vector<Mapping> results,
                                    const RuleFactors &factors = {});
  /// As Python prints it.
  std::string str() const;
  /// `#sdy.op_sharding_rule<...>` for values of these shapes, or JAX's error if
  /// the rule does not fit them.
  Expected<std::string> attribute(const std::vector<Shape> &operandShapes,
                                  const std::vector<Shape> &resultShapes) const;

private:
  Status check() const;

  std::vector<Mapping> operands, results;
  RuleFactors factors;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARDING_RULE_H
