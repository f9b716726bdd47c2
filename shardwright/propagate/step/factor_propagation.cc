//===- factor_propagation.cc - one propagation step of one op -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/step/factor_propagation.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace shardwright {

void mergeCompatible(AxisList &acc, llvm::ArrayRef<AxisRef> next,
                     bool &expand) {
  size_t common = std::min(acc.size(), next.size());
  for (size_t i = 0; i < common; ++i) {
    AxisRef o = acc[i], n = next[i];
    if (o == n)
      continue;
    if (isPrefixOf(n, o)) {
      if (next.size() == i + 1)
        continue; // the old axis includes the new one
      acc.truncate(i);
      acc.push_back(n);
      expand = false;
      return;
    }
    if (isPrefixOf(o, n)) {
      if (expand && acc.size() == i + 1) {
        acc[i] = n;
        continue;
      }
      acc.truncate(i + 1);
      expand = false;
      return;
    }
    acc.truncate(i);
    expand = false;
    return;
  }
  if (expand && next.size() > common)
    acc.append(next.begin() + common, next.end());
}

FactorSharding *FactorPropagation::find(int64_t tensor, int64_t factor) {
  int32_t place = layout->tensors[tensor].placeOfFactor[factor];
  return place < 0 ? nullptr : &projections[tensor].places[place];
}

const FactorSharding *FactorPropagation::find(int64_t tensor,
                                              int64_t factor) const {
  return const_cast<FactorPropagation *>(this)->find(tensor, factor);
}

Direction FactorPropagation::directionOf(int64_t factor) const {
  const Factor &f = layout->rule.factors[factor];
  if (f.blocked)
    return Direction::None;
  return f.kind == FactorKind::PassThrough ? options->directions.passThrough
                                           : options->directions.other;
}

/// The axes that the tensors agree on for one factor, ignoring other factors.
/// Only the first group of tensors (the sources of axes) may extend the list.
void FactorPropagation::collectCandidate(int64_t factor,
                                         AxisList &result) const {
  result.clear();
  Direction direction = directionOf(factor);
  if (direction == Direction::None)
    return;
  bool expand = true;
  auto fold = [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t)
      if (const FactorSharding *f = find(t, factor))
        mergeCompatible(result, f->axes, expand);
  };
  int64_t operands = layout->numOperands(), all = layout->tensors.size();
  if (direction == Direction::Backward) {
    fold(operands, all);
    expand = false;
    fold(0, operands);
  } else {
    fold(0, operands);
    if (direction != Direction::Both)
      expand = false;
    fold(operands, all);
  }
}

/// The longest prefix of x that no other factor of the tensor uses.
std::optional<AxisRef>
FactorPropagation::fitAmongFactors(AxisRef x, int64_t tensor,
                                   int64_t factor) const {
  int32_t own = layout->tensors[tensor].placeOfFactor[factor];
  std::optional<AxisRef> rest = x;
  for (auto [p, other] : llvm::enumerate(projections[tensor].places)) {
    if (int32_t(p) == own)
      continue;
    rest = prefixWithoutOverlap(*rest, other.overflow);
    if (!rest)
      return rest;
    rest = prefixWithoutOverlap(*rest, other.axes);
    if (!rest)
      return rest;
  }
  return rest;
}

/// The longest prefix of x that this tensor can have on the factor, after axes
/// that make `shardsBefore` shards of it.
std::optional<AxisRef> FactorPropagation::fitInFactor(AxisRef x,
                                                      int64_t shardsBefore,
                                                      int64_t tensor,
                                                      int64_t factor) const {
  const FactorSharding &f = *find(tensor, factor);
  if (const TensorSharding *sharding = tensors[tensor]) {
    std::optional<AxisRef> rest = prefixWithoutOverlap(x, sharding->replicated);
    if (rest)
      rest = prefixWithoutOverlap(*rest, sharding->unreduced);
    if (!rest)
      return std::nullopt;
    x = *rest;
  }
  for (AxisRef y : f.axes)
    if (contains(y, x))
      return x;
  if (!f.isClosed && f.overflow.empty()) {
    if (f.isMinorMost)
      return x;
    int64_t size = layout->rule.factors[factor].size;
    if (size % shardsBefore == 0) {
      int64_t g = std::gcd(size / shardsBefore, x.size);
      if (g == x.size)
        return x;
      if (g > 1)
        return AxisRef{x.axis, x.preSize, g};
    }
  }
  if (!f.axes.empty() && isPrefixOf(f.axes.back(), x))
    return f.axes.back();
  return std::nullopt;
}

/// Keeps the longest prefix that `fit(axis, shardsBefore)` accepts.
template <typename Fit>
void FactorPropagation::truncate(AxisList &axes, Fit fit) const {
  int64_t shards = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<AxisRef> kept;
    if (!options->conservative || options->mesh->isFull(axes[i]))
      kept = fit(axes[i], shards);
    if (!kept) {
      axes.truncate(i);
      return;
    }
    if (*kept != axes[i]) {
      axes[i] = *kept;
      // A truncated axis is a sub-axis.
      axes.truncate(options->conservative ? i : i + 1);
      return;
    }
    shards *= axes[i].size;
  }
}

