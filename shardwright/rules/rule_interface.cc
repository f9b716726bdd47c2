//===- rule_interface.cc - the sharding rule of any op --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/rule_interface.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/families.h"
#include "shardwright/rules/rule_attr.h"

#include "shardwright/rules/rule_interface.cpp.inc"

using namespace mlir;
using namespace shardwright;

bool shardwright::hasStaticShapes(Operation *op) {
  auto isDynamic = [](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return !tensor.hasStaticShape();
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  return llvm::none_of(op->getOperandTypes(), isDynamic) &&
         llvm::none_of(op->getResultTypes(), isDynamic);
}

/// Rejects rules that do not fit the op's values, on which all users rely.
static bool fits(const ShardingRule &rule, Operation *op) {
  if (rule.operands.size() != op->getNumOperands() ||
      rule.results.size() != op->getNumResults())
    return false;
  auto sameRank = [](auto pair) {
    auto [mapping, type] = pair;
    return mapping.size() == shapeOf(type).size();
  };
  return llvm::all_of(llvm::zip(rule.operands, op->getOperandTypes()),
                      sameRank) &&
         llvm::all_of(llvm::zip(rule.results, op->getResultTypes()), sameRank);
}

std::optional<ShardingRule>
shardwright::getShardingRule(Operation *op, const RuleOptions &options) {
  if (auto attr = dyn_cast_if_present<sdy::OpShardingRuleAttr>(
          op->getDiscardableAttr(kShardingRuleAttrName))) {
    std::optional<ShardingRule> rule = fromAttr(attr);
    if (rule && fits(*rule, op))
      return rule;
    return std::nullopt;
  }
  // Without operands or results, there is nothing to relate.
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return std::nullopt;
  if (auto iface = dyn_cast<ShardingRuleOpInterface>(op)) {
    std::optional<ShardingRule> rule = iface.buildShardingRule(options);
    if (rule && !fits(*rule, op))
      return std::nullopt;
    return rule;
  }
  if (options.extraRules && op->hasTrait<OpTrait::Elementwise>() &&
      hasStaticShapes(op))
    return pointwiseRule(op, options);
  return std::nullopt;
}

PropagationTraits shardwright::getPropagationTraits(Operation *op) {
  PropagationTraits traits;
  if (auto iface = dyn_cast<ShardingRuleOpInterface>(op))
    traits = iface.getPropagationTraits();
  else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0)
    traits.basis = RuleBasis::Properties;
  else if (op->hasTrait<OpTrait::ConstantLike>())
    traits.makesConstant = true;
  if (traits.elementwise || op->hasTrait<OpTrait::Elementwise>()) {
    traits.elementwise = traits.preservesConstants = true;
    traits.schedule = Schedule::PassThroughOp;
  }
  return traits;
}

PartitionTraits shardwright::getPartitionTraits(Operation *op) {
  PartitionTraits traits;
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>();
  if (isElementwise)
    traits.fusion = Fusion::WithUsers;
  if (auto iface = dyn_cast<ShardingRuleOpInterface>(op)) {
    traits = iface.getPartitionTraits();
    isElementwise |= iface.getPropagationTraits().elementwise;
  }
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>())
    traits.work = Work::None;
  if (isElementwise)
    traits.ignoresPaddingRows = true;
  return traits;
}

bool shardwright::isElementwise(Operation *op) {
  return getPropagationTraits(op).elementwise;
}
