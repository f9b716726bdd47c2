//===- drop_sharding_rules.cc - drop rules of the system ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/export/export_steps.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_DROPSHARDINGRULES
#include "shardwright/propagate/passes.h.inc"

void dropShardingRules(func::FuncOp func) {
  auto name = StringAttr::get(func.getContext(), sdy::kShardingRuleAttr);
  func.walk([&](Operation *op) {
    if (op->getRawDictionaryAttrs().empty())
      return;
    if (auto rule = dyn_cast_or_null<sdy::OpShardingRuleAttr>(
            op->getDiscardableAttr(name)))
      if (!rule.isCustom())
        op->removeDiscardableAttr(name);
  });
}

bool hasRulesToDrop(const OpIndex &index) {
  return llvm::any_of(index.dictionaries(), [](DictionaryAttr dict) {
    auto rule = dict.getAs<sdy::OpShardingRuleAttr>(sdy::kShardingRuleAttr);
    return rule && !rule.isCustom();
  });
}

namespace {

struct DropShardingRulesPass
    : impl::DropShardingRulesBase<DropShardingRulesPass> {
  void runOnOperation() override { dropShardingRules(getOperation()); }
};

} // namespace
} // namespace shardwright
