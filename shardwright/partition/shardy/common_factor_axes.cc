//===- common_factor_axes.cc - common axes of each factor of an op --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/common_factor_axes.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
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

/// The longest prefix of `axes` that overlaps none of `taken`.
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

/// True for two tensors whose dimensions have one factor each, without factors
/// that need replication: then one of them determines the axes.
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
  /// Shards beyond the factor's own. As in Shardy, updated only for the factor
  /// picked last; for all others it is the product of the axes.
  int64_t furtherShards = 0;
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
    for (Candidate &c : candidates) {
      c.furtherShards = totalSize(c.axes);
      for (int64_t t = 0, n = op.tensors.size(); t < n; ++t)
        if (const FactorSharding *s = op.find(t, c.factor))
          if (listPrefix(c.axes, s->axes) != ListPrefix::None)
            c.weight += op.elements[t];
    }
  }

  /// True if the major factors of the same dimension are used up.
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

  bool isBetter(const Candidate &a, const Candidate &b) const {
    auto rank = [&](const Candidate &c) {
      return std::tuple(c.weight, precedence(rule.factors[c.factor].kind),
                        c.furtherShards, c.factor, c.axes.size());
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
      c.furtherShards = totalSize(c.axes);
      if (c.factor == pick.factor)
        c.furtherShards /= totalSize(pick.axes);
      // Keep only candidates that extend the factor's axes.
      return listPrefix(assigned[c.factor], c.axes) != ListPrefix::Strict;
    });
  }

  /// Moves the axes of factors that need replication to batching factors that
  /// have room, if all tensors have these.
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

bool hasOverflow(const TensorProjection &tensor) {
  return llvm::any_of(tensor.places, [](const FactorSharding &s) {
    return !s.overflow.empty();
  });
}

/// Distributes `axes` over the factors of one tensor: each axis goes, in parts,
/// to the first factors that it divides. After an axis that does not fit
/// completely, the rest goes to the last factor.
FactorAxes handOut(const FactorLayout &layout,
                   const FactorLayout::Tensor &tensor, AxisRefs axes) {
  FactorAxes result(layout.numFactors());
  llvm::ArrayRef<int32_t> factors = tensor.factorOfPlace;
  if (factors.empty())
    return result;
  llvm::SmallVector<int64_t> room;
  for (const Factor &f : layout.rule.factors)
    room.push_back(f.size);
  for (size_t i = 0; i < axes.size(); ++i) {
    AxisRef x = axes[i];
    for (int32_t f : factors) {
      int64_t g = std::gcd(room[f], x.size);
      if (g <= 1)
        continue;
      appendMerged(result[f], AxisRef{x.axis, x.preSize, g});
      room[f] /= g;
      x.preSize *= g;
      x.size /= g;
    }
    if (x.size == 1)
      continue;
    appendMerged(result[factors.back()], x);
    appendMerged(result[factors.back()], axes.drop_front(i + 1));
    break;
  }
  return result;
}

/// Removes the axes of factors whose major neighbour in some dimension is not
/// fully sharded, which would give strided shards.
void dropStrided(const FactorLayout &layout, FactorAxes &axes) {
  for (const FactorLayout::Tensor &tensor : layout.tensors)
    for (int64_t d = 0, e = tensor.rank(); d < e; ++d) {
      bool full = true;
      for (int32_t p = tensor.dimBegin[d]; p < tensor.dimBegin[d + 1]; ++p) {
        int32_t f = tensor.factorOfPlace[p];
        if (!full)
          axes[f].clear();
        full &= totalSize(axes[f]) == layout.rule.factors[f].size;
      }
    }
}

/// The axes of the side with more shards, as far as both sides can express
/// them.
FactorAxes chooseForReshape(const OpFactors &op) {
  auto axesOf = [&](int64_t t) {
    AxisList axes;
    for (const FactorSharding &s : op.tensors[t].places) {
      appendMerged(axes, s.axes);
      appendMerged(axes, s.overflow);
    }
    return axes;
  };
  AxisList operand = axesOf(0), result = axesOf(1);
  AxisList &preferred =
      totalSize(result) > totalSize(operand) ? result : operand;
  FactorAxes a = handOut(*op.layout, op.layout->tensors[0], preferred);
  FactorAxes b = handOut(*op.layout, op.layout->tensors[1], preferred);
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    size_t n = 0;
    while (n < x.size() && n < y.size() && x[n] == y[n])
      ++n;
    // The first axes that differ may have a common prefix.
    std::optional<AxisRef> part;
    if (n < x.size() && n < y.size())
      part = commonPrefix(x[n], y[n]);
    x.truncate(n);
    if (part)
      x.push_back(*part);
  }
  dropStrided(*op.layout, a);
  return a;
}

} // namespace

FactorAxes chooseFactorAxes(const OpFactors &op) {
  if (std::optional<FactorAxes> agreed = agreedFactorAxes(op))
    return *agreed;
  if (op.isReshape && llvm::any_of(op.tensors, hasOverflow))
    return chooseForReshape(op);
  if (isUnary(op))
    return chooseUnary(op);
  return Heuristic(op).run();
}

} // namespace shardwright
