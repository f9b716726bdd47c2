//===- compose.cc - compose and transpose shardings -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/compose.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

TensorSharding shardwright::transposed(const TensorSharding &sharding,
                                       llvm::ArrayRef<int64_t> perm) {
  TensorSharding out = sharding;
  for (auto [dim, from] : llvm::zip_equal(out.dims, perm))
    dim = sharding.dims[from];
  return out;
}

std::optional<TensorSharding>
shardwright::composed(const TensorSharding &outer,
                      const TensorSharding &inner) {
  if (outer.rank() != inner.rank())
    return std::nullopt;
  if (!outer.unreduced.empty() && !inner.unreduced.empty() &&
      outer.unreduced.kind != inner.unreduced.kind)
    return std::nullopt;
  auto axesOf = [](const TensorSharding &s) {
    AxisList axes = s.allAxes();
    axes.append(s.unreduced);
    return axes;
  };
  for (AxisRef a : axesOf(outer))
    for (AxisRef b : axesOf(inner))
      if (overlaps(a, b) || !canCoexist(a, b))
        return std::nullopt;
  TensorSharding out = inner;
  for (auto [dim, under] : llvm::zip_equal(out.dims, outer.dims)) {
    AxisList axes = under.axes;
    appendMerged(axes, dim.axes);
    dim.axes = std::move(axes);
  }
  if (out.unreduced.empty())
    out.unreduced.kind = outer.unreduced.kind;
  out.unreduced.append(outer.unreduced);
  sortAndMerge(out.unreduced);
  return out;
}
