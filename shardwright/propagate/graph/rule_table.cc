//===- rule_table.cc - intern the rules of a module -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/rule_table.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/rules/rule_interface.h"

using namespace mlir;

namespace shardwright {

//===----------------------------------------------------------------------===//
// Ops with equal rules
//===----------------------------------------------------------------------===//

RuleTable::~RuleTable() {
  for (Kind &kind : kinds)
    if (kind.properties)
      kind.properties->destroy();
}

static uint64_t hashOf(Operation *op, bool hasProperties) {
  uint64_t hash = hasProperties ? uint64_t(op->hashProperties()) : 0;
  auto mix = [&](const void *p) {
    hash =
        (hash ^ (reinterpret_cast<uintptr_t>(p) >> 4)) * 0x9E3779B97F4A7C15ull;
  };
  mix(op->getName().getAsOpaquePointer());
  for (OpOperand &operand : op->getOpOperands())
    mix(operand.get().getType().getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    mix(type.getAsOpaquePointer());
  // Not one of DenseMap's empty and tombstone keys, its two largest.
  return (hash ^ hash >> 32) >> 1;
}

static SmallVector<Type, 4> typesOf(Operation *op) {
  SmallVector<Type, 4> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return types;
}

RuleTable::OpRule RuleTable::ofKind(Operation *op, bool hasProperties) {
  auto isSame = [&](const Kind &kind) {
    if (kind.name != op->getName() ||
        kind.numOperands != op->getNumOperands() ||
        kind.types.size() != kind.numOperands + op->getNumResults())
      return false;
    const Type *type = kind.types.begin();
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType() != *type++)
        return false;
    for (Type result : op->getResultTypes())
      if (result != *type++)
        return false;
    return !hasProperties || kind.name.compareOpProperties(
                                 op->getPropertiesStorage(),
                                 kind.properties->getPropertiesStorage());
  };
  Kind *&first = kindsOfHash[hashOf(op, hasProperties)];
  for (Kind *kind = first; kind; kind = kind->next)
    if (isSame(*kind)) {
      // Each module is warned.
      if (kind->rule.isUnknown)
        unknownOps.visit(op);
      return kind->rule;
    }
  OpRule rule = make(op);
  Operation *properties = nullptr;
  if (hasProperties)
    properties = Operation::create(
        op->getLoc(), op->getName(), op->getResultTypes(), /*operands=*/{},
        DictionaryAttr::get(op->getContext()), op->getPropertiesStorage(),
        /*successors=*/{}, /*numRegions=*/0);
  kinds.push_back({op->getName(), typesOf(op), op->getNumOperands(), properties,
                   rule, first});
  first = &kinds.back();
  return rule;
}

/// Computed once per op name, for the first such op.
RuleBasis RuleTable::basisOf(Operation *op) {
  auto [it, isNew] =
      basisOfName.try_emplace(op->getName(), RuleBasis::Anything);
  if (isNew)
    it->second = getPropagationTraits(op).basis;
  return it->second;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static uint64_t hashOf(const ShardingRule &rule) {
  llvm::hash_code h = llvm::hash_combine(rule.operands.size(), rule.isCustom);
  for (const Factor &f : rule.factors)
    h = llvm::hash_combine(h, f.size, f.kind, f.blocked);
  for (int64_t t = 0; t < rule.numTensors(); ++t) {
    h = llvm::hash_combine(h, t);
    for (const DimMapping &dim : rule.tensor(t))
      h = llvm::hash_combine(h,
                             llvm::hash_combine_range(dim.begin(), dim.end()));
  }
  return h;
}

RuleId RuleTable::intern(ShardingRule rule) {
  auto &ids = rulesOfHash[hashOf(rule) >> 1];
  for (RuleId id : ids)
    if (rules[id].rule == rule)
      return id;
  std::optional<FactorLayout> layout = FactorLayout::create(std::move(rule));
  if (!layout)
    return -1;
  ids.push_back(rules.size());
  rules.push_back(std::move(*layout));
  return ids.back();
}

RuleId RuleTable::identity(ArrayRef<int64_t> shape, int64_t numOperands) {
  auto [it, isNew] = identities.try_emplace({shape, numOperands}, -1);
  if (isNew)
    it->second = intern(identityRule(shape, numOperands));
  return it->second;
}

/// True if every tensor has the rank that the rule expects (a rule attached to
/// an op may not fit its values).
static bool fits(const FactorLayout &layout, Operation *op) {
  if (layout.rule.operands.size() != op->getNumOperands() ||
      layout.rule.results.size() != op->getNumResults())
    return false;
  auto rankOf = [](Value v) -> int64_t {
    if (auto tensor = dyn_cast<RankedTensorType>(v.getType()))
      return tensor.getRank();
    auto shaped = dyn_cast<ShapedType>(v.getType());
    return shaped && shaped.hasRank() ? shaped.getRank() : 0;
  };
  for (auto [i, v] : llvm::enumerate(op->getOperands()))
    if (rankOf(v) != layout.tensors[i].rank())
      return false;
  for (auto [i, v] : llvm::enumerate(op->getResults()))
    if (rankOf(v) != layout.tensors[op->getNumOperands() + i].rank())
      return false;
  return true;
}

RuleTable::OpRule RuleTable::make(Operation *op) {
  OpRule result;
  std::optional<ShardingRule> rule = getShardingRule(op, options);
  if (!rule) {
    PropagationTraits traits = getPropagationTraits(op);
    bool flows =
        traits.newDataFlow &&
        (options.extraRules || !traits.lacksDataFlowIn(options.shardy));
    result.isUnknown = !flows && unknownOps.visit(op);
    return result;
  }
  RuleId id = intern(std::move(*rule));
  if (id < 0 || !fits(rules[id], op))
    return result;
  result.rule = id;
  PropagationTraits traits = getPropagationTraits(op);
  result.isElementwise = traits.elementwise;
  result.schedule = traits.schedule;
  return result;
}

RuleTable::OpRule RuleTable::of(Operation *op) {
  RuleBasis basis = basisOf(op);
  if (basis == RuleBasis::Anything ||
      (!op->getRawDictionaryAttrs().empty() &&
       op->getDiscardableAttr(sdy::kShardingRuleAttr)))
    return make(op);
  return ofKind(op, /*hasProperties=*/basis != RuleBasis::Types);
}

} // namespace shardwright
