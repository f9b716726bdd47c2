//===- factor_axes.h - project shardings onto factors -----------*- C++ -*-===//
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

/// The axes that `sharding` puts on each factor of the tensor. Drops axes that
/// fit no factor.
FactorAxes projectOntoFactors(const ShardingRule &rule,
                              const TensorMapping &mapping,
                              const TensorSharding &sharding);

/// The sharding of the tensor if the factors have these axes. None if a
/// dimension cannot express it: a minor factor is sharded under a major one
/// that is not fully sharded, or the axes do not divide a dimension whose only
/// factor is not in `mayBeUneven` (empty: no factor).
std::optional<TensorSharding>
shardingFromFactors(const ShardingRule &rule, const TensorMapping &mapping,
                    llvm::ArrayRef<AxisList> factors,
                    llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<bool> mayBeUneven = {});

/// Cuts every dimension to the axis prefix that divides its size, drops axes of
/// size 1 and closes the sharding, as for arguments and results of the program.
TensorSharding divisibleSharding(const TensorSharding &sharding,
                                 llvm::ArrayRef<int64_t> shape);

/// Likewise for values inside the program, whose dimensions may be uneven if
/// they have a row for every shard.
TensorSharding usableSharding(const TensorSharding &sharding,
                              llvm::ArrayRef<int64_t> shape);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_DECIDE_FACTOR_AXES_H
