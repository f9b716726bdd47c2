//===- sdy_rules.cc - rules of sdy's own ops ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

/// Known to propagation by their effect, not by a rule.
static std::optional<ShardingRule> noRule(Operation *, const RuleOptions &) {
  return std::nullopt;
}

void shardwright::attachSdyRules(MLIRContext &context) {
  attachRule<sdy::ShardingConstraintOp, &pointwiseRule, true>(context);
  attachRules<&noRule, true, sdy::PropagationBarrierOp, sdy::ReshardOp>(
      context);
}
