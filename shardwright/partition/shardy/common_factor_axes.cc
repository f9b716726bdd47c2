//===- common_factor_axes.cc - axes that all tensors of an op take -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/common_factor_axes.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace shardwright {

std::optional<FactorAxes> agreedFactorAxes(const OpFactors &op) {
  FactorAxes axes;
  AxisList used;
  for (int64_t f = 0, e = op.layout->numFactors(); f < e; ++f) {
    AxisList *agreed = nullptr;
    for (int64_t t = 0, n = op.tensors.size(); t < n; ++t) {
      const FactorSharding *s = op.find(t, f);
      if (!s)
        continue;
      if (!s->overflow.empty() || (agreed && *agreed != s->axes))
        return std::nullopt;
      if (!agreed)
        agreed = &axes.emplace_back(s->axes);
    }
    if (!agreed)
      agreed = &axes.emplace_back();
    if (!agreed->empty() &&
        op.layout->rule.factors[f].kind == FactorKind::NeedReplication)
      return std::nullopt;
    for (AxisRef x : *agreed)
      if (overlaps(x, used))
        return std::nullopt;
    used.append(*agreed);
  }
  return axes;
}

namespace {

/// The longest leading part of `axes` that overlaps none of `taken`.
AxisList prefixFreeOf(AxisRefs axes, AxisRefs taken) {
  AxisList result;
  for (AxisRef x : axes) {
    std::optional<AxisRef> rest = x;
    for (AxisRef y : taken)
      if (rest)
        rest = prefixWithoutOverlap(*rest, y);
    if (rest)
      result.push_back(*rest);
    if (!rest || *rest != x)
      break;
  }
  return result;
}

int64_t numNonScalars(const OpFactors &op) {
  return llvm::count_if(op.layout->tensors, [](const FactorLayout::Tensor &t) {
    return t.rank() > 0;
  });
}

/// Two tensors, every dimension one factor, nothing to replicate: one of them
/// decides.
bool isUnary(const OpFactors &op) {
  if (numNonScalars(op) != 2 ||
      op.layout->rule.hasKind(FactorKind::NeedReplication))
    return false;
  return llvm::all_of(op.layout->tensors, [](const FactorLayout::Tensor &t) {
    return int64_t(t.factorOfPlace.size()) == t.rank();
  });
}

FactorAxes chooseUnary(const OpFactors &op) {
  using Rank = std::tuple<bool, int64_t, int64_t>;
  int64_t preferred = -1;
  Rank best;
  for (int64_t t = 0, n = op.tensors.size(); t < n; ++t) {
    const FactorLayout::Tensor &layout = op.layout->tensors[t];
    if (layout.rank() == 0)
      continue;
    bool noPermutation = true;
    int64_t shards = 1;
    for (auto [place, s] : llvm::enumerate(op.tensors[t].places)) {
      shards *= totalSize(s.axes);
      if (!s.axes.empty() &&
          op.layout->rule.factors[layout.factorOfPlace[place]].kind ==
              FactorKind::Permutation)
        noPermutation = false;
    }
    Rank rank{noPermutation, op.elements[t], shards};
    if (preferred < 0 || rank > best) {
      preferred = t;
      best = rank;
    }
  }
  FactorAxes axes(op.layout->numFactors());
  AxisList taken;
  for (int64_t f = 0, e = op.layout->numFactors(); f < e; ++f)
    if (const FactorSharding *s = op.find(preferred, f)) {
      axes[f] = s->axes;
      taken.append(s->axes);
    }
  for (int64_t f = 0, e = op.layout->numFactors(); f < e; ++f) {
    if (op.find(preferred, f))
      continue;
    for (int64_t t = 0, n = op.tensors.size(); t < n; ++t)
      if (const FactorSharding *s = op.find(t, f))
        axes[f] = prefixFreeOf(s->axes, taken);
  }
  return axes;
}

struct Candidate {
  int32_t factor;
  AxisList axes;
  int64_t weight = 0;
};

int precedence(FactorKind kind) {
  switch (kind) {
  case FactorKind::PassThrough:
    return 3;
  case FactorKind::Reduction:
    return 2;
  case FactorKind::Permutation:
    return 1;
  case FactorKind::NeedReplication:
    return 0;
  }
  return 0;
}

class Heuristic {
public:
  explicit Heuristic(const OpFactors &op)
      : op(op), rule(op.layout->rule), assigned(op.layout->numFactors()) {}

