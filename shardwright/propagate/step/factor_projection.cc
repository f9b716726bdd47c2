//===- factor_projection.cc - project shardings onto factors --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/step/factor_projection.h"

#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

namespace shardwright {

std::optional<FactorLayout> FactorLayout::create(ShardingRule rule) {
  FactorLayout layout;
  int64_t numFactors = rule.factors.size();
  for (const Factor &f : rule.factors)
    if (f.size < 0)
      return std::nullopt;
  for (int64_t i = 0, e = rule.numTensors(); i < e; ++i) {
    Tensor &t = layout.tensors.emplace_back();
    t.placeOfFactor.assign(numFactors, -1);
    for (const DimMapping &dim : rule.tensor(i)) {
      t.dimBegin.push_back(t.factorOfPlace.size());
      if (dim.empty())
        return std::nullopt;
      for (int32_t f : dim) {
        if (f < 0 || f >= numFactors || t.placeOfFactor[f] >= 0)
          return std::nullopt;
        t.placeOfFactor[f] = t.factorOfPlace.size();
        t.factorOfPlace.push_back(f);
        if (llvm::MulOverflow(t.elements, rule.factors[f].size, t.elements))
          t.elements = std::numeric_limits<int64_t>::max();
      }
    }
    t.dimBegin.push_back(t.factorOfPlace.size());
  }
  layout.rule = std::move(rule);
  return layout;
}

namespace {

/// Distributes the axes of one dimension over its factors, major to minor.
void projectDim(llvm::MutableArrayRef<FactorSharding> factors,
                llvm::ArrayRef<int32_t> factorIds, const ShardingRule &rule,
                const DimSharding &dim) {
  if (factors.size() == 1) {
    factors[0].axes = dim.axes;
    factors[0].isClosed = dim.isClosed;
    return;
  }
  AxisList rest = dim.axes;
  size_t next = 0; // first remaining axis of `rest`
  for (size_t k = 0; k < factors.size(); ++k) {
    FactorSharding &f = factors[k];
    f.isClosed = dim.isClosed;
    if (k > 0 && !factors[k - 1].overflow.empty()) {
      // The overflow of the major factor precedes the axes of this factor, so
      // it can take none, and more minor factors are unknown.
      f.isClosed = true;
      return;
    }
    if (f.isMinorMost) {
      for (; next < rest.size(); ++next)
        appendMerged(f.axes, rest[next]);
      return;
    }
    int64_t remaining = rule.factors[factorIds[k]].size;
    while (next < rest.size()) {
      AxisRef &x = rest[next];
      int64_t g = std::gcd(remaining, x.size);
      if (x.size != 1 && g <= 1)
        break;
      if (x.size == 1)
        g = 1;
      appendMerged(f.axes, AxisRef{x.axis, x.preSize, g});
      remaining /= g;
      if (x.size == g) {
        ++next;
      } else {
        x.preSize *= g;
        x.size /= g;
      }
    }
    if (remaining > 1 && next < rest.size())
      f.overflow.assign(rest.begin() + next, rest.end());
  }
}

} // namespace

void TensorProjection::assign(const FactorLayout::Tensor &layout,
                              const ShardingRule &rule,
                              const TensorSharding *sharding) {
  places.resize(layout.factorOfPlace.size());
  for (int64_t d = 0, e = layout.rank(); d < e; ++d) {
    int32_t begin = layout.dimBegin[d], end = layout.dimBegin[d + 1];
    for (int32_t p = begin; p < end; ++p) {
      places[p].axes.clear();
      places[p].overflow.clear();
      places[p].isClosed = false;
      places[p].isMinorMost = p + 1 == end;
    }
    if (sharding)
      projectDim(llvm::MutableArrayRef<FactorSharding>(places).slice(
                     begin, end - begin),
                 llvm::ArrayRef<int32_t>(layout.factorOfPlace)
                     .slice(begin, end - begin),
                 rule, sharding->dims[d]);
  }
}

TensorSharding TensorProjection::toSharding(const FactorLayout::Tensor &layout,
                                            const ShardingRule &rule,
                                            const TensorSharding *old) const {
  TensorSharding result;
  result.dims.resize(layout.rank());
  for (int64_t d = 0, e = layout.rank(); d < e; ++d) {
    DimSharding &dim = result.dims[d];
    for (int32_t p = layout.dimBegin[d]; p < layout.dimBegin[d + 1]; ++p) {
      const FactorSharding &f = places[p];
      dim.isClosed |= f.isClosed;
      appendMerged(dim.axes, f.axes);
      appendMerged(dim.axes, f.overflow);
      // Stop: a minor factor under a partly sharded major one would be strided,
      // which no list of axes expresses.
      if (!f.overflow.empty() ||
          totalSize(f.axes) < rule.factors[layout.factorOfPlace[p]].size)
        break;
    }
  }
  if (old) {
    result.replicated = old->replicated;
    result.unreduced = old->unreduced;
  }
  return result;
}

} // namespace shardwright
