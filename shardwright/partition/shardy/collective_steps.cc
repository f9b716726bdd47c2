//===- collective_steps.cc - Shardy's steps of a reshard ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common prefix of both sides in each dimension stays. Of the rest, `in`
// holds the axes to remove and `out` the axes to add; an axis of `in` may have
// a destination in `out`. Axes are cut so that overlapping axes are equal.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/collective_steps.h"
#include "shardwright/partition/reshard/uneven_dims.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace shardwright;

namespace {

using Dims = llvm::SmallVector<llvm::SmallVector<AxisRef, 4>, 4>;
using Refs = llvm::SmallVector<AxisRef, 4>;

bool divide(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

class Rounds {
public:
  Rounds(const TensorSharding &from, const TensorSharding &to,
         llvm::ArrayRef<int64_t> shape, bool changesOrder, bool keepsPadding);
  /// Returns true if it reaches the target.
  bool run();

  std::vector<ReshardStep> steps;

private:
  struct Place {
    int64_t dim = 0, index = 0;
  };
  int64_t rank() const { return in.size(); }
  bool isDone() const {
    auto empty = [](const Refs &refs) { return refs.empty(); };
    return inTargetOrder && isWhole.none() && llvm::all_of(in, empty) &&
           llvm::all_of(out, empty);
  }
  std::optional<Place> destination(AxisRef a) const {
    for (const auto &[ref, place] : destinations)
      if (ref == a)
        return place;
    return std::nullopt;
  }
  bool isIn(AxisRef a) const { return llvm::is_contained(present, a); }
  void findDestinations();

  /// The part of an axis that fits into a capacity, and the rest. The capacity
  /// is divided by the part.
  struct Fit {
    AxisRef part;
    std::optional<AxisRef> rest;
  };
  static std::optional<Fit> fit(AxisRef a, int64_t &capacity);
  void distribute(Refs &list, llvm::ArrayRef<int64_t> dims,
                  llvm::MutableArrayRef<int64_t> capacities, bool atFront,
                  llvm::function_ref<void(int64_t dim, AxisRef)> placed);

  ReshardStep newStep(ReshardStep::Kind kind);
  void slice();
  bool needsPermute() const;
  void permute();
  void allToAlls(bool inOrder);
  void gather();
  void addWholeDims();

  llvm::ArrayRef<int64_t> shape;
  bool inTargetOrder;
  Dims in, out, current;
  /// What the first round gathers whole, and the axes to add in the second.
  llvm::SmallBitVector isWhole, mayLeave;
  Dims later;
  /// Axes in `in`, as far as Shardy's algorithm tracks them.
  Refs present;
  llvm::SmallVector<std::pair<AxisRef, Place>, 8> destinations;
};

Rounds::Rounds(const TensorSharding &from, const TensorSharding &to,
               llvm::ArrayRef<int64_t> shape, bool changesOrder,
               bool keepsPadding)
    : shape(shape), inTargetOrder(!changesOrder) {
  for (auto [f, t] : llvm::zip(from.dims, to.dims)) {
    in.emplace_back(f.axes.begin(), f.axes.end());
    out.emplace_back(t.axes.begin(), t.axes.end());
  }
  bool any = true;
  while (any) {
    any = false;
    for (Refs &axes : in)
      any |= cutAxes(axes, out);
    for (Refs &axes : out)
      any |= cutAxes(axes, in);
  }
  isWhole.resize(rank());
  mayLeave.resize(rank());
  if (keepsPadding) {
    WholeDims whole = findWholeDims(in, out, shape);
    isWhole = whole.gathered;
    mayLeave = whole.mayLeave;
  }
  later.resize(in.size());
  for (auto [d, i, o] : llvm::enumerate(in, out)) {
    size_t common = 0;
    if (isWhole[d])
      std::swap(later[d], o);
    while (common < i.size() && common < o.size() && i[common] == o[common])
      ++common;
    current.push_back(i);
    i.erase(i.begin(), i.begin() + common);
    o.erase(o.begin(), o.begin() + common);
    present.append(i.begin(), i.end());
  }
  findDestinations();
}

void Rounds::findDestinations() {
  destinations.clear();
  for (auto [d, axes] : llvm::enumerate(out))
    for (auto [j, a] : llvm::enumerate(axes))
      destinations.push_back({a, {int64_t(d), int64_t(j)}});
}

std::optional<Rounds::Fit> Rounds::fit(AxisRef a, int64_t &capacity) {
  if (capacity <= 1 || !divide(a.size, capacity))
    return std::nullopt;
  if (a.size <= capacity) {
    capacity /= a.size;
    return Fit{a, std::nullopt};
  }
  AxisRef part{a.axis, a.preSize, capacity};
  AxisRef rest{a.axis, a.preSize * capacity, a.size / capacity};
  capacity = 1;
  return Fit{part, rest};
}

void Rounds::distribute(Refs &list, llvm::ArrayRef<int64_t> dims,
                        llvm::MutableArrayRef<int64_t> capacities, bool atFront,
                        llvm::function_ref<void(int64_t dim, AxisRef)> placed) {
  bool isSplit = false;
  for (int64_t d : dims) {
    size_t inserted = 0;
    for (size_t i = 0; i < list.size() && capacities[d] > 1;) {
      auto taken = fit(list[i], capacities[d]);
      if (!taken) {
        ++i;
        continue;
      }
      list.erase(list.begin() + i);
      if (atFront)
        in[d].insert(in[d].begin() + inserted++, taken->part);
      else
        in[d].push_back(taken->part);
      present.push_back(taken->part);
      placed(d, taken->part);
      if (taken->rest) {
        list.insert(list.begin(), *taken->rest);
        isSplit = true;
      }
    }
  }
  if (isSplit)
    for (Refs &axes : out)
      cutAxes(axes, in);
}

ReshardStep Rounds::newStep(ReshardStep::Kind kind) {
  ReshardStep step;
  step.kind = kind;
  step.targetOrder = inTargetOrder;
  step.after = TensorSharding::closed(rank());
  for (auto [dim, axes] : llvm::zip(step.after.dims, current))
    appendMerged(dim.axes, AxisRefs(axes));
  return step;
}

void Rounds::slice() {
  llvm::SmallVector<int64_t, 4> capacity;
  for (auto [i, o] : llvm::zip(in, out)) {
    int64_t wants = totalSize(o);
    capacity.push_back(wants / std::gcd(totalSize(i), wants));
  }
  Dims sliced(rank());
  auto put = [&](int64_t d, AxisRef a) {
    current[d].push_back(a);
    sliced[d].push_back(a);
  };
  for (unsigned d : isWhole.set_bits())
    capacity[d] = 1;
  // If an all-to-all will move an axis in front of other axes of the target,
  // slice those along the source dimension so that they move along.
  for (int64_t s = 0; s < rank(); ++s) {
    if (in[s].empty() || !out[s].empty() || isWhole[s])
      continue;
    auto last = destination(in[s].back());
    if (!last || !in[last->dim].empty())
      continue;
    const Refs &target = out[last->dim];
    size_t k = last->index + 1;
    if (k >= target.size() || isIn(target[k]))
      continue;
    size_t agreeing = 0;
    int64_t common = 1;
    while (agreeing < in[s].size() && agreeing < k &&
           in[s][in[s].size() - 1 - agreeing] == target[k - 1 - agreeing])
      common *= target[k - 1 - agreeing++].size;
    if (llvm::any_of(llvm::ArrayRef(in[s]).drop_back(agreeing), [&](AxisRef a) {
          auto place = destination(a);
          return place && place->dim == last->dim;
        }))
      continue;
    Refs more;
    for (size_t j = k; j < target.size() && !isIn(target[j]); ++j)
      more.push_back(target[j]);
    if (shape[s] % (totalSize(current[s]) * totalSize(more)) != 0)
      continue;
    for (AxisRef a : more) {
      in[s].push_back(a);
      present.push_back(a);
      put(s, a);
    }
    capacity[last->dim] /= common * totalSize(more);
  }
  Refs available;
  for (int64_t d = 0; d < rank(); ++d)
    for (size_t j = 0; j < out[d].size();) {
      AxisRef a = out[d][j];
      if (isIn(a)) {
        ++j;
        continue;
      }
      auto taken = fit(a, capacity[d]);
      if (!taken) {
        available.push_back(a);
        ++j;
        continue;
      }
      put(d, taken->part);
      out[d][j] = taken->part;
      if (taken->rest)
        out[d].insert(out[d].begin() + j + 1, *taken->rest);
      if (in[d].empty() && j == 0) {
        out[d].erase(out[d].begin());
      } else {
        in[d].push_back(taken->part);
        present.push_back(taken->part);
        ++j;
      }
    }
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, rank()));
  distribute(available, all, capacity, /*atFront=*/false, put);
  findDestinations();
  if (llvm::all_of(sliced, [](const Refs &axes) { return axes.empty(); }))
    return;
  ReshardStep step = newStep(ReshardStep::Slice);
  for (const Refs &axes : sliced)
    appendMerged(step.axes.emplace_back(), AxisRefs(axes));
  steps.push_back(std::move(step));
}

