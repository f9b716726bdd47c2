//===- common_factor_axes.h - common axes of factors ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op can run shard by shard if, for every factor of its rule, all tensors
// that have the factor are sharded by the same axes. Otherwise one choice of
// axes for each factor determines what is resharded. Shardy's heuristic weighs
// a choice by the number of elements of the tensors that already have it.
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_COMMON_FACTOR_AXES_H
#define SHARDWRIGHT_PARTITION_SHARDY_COMMON_FACTOR_AXES_H

#include "shardwright/partition/decide/factor_axes.h"
#include "shardwright/propagate/step/factor_projection.h"

namespace shardwright {

/// An op's tensors, operands first, projected onto the factors of its rule.
struct OpFactors {
  const FactorLayout *layout = nullptr;
  const Mesh *mesh = nullptr;
  llvm::SmallVector<TensorProjection, 4> tensors;
  /// A reshape may split axes in new ways if they do not fit its factors.
  bool isReshape = false;
  /// Number of elements of each tensor.
  llvm::SmallVector<int64_t, 4> elements;

  const FactorSharding *find(int64_t tensor, int64_t factor) const {
    int32_t place = layout->tensors[tensor].placeOfFactor[factor];
    return place < 0 ? nullptr : &tensors[tensor].places[place];
  }
};

/// The axes of each factor if all tensors agree: no axis on two factors, no
/// axes on factors that need replication, no axes that fit no factor. None
/// otherwise.
std::optional<FactorAxes> agreedFactorAxes(const OpFactors &op);

/// Chooses the axes of each factor.
FactorAxes chooseFactorAxes(const OpFactors &op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_COMMON_FACTOR_AXES_H
