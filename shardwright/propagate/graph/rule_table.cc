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

template <bool withProperties>
unsigned SameRule<withProperties>::getHashValue(const Operation *op) {
  auto *o = const_cast<Operation *>(op);
  auto mix = [hash = uint64_t(0)](const void *p) mutable {
    return hash = (hash ^ (reinterpret_cast<uintptr_t>(p) >> 4)) *
                  0x9E3779B97F4A7C15ull;
  };
  mix(o->getName().getAsOpaquePointer());
  for (Type type : o->getOperandTypes())
    mix(type.getAsOpaquePointer());
  for (Type type : o->getResultTypes())
    mix(type.getAsOpaquePointer());
  if constexpr (withProperties)
    mix(reinterpret_cast<void *>(size_t(o->hashProperties()) << 4));
  return mix(nullptr) >> 32;
}

template <bool withProperties>
bool SameRule<withProperties>::isEqual(const Operation *a, const Operation *b) {
  if (a == b)
    return true;
  auto isKey = [](const Operation *op) {
    return op != getEmptyKey() && op != getTombstoneKey();
  };
  if (!isKey(a) || !isKey(b))
    return false;
  auto *x = const_cast<Operation *>(a), *y = const_cast<Operation *>(b);
  return x->getName() == y->getName() &&
         x->getOperandTypes() == y->getOperandTypes() &&
         x->getResultTypes() == y->getResultTypes() &&
         (!withProperties ||
          x->getName().compareOpProperties(x->getPropertiesStorage(),
                                           y->getPropertiesStorage()));
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
  std::optional<ShardingRule> rule =
      getShardingRule(op, RuleOptions{.conservative = options.conservative,
                                      .extraRules = options.extraRules,
                                      .shardy = options.shardy});
  if (!rule) {
    PropagationTraits traits = getPropagationTraits(op);
    bool flows =
        traits.newDataFlow &&
        (options.extraRules || !traits.lacksDataFlowIn(options.shardy));
    if (!flows)
      unknownOps.visit(op);
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
  auto find = [&](auto &table) {
    auto [it, isNew] = table.try_emplace(op);
    if (isNew)
      it->second = make(op);
    return it->second;
  };
  return basis == RuleBasis::Types ? find(ruleOfTypes) : find(ruleOfOp);
}

} // namespace shardwright