bool Rounds::needsPermute() const {
  std::optional<AxisRef> leaving, coming;
  for (int64_t d = 0; d < rank(); ++d) {
    if (isWhole[d])
      continue;
    if (!in[d].empty() && !out[d].empty() &&
        divide(in[d].front().size, out[d].front().size))
      return true;
    llvm::SmallVector<int64_t, 4> seen;
    std::optional<Place> before, lastPlace;
    for (auto [i, a] : llvm::enumerate(in[d])) {
      auto place = destination(a);
      if (place) {
        if (place->dim == d || llvm::is_contained(seen, place->dim))
          if (i == 0 || !before || before->dim != place->dim || !lastPlace ||
              place->index != lastPlace->index + 1)
            return true;
        seen.push_back(place->dim);
        lastPlace = place;
      } else if (before && out[d].empty()) {
        return true;
      } else {
        leaving = a;
      }
      before = place;
    }
    for (AxisRef a : out[d])
      if (!isIn(a))
        coming = a;
  }
  return leaving && coming && divide(leaving->size, coming->size);
}

void Rounds::permute() {
  bool needed = needsPermute();
  if (!needed && inTargetOrder)
    return;
  inTargetOrder = true;
  if (needed) {
    present.clear();
    llvm::SmallVector<int64_t, 4> capacity;
    Dims queues(rank());
    Refs pool;
    for (int64_t d = 0; d < rank(); ++d) {
      if (isWhole[d]) {
        present.append(in[d].begin(), in[d].end());
        capacity.push_back(1);
        continue;
      }
      int64_t whole = totalSize(in[d]), left = whole;
      current[d].truncate(current[d].size() - in[d].size());
      while (!out[d].empty()) {
        auto taken = fit(out[d].front(), left);
        if (!taken)
          break;
        current[d].push_back(taken->part);
        out[d].erase(out[d].begin());
        if (taken->rest)
          out[d].insert(out[d].begin(), *taken->rest);
      }
      pool.append(out[d].begin(), out[d].end());
      Refs behind;
      int64_t consumed = whole / left;
      bool isFront = true;
      for (AxisRef a : in[d]) {
        if (destination(a))
          continue;
        auto taken = isFront ? fit(a, consumed) : std::nullopt;
        isFront = taken.has_value();
        if (taken)
          behind.push_back(taken->part);
        if (!taken)
          queues[d].push_back(a);
        else if (taken->rest)
          queues[d].push_back(*taken->rest);
      }
      queues[d].append(behind.begin(), behind.end());
      in[d].clear();
      capacity.push_back(left);
    }
    auto ignore = [](int64_t, AxisRef) {};
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, rank()));
    distribute(pool, all, capacity, /*atFront=*/false, ignore);
    for (int64_t d = 0; d < rank(); ++d)
      distribute(queues[d], d, capacity, /*atFront=*/true, ignore);
    Refs rest;
    for (const Refs &queue : queues)
      rest.append(queue.begin(), queue.end());
    distribute(rest, all, capacity, /*atFront=*/true, ignore);
    findDestinations();
    for (int64_t d = 0; d < rank(); ++d)
      if (!isWhole[d])
        current[d].append(in[d].begin(), in[d].end());
  }
  steps.push_back(newStep(ReshardStep::Permute));
}

