//===- rule_attr.cc - sharding rules as sdy attributes --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/rule_attr.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace shardwright;

static SmallVector<sdy::TensorMappingAttr>
toAttrs(ArrayRef<TensorMapping> tensors, MLIRContext *context) {
  SmallVector<sdy::TensorMappingAttr> attrs;
  for (const TensorMapping &tensor : tensors) {
    SmallVector<sdy::DimMappingAttr> dims;
    for (const DimMapping &dim : tensor)
      dims.push_back(sdy::DimMappingAttr::get(
          context, SmallVector<int64_t>(dim.begin(), dim.end())));
    attrs.push_back(sdy::TensorMappingAttr::get(context, dims));
  }
  return attrs;
}

sdy::OpShardingRuleAttr shardwright::toAttr(const ShardingRule &rule,
                                            MLIRContext *context) {
  SmallVector<int64_t> sizes, reduction, needReplication, permutation, blocked;
  for (auto [i, factor] : llvm::enumerate(rule.factors)) {
    sizes.push_back(factor.size);
    switch (factor.kind) {
    case FactorKind::PassThrough:
      break;
    case FactorKind::Reduction:
      reduction.push_back(i);
      break;
    case FactorKind::NeedReplication:
      needReplication.push_back(i);
      break;
    case FactorKind::Permutation:
      permutation.push_back(i);
      break;
    }
    if (factor.blocked)
      blocked.push_back(i);
  }
  return sdy::OpShardingRuleAttr::get(
      context, sizes, toAttrs(rule.operands, context),
      toAttrs(rule.results, context), reduction, needReplication, permutation,
      blocked, rule.isCustom);
}

std::optional<ShardingRule>
shardwright::fromAttr(sdy::OpShardingRuleAttr attr) {
  ShardingRule rule;
  rule.isCustom = attr.isCustom();
  for (int64_t size : attr.getFactorSizes())
    rule.factors.push_back({size, FactorKind::PassThrough, false});
  auto isFactor = [&](int64_t i) {
    return i >= 0 && i < int64_t(rule.factors.size());
  };

  auto setKind = [&](ArrayRef<int64_t> indices, FactorKind kind) {
    if (!llvm::all_of(indices, isFactor))
      return false;
    for (int64_t i : indices)
      rule.factors[i].kind = kind;
    return true;
  };
  if (!setKind(attr.getReductionFactors(), FactorKind::Reduction) ||
      !setKind(attr.getNeedReplicationFactors(), FactorKind::NeedReplication) ||
      !setKind(attr.getPermutationFactors(), FactorKind::Permutation) ||
      !llvm::all_of(attr.getBlockedPropagationFactors(), isFactor))
    return std::nullopt;
  for (int64_t i : attr.getBlockedPropagationFactors())
    rule.factors[i].blocked = true;

  auto readMappings = [&](ArrayRef<sdy::TensorMappingAttr> from, auto &to) {
    for (sdy::TensorMappingAttr tensor : from) {
      TensorMapping &mapping = to.emplace_back();
      for (sdy::DimMappingAttr dim : tensor.getDimMappings()) {
        if (!llvm::all_of(dim.getFactorIndices(), isFactor))
          return false;
        mapping.emplace_back(dim.getFactorIndices().begin(),
                             dim.getFactorIndices().end());
      }
    }
    return true;
  };
  if (!readMappings(attr.getOperandMappings(), rule.operands) ||
      !readMappings(attr.getResultMappings(), rule.results))
    return std::nullopt;
  return rule;
}

bool shardwright::isStorable(const ShardingRule &rule, Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (op->getNumOperands() == 0 || op->getNumResults() == 0 ||
      !llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return false;
  llvm::SmallVector<bool> used(rule.factors.size(), false);
  for (int64_t i = 0, e = rule.numTensors(); i < e; ++i)
    for (const DimMapping &dim : rule.tensor(i))
      for (int32_t factor : dim)
        used[factor] = true;
  return llvm::all_of(used, [](bool isUsed) { return isUsed; });
}
