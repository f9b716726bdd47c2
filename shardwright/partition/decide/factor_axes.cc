//===- factor_axes.cc - project shardings onto factors --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/decide/factor_axes.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace shardwright;

FactorAxes shardwright::projectOntoFactors(const ShardingRule &rule,
                                           const TensorMapping &mapping,
                                           const TensorSharding &sharding) {
  FactorAxes out(rule.factors.size());
  for (auto [factors, dim] : llvm::zip(mapping, sharding.dims)) {
    AxisList left(dim.axes);
    size_t next = 0;
    for (auto [i, f] : llvm::enumerate(factors)) {
      if (next == left.size())
        break;
      if (i + 1 == factors.size()) {
        // The last factor takes the remaining axes, even if they do not divide
        // it.
        out[f].assign(left.begin() + next, left.end());
        break;
      }
      int64_t room = rule.factors[f].size;
      while (next < left.size() && room > 1) {
        AxisRef &axis = left[next];
        int64_t part = std::gcd(room, axis.size);
        if (part == 1)
          break;
        out[f].push_back({axis.axis, axis.preSize, part});
        room /= part;
        if (part == axis.size)
          ++next;
        else
          axis = {axis.axis, axis.preSize * part, axis.size / part};
      }
      // Minor factors get axes only if all factors before them are fully
      // sharded.
      if (room > 1)
        break;
    }
  }
  return out;
}

std::optional<TensorSharding> shardwright::shardingFromFactors(
    const ShardingRule &rule, const TensorMapping &mapping,
    llvm::ArrayRef<AxisList> axes, llvm::ArrayRef<int64_t> shape,
    llvm::ArrayRef<bool> mayBeUneven) {
  TensorSharding sharding = TensorSharding::closed(mapping.size());
  for (auto [d, factors] : llvm::enumerate(mapping)) {
    bool full = true;
    for (int32_t f : factors) {
      if (axes[f].empty()) {
        full &= rule.factors[f].size == 1;
        continue;
      }
      if (!full)
        return std::nullopt;
      int64_t shards = totalSize(axes[f]), size = rule.factors[f].size;
      // In a dimension of several factors, each must be divisible.
      if (factors.size() > 1 && size % shards != 0)
        return std::nullopt;
      full = shards == size;
      appendMerged(sharding.dims[d].axes, axes[f]);
    }
    int64_t shards = totalSize(sharding.dims[d].axes);
    if (shards == 1)
      continue;
    bool uneven = factors.size() == 1 && !mayBeUneven.empty() &&
                  mayBeUneven[factors.front()];
    if (shape[d] < shards || (!uneven && shape[d] % shards != 0))
      return std::nullopt;
  }
  return sharding;
}

static TensorSharding cutSharding(const TensorSharding &sharding,
                                  llvm::ArrayRef<int64_t> shape,
                                  bool mayBeUneven) {
  TensorSharding out = TensorSharding::closed(sharding.rank());
  for (auto [d, dim] : llvm::enumerate(sharding.dims)) {
    AxisList axes;
    for (AxisRef a : dim.axes)
      if (a.size > 1)
        axes.push_back(a);
    // Dimensions of dynamic size or size 0 are not sharded.
    if (shape[d] <= 0)
      continue;
    if (!mayBeUneven || totalSize(axes) > shape[d])
      axes = divisiblePrefix(shape[d], axes);
    appendMerged(out.dims[d].axes, axes);
  }
  out.unreduced.kind = sharding.unreduced.kind;
  for (AxisRef a : sharding.unreduced)
    if (a.size > 1)
      out.unreduced.push_back(a);
  sortAndMerge(out.unreduced);
  return out;
}

TensorSharding shardwright::divisibleSharding(const TensorSharding &sharding,
                                              llvm::ArrayRef<int64_t> shape) {
  return cutSharding(sharding, shape, /*mayBeUneven=*/false);
}

TensorSharding shardwright::usableSharding(const TensorSharding &sharding,
                                           llvm::ArrayRef<int64_t> shape) {
  return cutSharding(sharding, shape, /*mayBeUneven=*/true);
}