void Rounds::allToAlls(bool inOrder) {
  for (int64_t s = 0; s < rank(); ++s)
    while (!in[s].empty() && (!isWhole[s] || mayLeave[s])) {
      auto last = destination(in[s].back());
      if (!last || last->dim == s)
        break;
      int64_t t = last->dim;
      size_t count = 0;
      while (count < in[s].size()) {
        auto place = destination(in[s][in[s].size() - 1 - count]);
        if (!place || place->dim != t)
          break;
        ++count;
      }
      Refs moved(llvm::ArrayRef(in[s]).take_back(count));
      if (inOrder &&
          (out[t].size() < count ||
           llvm::ArrayRef(out[t]).take_front(count) != llvm::ArrayRef(moved)))
        break;
      in[s].truncate(in[s].size() - count);
      current[s].truncate(current[s].size() - count);
      for (AxisRef a : moved) {
        current[t].push_back(a);
        if (in[t].empty() && !out[t].empty() && out[t].front() == a)
          out[t].erase(out[t].begin());
        else
          in[t].push_back(a);
      }
      ReshardStep step = newStep(ReshardStep::AllToAll);
      AxisList axes;
      appendMerged(axes, AxisRefs(moved));
      step.moves.push_back({std::move(axes), s, t});
      steps.push_back(std::move(step));
    }
}