  FactorAxes run() {
    collect();
    for (;;) {
      const Candidate *best = nullptr;
      for (const Candidate &c : candidates)
        if (isValid(c) && (!best || isBetter(c, *best)))
          best = &c;
      if (!best)
        break;
      take(Candidate(*best));
    }
    moveReplicated();
    return assigned;
  }

private:
  void collect() {
    for (int64_t t = 0, n = op.tensors.size(); t < n; ++t)
      for (int64_t f = 0, e = op.layout->numFactors(); f < e; ++f) {
        const FactorSharding *s = op.find(t, f);
        if (!s)
          continue;
        for (size_t i = 1; i <= s->axes.size(); ++i) {
          AxisRefs prefix = AxisRefs(s->axes).take_front(i);
          if (llvm::any_of(candidates, [&](const Candidate &c) {
                return c.factor == f && AxisRefs(c.axes) == prefix;
              }))
            continue;
          Candidate &c = candidates.emplace_back();
          c.factor = f;
          c.axes.assign(prefix.begin(), prefix.end());
        }
      }
    for (Candidate &c : candidates)
      for (int64_t t = 0, n = op.tensors.size(); t < n; ++t)
        if (const FactorSharding *s = op.find(t, c.factor))
          if (listPrefix(c.axes, s->axes) != ListPrefix::None)
            c.weight += op.elements[t];
  }

  /// Major factors of the same dimension must be used up first.
  bool isValid(const Candidate &c) const {
    for (const FactorLayout::Tensor &layout : op.layout->tensors) {
      int32_t place = layout.placeOfFactor[c.factor];
      if (place < 0 || llvm::is_contained(layout.dimBegin, place))
        continue;
      int32_t major = layout.factorOfPlace[place - 1];
      if (totalSize(assigned[major]) != rule.factors[major].size)
        return false;
    }
    return true;
  }

  int64_t furtherShards(const Candidate &c) const {
    return totalSize(c.axes) / totalSize(assigned[c.factor]);
  }

  bool isBetter(const Candidate &a, const Candidate &b) const {
    auto rank = [&](const Candidate &c) {
      return std::tuple(c.weight, precedence(rule.factors[c.factor].kind),
                        furtherShards(c), c.factor, c.axes.size());
    };
    if (rank(a) != rank(b))
      return rank(a) > rank(b);
    for (auto [x, y] : llvm::zip_equal(a.axes, b.axes)) {
      if (x == y)
        continue;
      auto key = [&](AxisRef r) {
        return std::tuple(op.mesh->axisName(r.axis), r.preSize, r.size);
      };
      return key(x) > key(y);
    }
    return false;
  }

  void take(const Candidate &pick) {
    assigned[pick.factor] = pick.axes;
    llvm::erase_if(candidates, [&](Candidate &c) {
      if (c.factor != pick.factor)
        c.axes = prefixFreeOf(c.axes, pick.axes);
      // Only what goes beyond the factor's axes is of interest.
      return listPrefix(assigned[c.factor], c.axes) != ListPrefix::Strict;
    });
  }

  /// Factors that need replication give their axes to batching factors with
  /// room, if all tensors hold them.
  void moveReplicated() {
    for (int64_t f = 0, e = assigned.size(); f < e; ++f) {
      if (rule.factors[f].kind != FactorKind::NeedReplication)
        continue;
      AxisList axes = std::move(assigned[f]);
      assigned[f].clear();
      if (!rule.inAllNonScalars(f))
        continue;
      size_t next = 0;
      for (int64_t b = 0; b < e && next < axes.size(); ++b) {
        int64_t size = rule.factors[b].size;
        int64_t shards = totalSize(assigned[b]);
        if (!rule.isBatching(b) || size == 0 || size % shards != 0)
          continue;
        while (next < axes.size() && (size / shards) % axes[next].size == 0) {
          shards *= axes[next].size;
          appendMerged(assigned[b], axes[next++]);
        }
      }
    }
  }

  const OpFactors &op;
  const ShardingRule &rule;
  FactorAxes assigned;
  llvm::SmallVector<Candidate> candidates;
};

} // namespace

FactorAxes chooseFactorAxes(const OpFactors &op) {
  if (std::optional<FactorAxes> agreed = agreedFactorAxes(op))
    return *agreed;
  if (isUnary(op))
    return chooseUnary(op);
  return Heuristic(op).run();
}

} // namespace shardwright
