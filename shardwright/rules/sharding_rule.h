//===- sharding_rule.h - relates the dimensions of an op --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sharding rule of an op relates the dimensions of its operands and
// results. Propagation, conflict resolution, local shapes, the cost model and
// explanations all read it. Semantics: Shardy's OpShardingRuleAttr.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_SHARDING_RULE_H
#define SHARDWRIGHT_RULES_SHARDING_RULE_H

#include "shardwright/rules/shardy_version.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace shardwright {

enum class FactorKind : uint8_t {
  /// No communication if all tensors that have the factor are sharded alike.
  PassThrough,
  /// Results must be reduced over its axes. Only operands have it.
  Reduction,
  /// Must be gathered before the op runs.
  NeedReplication,
  /// Sharded execution needs halo exchange.
  Permutation,
};

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::PassThrough;
  /// Propagation never carries axes along it.
  bool blocked = false;
  friend bool operator==(const Factor &, const Factor &) = default;
};

/// Factors of one dimension, major to minor; never empty in a finished rule.
using DimMapping = llvm::SmallVector<int32_t, 1>;
/// One entry per dimension; empty for a scalar.
using TensorMapping = llvm::SmallVector<DimMapping, 4>;

struct ShardingRule {
  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<TensorMapping, 3> operands;
  llvm::SmallVector<TensorMapping, 1> results;
  /// Given by the user; no pass removes or overrides it.
  bool isCustom = false;

  int64_t numTensors() const { return operands.size() + results.size(); }
  /// Operands first, then results.
  const TensorMapping &tensor(int64_t i) const {
    return i < int64_t(operands.size()) ? operands[i]
                                        : results[i - operands.size()];
  }
  bool hasKind(FactorKind kind) const;
  /// True if some dimension of tensor i has the factor.
  bool holds(int64_t tensor, int32_t factor) const;
  /// True if every tensor of rank > 0 has the factor.
  bool inAllNonScalars(int32_t factor) const;
  /// True for a pass-through factor in all non-scalar tensors.
  bool isBatching(int32_t factor) const;
  friend bool operator==(const ShardingRule &, const ShardingRule &) = default;
};

/// Identity over `shape` with n operands and one result: data-flow edges,
/// function results, barriers.
ShardingRule identityRule(llvm::ArrayRef<int64_t> shape,
                          int64_t numOperands = 1);

struct RuleOptions {
  /// Drop or block factors that need padding or halo exchange.
  bool conservative = false;
  /// Add rules for ops that have none in Shardy, and replace rules of Shardy
  /// along whose axes a shard would need all other shards.
  /// These rules are the same for all versions of Shardy.
  bool extraRules = false;
  /// The version of Shardy whose rules to return.
  ShardyVersion shardy = kNewestShardy;
};

/// The options of passes that decide how an op runs on shards. Shardy's newer
/// rules also relate dimensions along which rows move between shards.
inline constexpr RuleOptions kExecutionRules{.shardy =
                                                 ShardyVersion::Jaxlib0_10_2};

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_SHARDING_RULE_H
