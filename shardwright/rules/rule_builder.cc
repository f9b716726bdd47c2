//===- rule_builder.cc - build a sharding rule by factors -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/rule_builder.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace shardwright;

ArrayRef<int64_t> shardwright::shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

RuleBuilder::RuleBuilder(TypeRange operands, TypeRange results) {
  rule.operands.reserve(operands.size());
  for (Type type : operands)
    rule.operands.emplace_back(shapeOf(type).size());
  rule.results.reserve(results.size());
  for (Type type : results)
    rule.results.emplace_back(shapeOf(type).size());
}

int32_t RuleBuilder::newFactor(int64_t size, FactorKind kind, bool blocked) {
  rule.factors.push_back({size, kind, blocked});
  return int32_t(rule.factors.size()) - 1;
}

/// Ignores dimensions that a tensor does not have, so that an op whose
/// attributes contradict its types gets a poor rule instead of a crash.
static DimMapping *find(TensorMapping &tensor, int64_t dim) {
  return dim >= 0 && dim < int64_t(tensor.size()) ? &tensor[dim] : nullptr;
}

RuleBuilder &RuleBuilder::add(ArrayRef<int64_t> operandDims,
                              ArrayRef<int64_t> resultDims, int64_t size,
                              FactorKind kind, bool blocked) {
  int32_t factor = newFactor(size, kind, blocked);
  auto append = [&](auto &tensors, ArrayRef<int64_t> dims) {
    for (auto [tensor, dim] : llvm::zip(tensors, dims))
      if (DimMapping *mapping = find(tensor, dim);
          mapping && (size != 1 || mapping->empty()))
        mapping->push_back(factor);
  };
  append(rule.operands, operandDims);
  append(rule.results, resultDims);
  return *this;
}

static void appendToAll(MutableArrayRef<TensorMapping> tensors, int64_t dim,
                        int32_t factor) {
  for (TensorMapping &tensor : tensors)
    if (DimMapping *mapping = find(tensor, dim))
      mapping->push_back(factor);
}

RuleBuilder &RuleBuilder::all(int64_t dim, int64_t size, FactorKind kind,
                              bool blocked) {
  int32_t factor = newFactor(size, kind, blocked);
  appendToAll(rule.operands, dim, factor);
  appendToAll(rule.results, dim, factor);
  return *this;
}

RuleBuilder &RuleBuilder::allOperands(int64_t dim, int64_t size,
                                      FactorKind kind, bool blocked) {
  appendToAll(rule.operands, dim, newFactor(size, kind, blocked));
  return *this;
}

RuleBuilder &RuleBuilder::allResults(int64_t dim, int64_t size, FactorKind kind,
                                     bool blocked) {
  appendToAll(rule.results, dim, newFactor(size, kind, blocked));
  return *this;
}

RuleBuilder &RuleBuilder::pointwise(ArrayRef<int64_t> shape) {
  for (auto [dim, size] : llvm::enumerate(shape))
    all(dim, size);
  return *this;
}

RuleBuilder &RuleBuilder::mismatch(ArrayRef<int64_t> in, ArrayRef<int64_t> out,
                                   FactorKind kind, bool blocked) {
  for (auto [dim, size] : llvm::enumerate(in)) {
    if (dim < out.size() && out[dim] == size)
      all(dim, size);
    else
      all(dim, size, kind, blocked);
  }
  return *this;
}

ShardingRule RuleBuilder::finish() {
  auto fill = [&](MutableArrayRef<TensorMapping> tensors) {
    for (TensorMapping &tensor : tensors)
      for (DimMapping &mapping : tensor)
        if (mapping.empty())
          mapping.push_back(newFactor(1, FactorKind::PassThrough, false));
  };
  fill(rule.operands);
  fill(rule.results);
  return std::move(rule);
}

std::optional<ShardingRule>
shardwright::pointwiseRule(Operation *op, const RuleOptions &options) {
  if (op->getNumResults() == 0)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return std::nullopt;
  return RuleBuilder(op).pointwise(type.getShape()).finish();
}
