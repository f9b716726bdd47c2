//===- reshard_planner.cc - the cheapest way between two shardings --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both shardings are reduced to placements of atoms: what they share at the
// front of each dimension is set aside, the rest is cut so that equal parts are
// equal atoms. `reshard_search` walks from one placement to the other; here the
// atoms are made and the path is turned back into steps over axes.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard_planner.h"

#include "shardwright/partition/direct_exchange.h"
#include "shardwright/partition/reshard_search.h"
#include "shardwright/partition/uneven.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace shardwright;

namespace {

using DimAxes = llvm::SmallVector<AxisList, 4>;

DimAxes axesOf(const TensorSharding &sharding) {
  DimAxes dims;
  for (const DimSharding &dim : sharding.dims) {
    AxisList axes;
    for (AxisRef a : dim.axes)
      if (a.size > 1)
        axes.push_back(a);
    dims.push_back(std::move(axes));
  }
  return dims;
}

TensorSharding closedOf(const DimAxes &dims) {
  TensorSharding sharding = TensorSharding::closed(dims.size());
  for (auto [dim, axes] : llvm::zip(sharding.dims, dims))
    appendMerged(dim.axes, axes);
  return sharding;
}

/// Where the axis is cut by the refs of both sides, ascending.
llvm::SmallVector<int64_t, 8> boundaries(int32_t axis, const DimAxes &a,
                                         const DimAxes &b) {
  llvm::SmallVector<int64_t, 8> cuts;
  for (const DimAxes *side : {&a, &b})
    for (const AxisList &list : *side)
      for (AxisRef ref : list)
        if (ref.axis == axis)
          cuts.append({ref.preSize, ref.nextPreSize()});
  llvm::sort(cuts);
  cuts.erase(llvm::unique(cuts), cuts.end());
  return cuts;
}

bool isChain(llvm::ArrayRef<int64_t> cuts) {
  for (size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i] % cuts[i - 1] != 0)
      return false;
  return true;
}

/// Cuts every ref at the given boundaries of its axis.
void cutAt(DimAxes &dims, int32_t axis, llvm::ArrayRef<int64_t> cuts) {
  for (AxisList &list : dims) {
    AxisList out;
    for (AxisRef ref : list) {
      if (ref.axis == axis) {
        int64_t end = ref.nextPreSize();
        for (int64_t cut : cuts)
          if (cut > ref.preSize && cut < end) {
            out.push_back({axis, ref.preSize, cut / ref.preSize});
            ref = {axis, cut, end / cut};
          }
      }
      out.push_back(ref);
    }
    list = std::move(out);
  }
}

/// Drops from `from` the tails that cannot be expressed together with `to`.
/// Returns whether anything was dropped.
bool dropIncompatible(const Mesh &mesh, DimAxes &from, const DimAxes &to) {
  bool dropped = false;
  auto dropFrom = [&](auto isBad) {
    for (AxisList &list : from) {
      auto *bad = llvm::find_if(list, isBad);
      dropped |= bad != list.end();
      list.erase(bad, list.end());
    }
  };
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    if (isChain(boundaries(axis, from, to)))
      continue;
    dropFrom([&](AxisRef ref) {
      return ref.axis == axis && llvm::any_of(to, [&](const AxisList &list) {
               return llvm::any_of(
                   list, [&](AxisRef t) { return !canCoexist(ref, t); });
             });
    });
    if (!isChain(boundaries(axis, from, to)))
      dropFrom([&](AxisRef ref) { return ref.axis == axis; });
  }
  return dropped;
}

/// The atoms of a pair of cut shardings and both placements of them.
struct Atoms {
  llvm::SmallVector<AxisRef, 8> refs;
  /// What both sides share at the front of each dimension.
  DimAxes base;
  Placement from, to;
  llvm::SmallVector<int64_t, 8> sizes;
};

