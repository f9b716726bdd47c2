//===- rule_table.h - intern the rules of a module --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interns sharding rules. The rule of most ops depends only on name, properties
// and types, so only the first op of a kind builds a rule and the others look
// it up. The table refers to no op of a module, and may serve several modules
// of one MLIR context.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_RULE_TABLE_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_RULE_TABLE_H

#include "shardwright/propagate/graph/graph.h"
#include "shardwright/propagate/graph/unknown_ops.h"

#include <deque>

namespace shardwright {

class RuleTable {
public:
  struct OpRule {
    /// -1: the op has none, or one that does not fit it.
    RuleId rule = -1;
    Schedule schedule = Schedule::ByFactor;
    bool isElementwise = false;
    /// A rule should exist (UnknownOps).
    bool isUnknown = false;
  };

  /// Adds to `rules`, which must outlive the table.
  RuleTable(const RuleOptions &options, std::vector<FactorLayout> &rules)
      : options(options), rules(rules) {}
  RuleTable(const RuleTable &) = delete;
  ~RuleTable();

  OpRule of(mlir::Operation *op);
  /// One factor per dimension, shared by `numOperands` operands and one result.
  RuleId identity(llvm::ArrayRef<int64_t> shape, int64_t numOperands);

  /// Of the module that is read.
  UnknownOps unknownOps;

private:
  /// A kind of ops: those with the same name, types and, if the rule depends on
  /// them, properties.
  struct Kind {
    mlir::OperationName name;
    /// Of the operands, then of the results.
    llvm::SmallVector<mlir::Type, 4> types;
    size_t numOperands;
    /// An op without operands, in no module, that has the properties. Null: the
    /// rule does not depend on them.
    mlir::Operation *properties;
    OpRule rule;
    /// The next kind with the same hash, or null.
    Kind *next;
  };

  OpRule make(mlir::Operation *op);
  OpRule ofKind(mlir::Operation *op, bool hasProperties);
  RuleId intern(ShardingRule rule);
  RuleBasis basisOf(mlir::Operation *op);

  RuleOptions options;
  std::vector<FactorLayout> &rules;
  llvm::DenseMap<uint64_t, llvm::SmallVector<RuleId, 1>> rulesOfHash;
  llvm::DenseMap<std::pair<llvm::ArrayRef<int64_t>, int64_t>, RuleId>
      identities;
  std::deque<Kind> kinds;
  llvm::DenseMap<uint64_t, Kind *> kindsOfHash;
  llvm::DenseMap<mlir::OperationName, RuleBasis> basisOfName;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_RULE_TABLE_H
