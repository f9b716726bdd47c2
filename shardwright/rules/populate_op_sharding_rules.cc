//===- populate_op_sharding_rules.cc - pass that attaches rules to ops ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/rule_attr.h"
#include "shardwright/rules/rule_interface.h"
#include "shardwright/rules/rule_passes.h"

namespace shardwright {
#define GEN_PASS_DEF_POPULATEOPSHARDINGRULESPASS
#include "shardwright/rules/rule_passes.h.inc"
} // namespace shardwright

using namespace mlir;
using namespace shardwright;

namespace {

struct PopulateOpShardingRulesPass
    : shardwright::impl::PopulateOpShardingRulesPassBase<
          PopulateOpShardingRulesPass> {
  using PopulateOpShardingRulesPassBase::PopulateOpShardingRulesPassBase;

  void runOnOperation() override {
    RuleOptions options{conservativePropagation, extraRules, shardy};
    auto name = StringAttr::get(&getContext(), kShardingRuleAttrName);
    getOperation()->walk([&](Operation *op) {
      if (op->getDiscardableAttr(name))
        return;
      std::optional<ShardingRule> rule = getShardingRule(op, options);
      if (rule && isStorable(*rule, op))
        op->setDiscardableAttr(name, toAttr(*rule, &getContext()));
    });
  }
};

} // namespace