Atoms makeAtoms(const Mesh &mesh, DimAxes from, DimAxes to,
                llvm::ArrayRef<int64_t> shape) {
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    auto cuts = boundaries(axis, from, to);
    cutAt(from, axis, cuts);
    cutAt(to, axis, cuts);
  }
  Atoms atoms;
  auto idOf = [&](AxisRef ref) -> uint8_t {
    auto *it = llvm::find(atoms.refs, ref);
    if (it == atoms.refs.end()) {
      atoms.refs.push_back(ref);
      atoms.sizes.push_back(ref.size);
      return atoms.refs.size() - 1;
    }
    return it - atoms.refs.begin();
  };
  for (auto [f, t, n] : llvm::zip(from, to, shape)) {
    size_t common = 0;
    // Between uneven shards the way may lead over the whole dimension.
    bool even = n % totalSize(f) == 0 && n % totalSize(t) == 0;
    while ((even || f == t) && common < f.size() && common < t.size() &&
           f[common] == t[common])
      ++common;
    atoms.base.push_back(AxisList(f.begin(), f.begin() + common));
    auto &fromDim = atoms.from.dims.emplace_back();
    for (AxisRef ref : llvm::drop_begin(f, common))
      fromDim.push_back(idOf(ref));
    auto &toDim = atoms.to.dims.emplace_back();
    for (AxisRef ref : llvm::drop_begin(t, common))
      toDim.push_back(idOf(ref));
  }
  return atoms;
}

/// Splits every ref that is in both lists' way into prime parts, so that parts
/// of unequal axes can take each other's place.
void cutToPrimes(const Atoms &atoms, DimAxes &from, DimAxes &to) {
  for (AxisRef ref : atoms.refs) {
    llvm::SmallVector<int64_t, 8> cuts;
    int64_t pre = ref.preSize, rest = ref.size;
    for (int64_t p = 2; p * p <= rest; ++p)
      while (rest % p == 0 && rest != p) {
        pre *= p, rest /= p;
        cuts.push_back(pre);
      }
    cutAt(from, ref.axis, cuts);
    cutAt(to, ref.axis, cuts);
  }
}

/// Position of the end of each ref: how many shards there are so far.
llvm::SmallVector<int64_t, 8> ends(AxisRefs axes) {
  llvm::SmallVector<int64_t, 8> out;
  int64_t n = 1;
  for (AxisRef ref : axes)
    out.push_back(n *= ref.size);
  return out;
}

/// Cuts refs where a ref of the other side ends in the middle of them, as far
/// as sizes divide.
void cutToEachOther(const Mesh &mesh, DimAxes &from, DimAxes &to) {
  auto cutOne = [&](const DimAxes &a, const DimAxes &b) {
    for (auto [left, right] : llvm::zip(a, b)) {
      int64_t begin = 1;
      for (AxisRef ref : left) {
        int64_t end = begin * ref.size;
        for (int64_t at : ends(right)) {
          if (at <= begin || at >= end || at % begin != 0 || end % at != 0)
            continue;
          auto cuts = boundaries(ref.axis, from, to);
          cuts.push_back(ref.preSize * (at / begin));
          llvm::sort(cuts);
          if (!isChain(cuts))
            continue;
          cutAt(from, ref.axis, cuts);
          cutAt(to, ref.axis, cuts);
          return true;
        }
        begin = end;
      }
    }
    return false;
  };
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    auto cuts = boundaries(axis, from, to);
    cutAt(from, axis, cuts);
    cutAt(to, axis, cuts);
  }
  while (cutOne(from, to) || cutOne(to, from)) {
  }
}

/// Both sides over the segments of the dimensions: a dimension ends a segment
/// where the shards of both sides do.
struct Segments {
  llvm::SmallVector<int64_t, 8> sizes;
  DimAxes from, to;
};

Segments makeSegments(const DimAxes &from, const DimAxes &to,
                      llvm::ArrayRef<int64_t> shape) {
  Segments segments;
  auto add = [&](int64_t size, AxisRefs f, AxisRefs t) {
    segments.sizes.push_back(size);
    segments.from.push_back(AxisList(f));
    segments.to.push_back(AxisList(t));
  };
  for (auto [f, t, n] : llvm::zip(from, to, shape)) {
    int64_t fromShards = totalSize(f), toShards = totalSize(t);
    if (n == 0 || n % fromShards != 0 || n % toShards != 0) {
      add(n, f, t);
      continue;
    }
    auto fromEnds = ends(f), toEnds = ends(t);
    llvm::SmallVector<int64_t, 8> all(fromEnds);
    all.append(toEnds);
    llvm::sort(all);
    int64_t begin = 1;
    AxisRefs fromRest = f, toRest = t;
    // The refs of a side up to a position, off its front.
    auto take = [](AxisRefs &rest, int64_t count) {
      AxisRefs taken = rest;
      int64_t n = 1;
      while (!rest.empty() && n < count) {
        n *= rest.front().size;
        rest = rest.drop_front();
      }
      return taken.drop_back(rest.size());
    };
    for (int64_t at : all) {
      bool fits = (llvm::is_contained(fromEnds, at) || at % fromShards == 0) &&
                  (llvm::is_contained(toEnds, at) || at % toShards == 0);
      if (!fits || at == begin || at % begin != 0)
        continue;
      AxisRefs a = take(fromRest, at / begin), b = take(toRest, at / begin);
      add(at / begin, a, b);
      begin = at;
    }
    if (begin != n || n == 1)
      add(n / begin, fromRest, toRest);
  }
  return segments;
}

