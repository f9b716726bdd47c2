//===- sharding_rule.cc - relates the dimensions of an op -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/sharding_rule.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

bool ShardingRule::hasKind(FactorKind kind) const {
  return llvm::any_of(factors, [&](const Factor &f) { return f.kind == kind; });
}

bool ShardingRule::holds(int64_t tensorIndex, int32_t factor) const {
  return llvm::any_of(tensor(tensorIndex), [&](const DimMapping &dim) {
    return llvm::is_contained(dim, factor);
  });
}

bool ShardingRule::inAllNonScalars(int32_t factor) const {
  for (int64_t i = 0, e = numTensors(); i < e; ++i)
    if (!tensor(i).empty() && !holds(i, factor))
      return false;
  return true;
}

bool ShardingRule::isBatching(int32_t factor) const {
  return factors[factor].kind == FactorKind::PassThrough &&
         inAllNonScalars(factor);
}

ShardingRule shardwright::identityRule(llvm::ArrayRef<int64_t> shape,
                                       int64_t numOperands) {
  ShardingRule rule;
  TensorMapping mapping;
  for (auto [i, size] : llvm::enumerate(shape)) {
    rule.factors.push_back({size, FactorKind::PassThrough, false});
    mapping.push_back({int32_t(i)});
  }
  rule.operands.assign(numOperands, mapping);
  rule.results.push_back(std::move(mapping));
  return rule;
}