void FactorPropagation::basic() {
  for (int64_t f = 0, e = layout->numFactors(); f < e; ++f) {
    AxisList &axes = candidates[f];
    truncate(axes, [&](AxisRef x, int64_t shards) -> std::optional<AxisRef> {
      for (int64_t t = 0, n = layout->tensors.size(); t < n; ++t) {
        std::optional<AxisRef> rest = fitAmongFactors(x, t, f);
        if (rest && find(t, f))
          rest = fitInFactor(*rest, shards, t, f);
        if (!rest)
          return std::nullopt;
        x = *rest;
      }
      return x;
    });
    for (int64_t t = 0, n = layout->tensors.size(); t < n; ++t) {
      FactorSharding *s = find(t, f);
      if (s && listPrefix(s->axes, axes) == ListPrefix::Strict) {
        s->axes = axes;
        changed[t] = true;
      }
    }
  }
}

void FactorPropagation::aggressive() {
  int64_t numOperands = layout->numOperands();
  int64_t numTensors = layout->tensors.size();

  // If two factors compete for an axis, the first in this order gets it: the
  // one whose axes come from the larger tensor, then (elementwise ops only) the
  // one with more shards, then the one from the earlier tensor.
  struct Ranked {
    int32_t factor;
    int32_t source = -1;
    int64_t elements = -1;
    int64_t shards = 0;
  };
  llvm::SmallVector<Ranked, 6> order;
  for (int64_t f = 0, e = layout->numFactors(); f < e; ++f) {
    if (candidates[f].empty())
      continue;
    Ranked &r = order.emplace_back();
    r.factor = f;
    r.shards = options->isElementwise ? totalSize(candidates[f]) : 0;
    for (int64_t t = 0; t < numTensors; ++t) {
      const FactorSharding *s = find(t, f);
      if (s && listPrefix(candidates[f], s->axes) != ListPrefix::None &&
          layout->tensors[t].elements > r.elements) {
        r.source = t;
        r.elements = layout->tensors[t].elements;
      }
    }
  }
  if (order.size() > 1)
    llvm::sort(order, [](const Ranked &a, const Ranked &b) {
      return std::tuple(-a.elements, -a.shards, a.source, a.factor) <
             std::tuple(-b.elements, -b.shards, b.source, b.factor);
    });

  AxisList axes;
  auto extend = [&](int64_t t, int64_t f) {
    FactorSharding *s = find(t, f);
    if (!s)
      return;
    axes = candidates[f];
    truncate(axes, [&](AxisRef x, int64_t shards) {
      return fitInFactor(x, shards, t, f);
    });
    // An operand of an elementwise op takes only axes that a result could take,
    // because others would have to be resharded right away.
    if (options->isElementwise && t < numOperands)
      for (int64_t r = numOperands; r < numTensors; ++r)
        if (const FactorSharding *result = find(r, f))
          if (listPrefix(result->axes, axes) == ListPrefix::Strict)
            axes = result->axes;
    if (listPrefix(s->axes, axes) != ListPrefix::Strict)
      return;
    truncate(axes,
             [&](AxisRef x, int64_t) { return fitAmongFactors(x, t, f); });
    if (axes.empty() || listPrefix(s->axes, axes) != ListPrefix::Strict)
      return;
    s->axes = axes;
    changed[t] = true;
  };
  for (int64_t t = numOperands; t < numTensors; ++t)
    for (const Ranked &r : order)
      extend(t, r.factor);
  for (int64_t t = 0; t < numOperands; ++t)
    for (const Ranked &r : order)
      extend(t, r.factor);
}

llvm::ArrayRef<TensorUpdate>
FactorPropagation::run(const FactorLayout &newLayout,
                       llvm::ArrayRef<const TensorSharding *> newTensors,
                       const StepOptions &newOptions) {
  updates.clear();
  layout = &newLayout;
  tensors = newTensors;
  options = &newOptions;

  bool anyAxes = llvm::any_of(tensors, [](const TensorSharding *s) {
    return s && llvm::any_of(s->dims, [](const DimSharding &d) {
             return !d.axes.empty();
           });
  });
  if (!anyAxes || options->directions.isNone())
    return updates;

  int64_t numTensors = tensors.size();
  if (int64_t(projections.size()) < numTensors)
    projections.resize(numTensors);
  for (int64_t t = 0; t < numTensors; ++t)
    projections[t].assign(layout->tensors[t], layout->rule, tensors[t]);

  if (int64_t(candidates.size()) < layout->numFactors())
    candidates.resize(layout->numFactors());
  bool anyCandidate = false;
  for (int64_t f = 0, e = layout->numFactors(); f < e; ++f) {
    collectCandidate(f, candidates[f]);
    anyCandidate |= !candidates[f].empty();
  }
  if (!anyCandidate)
    return updates;

  changed.assign(numTensors, false);
  if (options->strategy == Strategy::Basic)
    basic();
  else
    aggressive();

  for (int64_t t = 0; t < numTensors; ++t) {
    if (!changed[t])
      continue;
    TensorSharding s =
        projections[t].toSharding(layout->tensors[t], layout->rule, tensors[t]);
    bool differs = tensors[t] ? s != *tensors[t]
                              : llvm::any_of(s.dims, [](const DimSharding &d) {
                                  return !d.axes.empty();
                                });
    if (differs)
      updates.push_back({int32_t(t), std::move(s)});
  }
  return updates;
}

} // namespace shardwright
