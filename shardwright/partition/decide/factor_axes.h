//===- factor_axes.h - shardings seen as axes of factors --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_DECIDE_FACTOR_AXES_H
#define SHARDWRIGHT_PARTITION_DECIDE_FACTOR_AXES_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/rules/sharding_rule.h"

namespace shardwright {

/// Axes of each factor of a rule, major to minor.
using FactorAxes = llvm::SmallVector<AxisList, 6>;

/// The axes that `sharding` puts on each factor of the tensor. Axes that fit no
/// factor are left out.
FactorAxes projectOntoFactors(const ShardingRule &rule,
                              const TensorMapping &mapping,
                              const TensorSharding &sharding);

/// The sharding that the tensor has when the factors have these axes. None if a
/// dimension cannot express it: a minor factor is sharded under a major one
/// that is not fully sharded, or the dimension's size is not divisible and its
/// only factor is not among those that `mayBeUneven` (none, if empty).
std::optional<TensorSharding>
shardingFromFactors(const ShardingRule &rule, const TensorMapping &mapping,
                    llvm::ArrayRef<AxisList> factors,
                    llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<bool> mayBeUneven = {});

/// Cuts every dimension to the leading axes that divide its size, drops axes of
/// size 1 and closes the sharding: what values at a border of the program have.
TensorSharding divisibleSharding(const TensorSharding &sharding,
                                 llvm::ArrayRef<int64_t> shape);

/// Likewise for values inside the program, whose dimensions may be uneven as
/// long as they have a row for every shard.
TensorSharding usableSharding(const TensorSharding &sharding,
                              llvm::ArrayRef<int64_t> shape);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_DECIDE_FACTOR_AXES_H