int64_t numPrimeFactors(int64_t n) {
  int64_t count = 0;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      ++count;
  return count + (n > 1);
}

DimAxes toAxes(const Atoms &atoms, const Placement &place) {
  DimAxes dims = atoms.base;
  for (auto [axes, ids] : llvm::zip(dims, place.dims))
    for (uint8_t id : ids)
      appendMerged(axes, atoms.refs[id]);
  return dims;
}

AxisList refsOf(const Atoms &atoms, llvm::ArrayRef<uint8_t> ids) {
  AxisList axes;
  for (uint8_t id : ids)
    appendMerged(axes, atoms.refs[id]);
  return axes;
}

/// The step that leads from one placement to the next.
ReshardStep makeStep(const Atoms &atoms, const Placement &prev,
                     const SearchStep &step) {
  ReshardStep out;
  const Placement &next = step.after;
  out.after = closedOf(toAxes(atoms, next));
  out.targetOrder = next.targetOrder;
  out.bytes = step.bytes;
  switch (step.move) {
  case SearchMove::Slice:
  case SearchMove::Gather: {
    bool slice = step.move == SearchMove::Slice;
    out.kind = slice ? ReshardStep::Slice : ReshardStep::Gather;
    for (auto [p, n] : llvm::zip(prev.dims, next.dims)) {
      llvm::ArrayRef<uint8_t> longer(slice ? n : p), shorter(slice ? p : n);
      out.axes.push_back(refsOf(atoms, longer.drop_front(shorter.size())));
    }
    break;
  }
  case SearchMove::Permute:
    out.kind = ReshardStep::Permute;
    break;
  case SearchMove::AllToAll:
    out.kind = ReshardStep::AllToAll;
    for (auto [s, p] : llvm::enumerate(prev.dims)) {
      if (next.dims[s].size() >= p.size())
        continue;
      uint8_t first = p[next.dims[s].size()];
      for (auto [t, q] : llvm::enumerate(next.dims)) {
        auto added = llvm::ArrayRef<uint8_t>(q).drop_front(
            std::min(q.size(), prev.dims[t].size()));
        if (llvm::is_contained(added, first))
          out.moves.push_back({refsOf(atoms, added), int64_t(s), int64_t(t)});
      }
    }
    break;
  }
  return out;
}

/// Where an all-to-all delivers its axes in another order: the permute that
/// puts them into that order.
std::optional<ReshardStep>
makeReorder(const Atoms &atoms, const Placement &prev, const SearchStep &step) {
  if (step.move != SearchMove::AllToAll)
    return std::nullopt;
  Placement ordered = prev;
  const Placement &next = step.after;
  for (auto [s, p] : llvm::enumerate(prev.dims)) {
    if (next.dims[s].size() >= p.size())
      continue;
    uint8_t first = p[next.dims[s].size()];
    for (auto [t, q] : llvm::enumerate(next.dims)) {
      auto added = llvm::ArrayRef<uint8_t>(q).drop_front(
          std::min(q.size(), prev.dims[t].size()));
      if (!llvm::is_contained(added, first))
        continue;
      ordered.dims[s].truncate(next.dims[s].size());
      ordered.dims[s].append(added.begin(), added.end());
    }
  }
  if (ordered == prev)
    return std::nullopt;
  ReshardStep out;
  out.kind = ReshardStep::Permute;
  out.after = closedOf(toAxes(atoms, ordered));
  out.targetOrder = ordered.targetOrder;
  out.withNext = true;
  return out;
}

std::string keyOf(const DimAxes &from, const DimAxes &to,
                  llvm::ArrayRef<int64_t> shape, double elementBytes,
                  bool changesOrder) {
  std::string key;
  auto add = [&](int64_t n) { key.append((const char *)&n, sizeof n); };
  for (const DimAxes *side : {&from, &to})
    for (const AxisList &list : *side) {
      add(list.size());
      for (AxisRef a : list)
        add(a.axis), add(a.preSize), add(a.size);
    }
  for (int64_t n : shape)
    add(n);
  add(int64_t(elementBytes * 8));
  add(changesOrder);
  return key;
}

} // namespace

