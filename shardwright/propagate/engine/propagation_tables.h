//===- propagation_tables.h - what propagation interns ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_PROPAGATION_TABLES_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_PROPAGATION_TABLES_H

#include "shardwright/propagate/engine/step_cache.h"
#include "shardwright/propagate/graph/rule_table.h"

namespace shardwright {

/// The numbers of one table are used in the next.
struct PropagationTables {
  PropagationTables(mlir::ModuleOp module, const RuleOptions &options)
      : shardings(module), ruleTable(options, rules) {}

  ShardingTable shardings;
  std::vector<FactorLayout> rules;
  RuleTable ruleTable;
  StepCache steps;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_PROPAGATION_TABLES_H
