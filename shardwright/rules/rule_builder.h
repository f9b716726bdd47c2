//===- rule_builder.h - build a sharding rule by factors --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A rule's factors are numbered in the order of the calls; users see the
// numbers in dumps and propagation breaks ties by them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_RULE_BUILDER_H
#define SHARDWRIGHT_RULES_RULE_BUILDER_H

#include "shardwright/rules/sharding_rule.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace shardwright {

/// In a list of dimensions: the tensor does not have the factor.
inline constexpr int64_t kNoDim = -1;

/// Shape of a ranked tensor, empty for any other type.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return shapeOf(value.getType());
}

/// Size of dimension `dim`, 1 if the shape has none: an op's attributes may
/// contradict its types if the verifier did not run.
inline int64_t sizeAt(llvm::ArrayRef<int64_t> shape, int64_t dim) {
  return dim >= 0 && dim < int64_t(shape.size()) ? shape[dim] : 1;
}

class RuleBuilder {
public:
  explicit RuleBuilder(mlir::Operation *op)
      : RuleBuilder(op->getOperandTypes(), op->getResultTypes()) {}
  RuleBuilder(mlir::TypeRange operands, mlir::TypeRange results);

  /// Adds the next factor, minor-most in the given dimension of each tensor
  /// (one entry per tensor, or kNoDim). Skips a factor of size 1 in dimensions
  /// that have a factor already.
  RuleBuilder &add(llvm::ArrayRef<int64_t> operandDims,
                   llvm::ArrayRef<int64_t> resultDims, int64_t size,
                   FactorKind kind = FactorKind::PassThrough,
                   bool blocked = false);
  /// Adds the next factor, minor-most in dimension `dim` of every tensor that
  /// has it.
  RuleBuilder &all(int64_t dim, int64_t size,
                   FactorKind kind = FactorKind::PassThrough,
                   bool blocked = false);
  /// Likewise in operands only and in results only.
  RuleBuilder &allOperands(int64_t dim, int64_t size, FactorKind kind,
                           bool blocked = false);
  RuleBuilder &allResults(int64_t dim, int64_t size, FactorKind kind,
                          bool blocked = false);
  /// `all` for each dimension of `shape`.
  RuleBuilder &pointwise(llvm::ArrayRef<int64_t> shape);
  /// `all` for each dimension of `in`, pass-through where `out` has the same
  /// size.
  RuleBuilder &mismatch(llvm::ArrayRef<int64_t> in, llvm::ArrayRef<int64_t> out,
                        FactorKind kind, bool blocked = false);

  /// Returns the rule; dimensions without a factor get one of size 1 each. The
  /// builder must not be used afterwards.
  ShardingRule finish();

private:
  int32_t newFactor(int64_t size, FactorKind kind, bool blocked);

  ShardingRule rule;
};

/// Dimension i of every tensor is factor i, with the sizes of the first result;
/// none if that is no ranked tensor.
std::optional<ShardingRule> pointwiseRule(mlir::Operation *op,
                                          const RuleOptions &options = {});

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_RULE_BUILDER_H
