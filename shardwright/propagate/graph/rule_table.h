//===- rule_table.h - intern the rules of a module --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interns sharding rules. The rule of most ops depends only on name, properties
// and types, so only the first op of a kind builds a rule and the others look
// it up.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_RULE_TABLE_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_RULE_TABLE_H

#include "shardwright/propagate/graph/graph.h"
#include "shardwright/propagate/graph/unknown_ops.h"

namespace shardwright {

/// Hash and equality of ops whose rule depends on name, types and (for some
/// ops) properties.
template <bool withProperties>
struct SameRule : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op);
  static bool isEqual(const mlir::Operation *a, const mlir::Operation *b);
};

class RuleTable {
public:
  struct OpRule {
    /// -1: the op has none, or one that does not fit it.
    RuleId rule = -1;
    Schedule schedule = Schedule::ByFactor;
    bool isElementwise = false;
  };

  RuleTable(const GraphOptions &options, std::vector<FactorLayout> &rules)
      : options(options), rules(rules) {}

  OpRule of(mlir::Operation *op);
  /// One factor per dimension, shared by `numOperands` operands and one result.
  RuleId identity(llvm::ArrayRef<int64_t> shape, int64_t numOperands);

  UnknownOps unknownOps;

private:
  OpRule make(mlir::Operation *op);
  RuleId intern(ShardingRule rule);
  RuleBasis basisOf(mlir::Operation *op);

  const GraphOptions &options;
  std::vector<FactorLayout> &rules;
  llvm::DenseMap<uint64_t, llvm::SmallVector<RuleId, 1>> rulesOfHash;
  llvm::DenseMap<std::pair<llvm::ArrayRef<int64_t>, int64_t>, RuleId>
      identities;
  /// Keyed by the first op of its kind.
  llvm::DenseMap<mlir::Operation *, OpRule, SameRule<true>> ruleOfOp;
  llvm::DenseMap<mlir::Operation *, OpRule, SameRule<false>> ruleOfTypes;
  llvm::DenseMap<mlir::OperationName, RuleBasis> basisOfName;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_RULE_TABLE_H
