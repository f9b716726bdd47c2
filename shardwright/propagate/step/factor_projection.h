//===- factor_projection.h - project shardings onto factors -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation moves axes between the factors of an op's rule, not between
// dimensions. A projection splits one tensor's dimension shardings into axes
// per factor; its inverse converts extended factors back to dimensions.
//
//   reshape 8x8 -> 2x4x8, rule ([ij, k])->([i, j, k]) {i=2, j=4, k=8}
//   [{"d"}, {}] with d=8   =>   i: "d":(1)2   j: "d":(2)4   k: none
//
// Semantics: Shardy's FactorPropagation over TensorFactorShardings.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_STEP_FACTOR_PROJECTION_H
#define SHARDWRIGHT_PROPAGATE_STEP_FACTOR_PROJECTION_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/rules/sharding_rule.h"

#include <optional>

namespace shardwright {

/// A rule with the position of each factor in each tensor. Ops with equal rules
/// share one.
struct FactorLayout {
  struct Tensor {
    /// A place is one factor of one dimension. dimBegin[d]..dimBegin[d + 1] are
    /// the places of dimension d, major to minor.
    llvm::SmallVector<int32_t, 5> dimBegin;
    llvm::SmallVector<int32_t, 4> factorOfPlace;
    /// -1: the tensor does not have the factor.
    llvm::SmallVector<int32_t, 6> placeOfFactor;
    /// Product of the sizes of its factors (saturating).
    int64_t elements = 1;

    int64_t rank() const { return dimBegin.size() - 1; }
  };

  ShardingRule rule;
  llvm::SmallVector<Tensor, 3> tensors;

  /// None if the rule is malformed (a factor out of range or twice in one
  /// tensor, a dimension without factors, a negative size).
  static std::optional<FactorLayout> create(ShardingRule rule);

  int64_t numOperands() const { return rule.operands.size(); }
  int64_t numFactors() const { return rule.factors.size(); }
};

/// The part of a dimension sharding that belongs to one factor.
struct FactorSharding {
  AxisList axes;
  /// Axes of the dimension that fit neither this factor nor a minor one.
  AxisList overflow;
  bool isClosed = false;
  /// True for the last factor of its dimension, which takes all remaining axes.
  bool isMinorMost = false;
};

/// One tensor's factors, by place.
struct TensorProjection {
  llvm::SmallVector<FactorSharding, 4> places;

  /// `sharding` null: every dimension open, no axes. The sharding must have the
  /// rank of the layout.
  void assign(const FactorLayout::Tensor &layout, const ShardingRule &rule,
              const TensorSharding *sharding);
  /// Converts the factors to a sharding; replicated and unreduced axes are
  /// those of `old`, priorities are dropped.
  TensorSharding toSharding(const FactorLayout::Tensor &layout,
                            const ShardingRule &rule,
                            const TensorSharding *old) const;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_STEP_FACTOR_PROJECTION_H
