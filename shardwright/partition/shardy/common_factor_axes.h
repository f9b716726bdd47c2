//===- common_factor_axes.h - axes that all tensors of an op take *- C++
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op can run shard by shard when, for every factor of its rule, all tensors
// that hold it are sharded alike. Where they are not, one choice of axes for
// each factor decides what is resharded. This is Shardy's heuristic: it weighs
// a choice by the elements of the tensors that have it already.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_COMMON_FACTOR_AXES_H
#define SHARDWRIGHT_PARTITION_SHARDY_COMMON_FACTOR_AXES_H

#include "shardwright/partition/decide/factor_axes.h"
#include "shardwright/propagate/step/factor_projection.h"

namespace shardwright {

/// An op's tensors, operands first, seen through the factors of its rule.
struct OpFactors {
  const FactorLayout *layout = nullptr;
  const Mesh *mesh = nullptr;
  llvm::SmallVector<TensorProjection, 4> tensors;
  /// A reshape may split axes anew where they do not fit its factors.
  bool isReshape = false;
  /// Number of elements of each tensor.
  llvm::SmallVector<int64_t, 4> elements;

  const FactorSharding *find(int64_t tensor, int64_t factor) const {
    int32_t place = layout->tensors[tensor].placeOfFactor[factor];
    return place < 0 ? nullptr : &tensors[tensor].places[place];
  }
};

/// The axes of each factor that all tensors already agree on, if none
/// disagrees: no axis on two factors, nothing on factors that need replication,
/// no axes that fit no factor.
std::optional<FactorAxes> agreedFactorAxes(const OpFactors &op);

/// The axes that each factor should have.
FactorAxes chooseFactorAxes(const OpFactors &op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_COMMON_FACTOR_AXES_H