void Rounds::gather() {
  llvm::SmallVector<AxisList, 4> gathered(rank());
  bool any = false;
  for (int64_t d = 0; d < rank(); ++d) {
    if (in[d].empty() || (!isWhole[d] && destination(in[d].back())))
      continue;
    appendMerged(gathered[d], AxisRefs(in[d]));
    if (isWhole.any())
      llvm::erase_if(present,
                     [&](AxisRef a) { return llvm::is_contained(in[d], a); });
    llvm::erase(present, in[d].back());
    current[d].truncate(current[d].size() - in[d].size());
    in[d].clear();
    any = true;
  }
  if (!any)
    return;
  ReshardStep step = newStep(ReshardStep::Gather);
  step.axes = std::move(gathered);
  steps.push_back(std::move(step));
}

/// Lets the second round slice what the first has gathered whole.
void Rounds::addWholeDims() {
  if (isWhole.none())
    return;
  for (unsigned d : isWhole.set_bits())
    out[d] = std::move(later[d]);
  isWhole.reset();
  findDestinations();
}

bool Rounds::run() {
  for (int round = 0; round < 2 && !isDone(); ++round) {
    slice();
    if (!isDone())
      permute();
    if (!isDone())
      allToAlls(/*inOrder=*/true);
    if (!isDone())
      allToAlls(/*inOrder=*/false);
    if (isDone())
      return true;
    gather();
    addWholeDims();
  }
  return isDone();
}

/// False if the rounds placed a part of an axis beside it, which a dimension
/// that will be gathered still has.
bool isDisjoint(const ReshardStep &step) {
  AxisList axes = step.after.allAxes();
  while (!axes.empty())
    if (AxisRef last = axes.pop_back_val(); overlaps(last, axes))
      return false;
  return true;
}

} // namespace

std::vector<ReshardStep> shardwright::collectiveSteps(
    const Mesh &mesh, const TensorSharding &from, const TensorSharding &to,
    llvm::ArrayRef<int64_t> shape, bool changesOrder, bool keepsPadding) {
  bool expressible = true;
  for (AxisRef a : from.allAxes())
    for (AxisRef b : to.allAxes())
      expressible &= a.axis != b.axis || canCoexist(a, b);
  if (expressible) {
    Rounds rounds(from, to, shape, changesOrder, keepsPadding);
    if (rounds.run() && llvm::all_of(rounds.steps, isDisjoint) &&
        (rounds.steps.empty() ||
         rounds.steps.back().after.isEquivalent(to.closedLike())))
      return std::move(rounds.steps);
  }
  ReshardPlanner planner(mesh, {}, Effort::Fast);
  const ReshardPlan &plan = planner.plan(from, to, shape, 1, changesOrder);
  return {plan.steps.begin(), plan.steps.end()};
}