/// Along which devices exchange in the step from `before`.
AxisList axesOf(const ReshardStep &step, const TensorSharding &before) {
  AxisList axes;
  if (step.kind == ReshardStep::Gather)
    for (const AxisList &list : step.axes)
      axes.append(list.begin(), list.end());
  for (const ReshardStep::Move &move : step.moves)
    axes.append(move.axes.begin(), move.axes.end());
  if (step.kind == ReshardStep::Permute)
    for (auto [was, is] : llvm::zip(before.dims, step.after.dims))
      if (was.axes != is.axes)
        for (const AxisList *list : {&was.axes, &is.axes})
          axes.append(list->begin(), list->end());
  return axes;
}

ReshardPlanner::ReshardPlanner(Mesh given, CostModel weights, Effort effort)
    : mesh(std::move(given)), costs(std::move(weights)), effort(effort) {
  for (const MeshAxis &axis : mesh.axes()) {
    auto own = costs.links.find(axis.name);
    links.push_back(own == costs.links.end() ? LinkCost{costs.alpha, 1}
                                             : own->second);
  }
}

AxisList ReshardPlanner::allAxes() const {
  AxisList axes;
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis)
    axes.push_back(mesh.fullAxis(axis));
  return axes;
}

LinkCost ReshardPlanner::linkOver(AxisRefs axes) const {
  LinkCost cost{0, 0};
  for (AxisRef axis : axes)
    if (axis.size > 1)
      cost = cost.with(links[axis.axis]);
  return cost;
}

const ReshardPlan &ReshardPlanner::plan(const TensorSharding &fromSharding,
                                        const TensorSharding &toSharding,
                                        llvm::ArrayRef<int64_t> shape,
                                        double elementBytes,
                                        bool changesOrder) {
  DimAxes from = axesOf(fromSharding), to = axesOf(toSharding);
  auto &slot = plans[keyOf(from, to, shape, elementBytes, changesOrder)];
  if (slot)
    return *slot;
  slot = std::make_unique<ReshardPlan>();
  ReshardPlan &plan = *slot;

  double total = elementBytes;
  for (int64_t n : shape)
    total *= double(n);
  auto localBytes = [&](const DimAxes &dims) {
    double local = total;
    for (const AxisList &list : dims)
      local /= double(totalSize(list));
    return local;
  };
  plan.peakBytes = std::max(localBytes(from), localBytes(to));

  // Parts that no common cut can express are gathered before anything else.
  DimAxes start = from;
  if (dropIncompatible(mesh, start, to)) {
    for (auto [n, f, s] : llvm::zip(shape, from, start))
      if (!refines(n, totalSize(s), totalSize(f)))
        s.clear();
    ReshardStep gather;
    gather.kind = ReshardStep::Gather;
    for (auto [f, s] : llvm::zip(from, start)) {
      AxisList lost;
      appendMerged(lost, AxisRefs(f).drop_front(s.size()));
      gather.axes.push_back(std::move(lost));
    }
    gather.after = closedOf(start);
    gather.bytes = localBytes(start) - localBytes(from);
    plan.peakBytes = std::max(plan.peakBytes, localBytes(start));
    plan.steps.push_back(std::move(gather));
  }

  auto search = [&](const Atoms &atoms, llvm::ArrayRef<int64_t> sizes,
                    bool movesTogether) {
    SearchProblem problem;
    problem.sizes = atoms.sizes;
    problem.from = atoms.from;
    problem.to = atoms.to;
    problem.from.targetOrder = !changesOrder;
    problem.to.targetOrder = true;
    if (llvm::any_of(links, [](LinkCost link) { return link != LinkCost(); }))
      for (AxisRef ref : atoms.refs)
        problem.links.push_back(links[ref.axis]);
    problem.orderLink = linkOver(allAxes());
    problem.baseBytes = localBytes(atoms.base);
    problem.movesTogether = movesTogether;
    problem.recipesOnly = effort == Effort::Fast;
    for (auto [n, base] : llvm::zip(sizes, atoms.base)) {
      problem.dimSizes.push_back(n);
      problem.baseShards.push_back(totalSize(base));
    }
    return searchReshard(problem);
  };

  Atoms atoms = makeAtoms(mesh, start, to, shape);
  SearchResult best = search(atoms, shape, /*movesTogether=*/false);
  auto isImprovable = [&] {
    return effort != Effort::Fast && best.communicates() &&
           best.cost > best.bound * (1 + 1e-4);
  };
  auto trySegments = [&](const DimAxes &from, const DimAxes &to) {
    Segments segments = makeSegments(from, to, shape);
    if (segments.sizes.size() == shape.size())
      return;
    Atoms other = makeAtoms(mesh, segments.from, segments.to, segments.sizes);
    SearchResult result = search(other, segments.sizes, /*movesTogether=*/true);
    if (result.cost >= best.cost * (1 - 1e-6))
      return;
    best = std::move(result);
    atoms = std::move(other);
    plan.segments = segments.sizes;
    plan.start = closedOf(segments.from);
  };
  DimAxes fineFrom = start, fineTo = to;
  cutToEachOther(mesh, fineFrom, fineTo);
  if (isImprovable())
    trySegments(fineFrom, fineTo);
  // Axes of unequal sizes can trade places only in parts.
  bool unequal = llvm::any_of(
      atoms.sizes, [&](int64_t size) { return size != atoms.sizes.front(); });
  int64_t primes = 0;
  for (int64_t size : atoms.sizes)
    primes += numPrimeFactors(size);
  if (unequal && primes <= 6 && primes > int64_t(atoms.sizes.size()) &&
      isImprovable()) {
    cutToPrimes(atoms, fineFrom, fineTo);
    Atoms fine = makeAtoms(mesh, fineFrom, fineTo, shape);
    SearchResult finer = search(fine, shape, /*movesTogether=*/false);
    if (finer.cost < best.cost * (1 - 1e-9)) {
      best = std::move(finer);
      atoms = std::move(fine);
      plan.segments.clear();
    }
    if (isImprovable())
      trySegments(fineFrom, fineTo);
  }

  const Placement *prev = &atoms.from;
  for (const SearchStep &step : best.steps) {
    if (auto reorder = makeReorder(atoms, *prev, step))
      plan.steps.push_back(std::move(*reorder));
    plan.steps.push_back(makeStep(atoms, *prev, step));
    plan.peakBytes =
        std::max(plan.peakBytes, localBytes(toAxes(atoms, step.after)));
    prev = &step.after;
  }
  const TensorSharding *before =
      plan.segments.empty() ? &fromSharding : &plan.start;
  for (const ReshardStep &step : plan.steps) {
    plan.bytes += step.bytes;
    if (step.kind != ReshardStep::Slice && !step.withNext)
      plan.cost +=
          (changesOrder ? linkOver(allAxes()) : linkOver(axesOf(step, *before)))
              .of(step.bytes);
    before = &step.after;
  }
  // What is gathered first counts against the plan, not the search.
  considerExchange(plan, fromSharding, toSharding, shape, elementBytes,
                   changesOrder, best.bound);
  return plan;
}

