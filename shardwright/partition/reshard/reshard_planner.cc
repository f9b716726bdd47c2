//===- reshard_planner.cc - cheapest path between two shardings -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `reshard_atoms` turns both shardings into placements of atoms,
// `reshard_search` finds a path between them. This file turns the path back
// into steps over axes, and takes the cheapest of several ways to cut the axes.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/reshard_planner.h"

#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/partition/reshard/direct_exchange.h"
#include "shardwright/partition/reshard/reshard_atoms.h"
#include "shardwright/partition/reshard/reshard_search.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace shardwright;
using namespace shardwright::reshard;

namespace {

int64_t numPrimeFactors(int64_t n) {
  int64_t count = 0;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      ++count;
  return count + (n > 1);
}

/// Calls `visit` for each pair of dimensions between which an all-to-all moves
/// axes, with the axes that dimension `t` gets from dimension `s`.
template <typename Fn>
void forEachMovedDim(const Placement &prev, const Placement &next, Fn visit) {
  for (auto [s, p] : llvm::enumerate(prev.dims)) {
    if (next.dims[s].size() >= p.size())
      continue;
    uint8_t first = p[next.dims[s].size()];
    for (auto [t, q] : llvm::enumerate(next.dims)) {
      auto added = llvm::ArrayRef<uint8_t>(q).drop_front(
          std::min(q.size(), prev.dims[t].size()));
      if (llvm::is_contained(added, first))
        visit(int64_t(s), int64_t(t), added);
    }
  }
}

/// The step from one placement to the next.
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
    forEachMovedDim(prev, next,
                    [&](int64_t s, int64_t t, llvm::ArrayRef<uint8_t> added) {
                      out.moves.push_back({refsOf(atoms, added), s, t});
                    });
    break;
  }
  return out;
}

/// If the all-to-all delivers its axes in another order: the permute that
/// restores the order.
std::optional<ReshardStep>
makeReorder(const Atoms &atoms, const Placement &prev, const SearchStep &step) {
  if (step.move != SearchMove::AllToAll)
    return std::nullopt;
  Placement ordered = prev;
  const Placement &next = step.after;
  forEachMovedDim(prev, next,
                  [&](int64_t s, int64_t, llvm::ArrayRef<uint8_t> added) {
                    ordered.dims[s].truncate(next.dims[s].size());
                    ordered.dims[s].append(added.begin(), added.end());
                  });
  if (ordered == prev)
    return std::nullopt;
  ReshardStep out;
  out.kind = ReshardStep::Permute;
  out.after = closedOf(toAxes(atoms, ordered));
  out.targetOrder = ordered.targetOrder;
  out.withNext = true;
  return out;
}

std::string keyOf(const DimAxes &from, const DimAxes &to, AxisRefs unreduced,
                  llvm::ArrayRef<int64_t> shape, double elementBytes,
                  bool changesOrder) {
  std::string key;
  auto add = [&](int64_t n) { key.append((const char *)&n, sizeof n); };
  auto addAxes = [&](AxisRefs axes) {
    add(axes.size());
    for (AxisRef a : axes)
      add(a.axis), add(a.preSize), add(a.size);
  };
  for (const DimAxes *side : {&from, &to})
    for (const AxisList &list : *side)
      addAxes(list);
  addAxes(unreduced);
  for (int64_t n : shape)
    add(n);
  add(int64_t(elementBytes * 8));
  add(changesOrder);
  return key;
}

} // namespace

/// The axes along which devices exchange data in the step from `before`.
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
  for (const MeshAxis &axis : mesh.axes())
    links.push_back(costs.machine
                        ? LinkCost::onMachine(*costs.machine,
                                              costs.machine->linkOf(axis.name))
                        : LinkCost{costs.alpha, 1});
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

namespace {

/// Finds the steps of one plan; each way to search is a function. `best` is the
/// best result so far, `atoms` the atoms that its steps move.
class StepFinder {
public:
  /// `links`: by axis; `orderLink`: between meshes with different device
  /// orders.
  StepFinder(const ReshardPlanner &planner, llvm::ArrayRef<LinkCost> links,
             LinkCost orderLink, ReshardPlan &plan, const DimAxes &from,
             const DimAxes &to, llvm::ArrayRef<int64_t> shape,
             double elementBytes, bool changesOrder)
      : mesh(planner.getMesh()), effort(planner.getEffort()), links(links),
        orderLink(orderLink), plan(plan), from(from), to(to), shape(shape),
        total(elementBytes), changesOrder(changesOrder), start(from) {
    for (int64_t n : shape)
      total *= double(n);
    plan.peakBytes = std::max(localBytes(from), localBytes(to));
  }

  /// Gathers the sub-axes that have no common cut with the target first.
  void gatherIncompatible();
  void searchWhole();
  void searchSegments();
  /// Searches on prime sub-axes: axes of unequal sizes can trade places only in
  /// such parts.
  void searchPrimes();
  void toSteps();
  /// Bytes of the full-size value.
  double totalBytes() const { return total; }

  SearchResult best;

private:
  double localBytes(const DimAxes &dims) const {
    double local = total;
    for (const AxisList &list : dims)
      local /= double(totalSize(list));
    return local;
  }
  SearchResult search(const Atoms &atoms, llvm::ArrayRef<int64_t> sizes,
                      bool movesTogether) const;
  bool isImprovable() const {
    return effort != Effort::Fast && best.communicates() &&
           best.cost > best.bound * (1 + 1e-4);
  }

  const Mesh &mesh;
  Effort effort;
  llvm::ArrayRef<LinkCost> links;
  LinkCost orderLink;
  ReshardPlan &plan;
  const DimAxes &from, &to;
  llvm::ArrayRef<int64_t> shape;
  double total;
  bool changesOrder;
  /// Set by gatherIncompatible(): the start, and both sides cut where the other
  /// ends.
  DimAxes start, fineFrom, fineTo;
  Atoms atoms;
};

void StepFinder::gatherIncompatible() {
  if (!dropIncompatible(mesh, start, to))
    return;
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
  plan.firstOnSegments = 1;
}

SearchResult StepFinder::search(const Atoms &atoms,
                                llvm::ArrayRef<int64_t> sizes,
                                bool movesTogether) const {
  SearchProblem problem;
  problem.sizes = atoms.sizes;
  problem.from = atoms.from;
  problem.to = atoms.to;
  problem.from.targetOrder = !changesOrder;
  problem.to.targetOrder = true;
  if (llvm::any_of(links,
                   [](const LinkCost &link) { return link != LinkCost(); }))
    for (AxisRef ref : atoms.refs)
      problem.links.push_back(links[ref.axis]);
  problem.orderLink = orderLink;
  problem.baseBytes = localBytes(atoms.base);
  problem.movesTogether = movesTogether;
  problem.recipesOnly = effort == Effort::Fast;
  for (auto [n, base] : llvm::zip(sizes, atoms.base)) {
    problem.dimSizes.push_back(n);
    problem.baseShards.push_back(totalSize(base));
  }
  return searchReshard(problem);
}

void StepFinder::searchWhole() {
  atoms = makeAtoms(mesh, start, to, shape);
  best = search(atoms, shape, /*movesTogether=*/false);
  fineFrom = start;
  fineTo = to;
  cutToEachOther(mesh, fineFrom, fineTo);
}

void StepFinder::searchSegments() {
  if (!isImprovable())
    return;
  Segments segments = makeSegments(fineFrom, fineTo, shape);
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
}

void StepFinder::searchPrimes() {
  bool unequal = llvm::any_of(
      atoms.sizes, [&](int64_t size) { return size != atoms.sizes.front(); });
  int64_t primes = 0;
  for (int64_t size : atoms.sizes)
    primes += numPrimeFactors(size);
  if (!unequal || primes > 6 || primes <= int64_t(atoms.sizes.size()) ||
      !isImprovable())
    return;
  cutToPrimes(atoms, fineFrom, fineTo);
  Atoms fine = makeAtoms(mesh, fineFrom, fineTo, shape);
  SearchResult finer = search(fine, shape, /*movesTogether=*/false);
  if (finer.cost < best.cost * (1 - 1e-9)) {
    best = std::move(finer);
    atoms = std::move(fine);
    plan.segments.clear();
  }
  searchSegments();
}

void StepFinder::toSteps() {
  const Placement *prev = &atoms.from;
  for (const SearchStep &step : best.steps) {
    if (auto reorder = makeReorder(atoms, *prev, step))
      plan.steps.push_back(std::move(*reorder));
    plan.steps.push_back(makeStep(atoms, *prev, step));
    plan.peakBytes =
        std::max(plan.peakBytes, localBytes(toAxes(atoms, step.after)));
    prev = &step.after;
  }
}

} // namespace