static int64_t localElements(const TensorSharding &sharding,
                             llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (auto [dim, n] : llvm::zip(sharding.dims, shape))
    elements *= shardSize(n, dim.shards());
  return elements;
}

void ReshardPlanner::considerExchange(ReshardPlan &plan,
                                      const TensorSharding &from,
                                      const TensorSharding &to,
                                      llvm::ArrayRef<int64_t> shape,
                                      double elementBytes, bool changesOrder,
                                      double bound) const {
  constexpr int64_t kMostDevices = 4096, kMostPieces = 64, kFewPieces = 4;
  // Few percent are not worth more rounds.
  constexpr double kWorthwhile = 0.98, kMuchBetter = 1 / 1.5;
  double larger = elementBytes * double(std::max(localElements(from, shape),
                                                 localElements(to, shape)));
  bool holdsMore = plan.peakBytes > larger * (1 + 1e-9);
  bool searchesLong = effort == Effort::Most;
  if (effort == Effort::Fast || plan.bytes == 0 || changesOrder ||
      mesh.numDevices() > kMostDevices ||
      !(searchesLong || holdsMore || plan.bytes * kMuchBetter > bound))
    return;
  int64_t pieces = exchangePieces(from, to, shape);
  if (pieces > (searchesLong || holdsMore ? kMostPieces : kFewPieces))
    return;
  double bytes = elementBytes * exchangeElements(mesh, from, mesh, to, shape);
  AxisList axes = from.allAxes();
  axes.append(to.allAxes());
  LinkCost link = linkOver(axes);
  double cost = link.byte * bytes + link.alpha * double(pieces);
  if (cost >=
      plan.cost * (searchesLong || holdsMore ? kWorthwhile : kMuchBetter))
    return;
  plan = {};
  plan.isDirect = true;
  plan.bytes = bytes;
  plan.cost = cost;
  plan.peakBytes = larger;
}