static CollectiveKind collectiveOf(ReshardStep::Kind kind) {
  switch (kind) {
  case ReshardStep::Gather:
    return CollectiveKind::AllGather;
  case ReshardStep::AllToAll:
    return CollectiveKind::AllToAll;
  case ReshardStep::Slice:
  case ReshardStep::Permute:
    break;
  }
  return CollectiveKind::Permute;
}

/// Adds the bytes and costs of the steps for a value of `total` bytes.
/// `orderLink`, if not null, is the link of each step.
static void addCosts(ReshardPlan &plan, const TensorSharding &from,
                     double total, const ReshardPlanner &planner,
                     const LinkCost *orderLink) {
  const TensorSharding *before = &from;
  for (auto [i, step] : llvm::enumerate(plan.steps)) {
    if (!plan.segments.empty() && i == plan.firstOnSegments)
      before = &plan.start;
    plan.bytes += step.bytes;
    if (step.kind != ReshardStep::Slice && !step.withNext) {
      AxisList axes = axesOf(step, *before);
      double local = total;
      for (const DimSharding &dim : before->dims)
        local /= double(dim.shards());
      plan.cost +=
          (orderLink ? *orderLink : planner.linkOver(axes))
              .of(collectiveOf(step.kind), local, step.bytes, totalSize(axes));
    }
    before = &step.after;
  }
}

const ReshardPlan &ReshardPlanner::plan(const TensorSharding &fromSharding,
                                        const TensorSharding &toSharding,
                                        llvm::ArrayRef<int64_t> shape,
                                        double elementBytes,
                                        bool changesOrder) {
  DimAxes from = axesOf(fromSharding), to = axesOf(toSharding);
  auto &slot = plans[keyOf(from, to, fromSharding.unreduced, shape,
                           elementBytes, changesOrder)];
  if (slot)
    return *slot;
  slot = std::make_unique<ReshardPlan>();
  ReshardPlan &plan = *slot;

  LinkCost orderLink = linkOver(allAxes());
  StepFinder finder(*this, links, orderLink, plan, from, to, shape,
                    elementBytes, changesOrder);
  finder.gatherIncompatible();
  finder.searchWhole();
  finder.searchSegments();
  finder.searchPrimes();
  finder.toSteps();
  addCosts(plan, fromSharding, finder.totalBytes(), *this,
           changesOrder ? &orderLink : nullptr);
  // `bound` excludes the gather before the search, which counts against the
  // plan.
  TensorSharding end = toSharding;
  end.unreduced = fromSharding.unreduced;
  considerExchange(plan, fromSharding, end, shape, elementBytes, changesOrder,
                   costs.machine ? finder.best.leastBytes : finder.best.bound);
  return plan;
}

double shardwright::exchangeCost(const LinkCost &link, double bytes,
                                 int64_t pieces) {
  if (!link.machine)
    return link.byte * bytes + link.alpha * double(pieces);
  // Each piece is cut out, sent, and written to its place.
  double rounds = std::max(double(pieces), 1.0);
  double move = link.machine->memorySeconds(2 * bytes / rounds) +
                link.machine->operationSeconds;
  return rounds * (2 * move + link.of(CollectiveKind::Permute, bytes / rounds,
                                      bytes / rounds, /*members=*/2));
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
  // A few percent do not justify more rounds.
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
  double cost = exchangeCost(linkOver(axes), bytes, pieces);
  if (cost >=
      plan.cost * (searchesLong || holdsMore ? kWorthwhile : kMuchBetter))
    return;
  plan = {};
  plan.isDirect = true;
  plan.bytes = bytes;
  plan.cost = cost;
  plan.peakBytes = larger;
}
