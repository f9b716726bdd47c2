//===- placement_moves.cc - single steps of a reshard search --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/placement_moves.h"

#include "shardwright/mesh/uneven.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace shardwright;

/// Permutes try every permutation up to this many atoms.
static constexpr size_t kMaxFreeAtoms = 5;

PlacementMoves::PlacementMoves(const SearchProblem &problem, bool directed)
    : problem(problem), sizes(problem.sizes), directed(directed) {
  destination.assign(sizes.size(), -1);
  for (auto [d, dim] : llvm::enumerate(problem.to.dims))
    for (uint8_t a : dim)
      destination[a] = d;
}

void PlacementMoves::each(const Placement &p, double local, Emit emit) const {
  slices(p, emit);
  allToAlls(p, local, emit);
  if (problem.movesTogether && !directed)
    jointAllToAlls(p, local, emit);
  permutes(p, local, emit);
  gathers(p, local, emit);
}

/// True if a gather leads from `fine` to `coarse` in that dimension (and a
/// slice back).
bool PlacementMoves::canRefine(size_t dim, const Placement &coarse,
                               const Placement &fine) const {
  return refines(problem.dimSizes[dim], shards(coarse, dim), shards(fine, dim));
}

/// Fraction of the devices whose shard is the same under both placements, which
/// have equal shard counts in each dimension. Compares shard indices digit by
/// digit; where the digits of a dimension have different radices on the two
/// sides, counts devices over the atoms concerned.
double PlacementMoves::stayFraction(const Placement &a,
                                    const Placement &b) const {
  llvm::IntEqClasses equal(sizes.size());
  double fraction = 1;
  bool aligned = true;
  for (auto [da, db] : llvm::zip(a.dims, b.dims)) {
    aligned &= da.size() == db.size();
    for (size_t i = 0; aligned && i < da.size(); ++i) {
      aligned &= sizes[da[i]] == sizes[db[i]];
      if (aligned && equal.findLeader(da[i]) != equal.findLeader(db[i])) {
        equal.join(da[i], db[i]);
        fraction /= double(sizes[da[i]]);
      }
    }
    if (!aligned)
      break;
  }
  if (aligned)
    return fraction;
  int64_t combinations = problem.product(
      llvm::to_vector(llvm::seq<uint8_t>(0, uint8_t(sizes.size()))));
  if (combinations > 4096)
    return 0;
  llvm::SmallVector<int64_t, 8> coordinate(sizes.size());
  auto index = [&](llvm::ArrayRef<uint8_t> atoms) {
    int64_t k = 0;
    for (uint8_t x : atoms)
      k = k * sizes[x] + coordinate[x];
    return k;
  };
  int64_t same = 0;
  for (int64_t i = 0; i < combinations; ++i) {
    int64_t rest = i;
    for (size_t x = 0; x < sizes.size(); ++x) {
      coordinate[x] = rest % sizes[x];
      rest /= sizes[x];
    }
    same += llvm::all_of(llvm::zip(a.dims, b.dims), [&](auto pair) {
      return index(std::get<0>(pair)) == index(std::get<1>(pair));
    });
  }
  return double(same) / double(combinations);
}

void PlacementMoves::slices(const Placement &p, Emit emit) const {
  llvm::SmallVector<bool, 8> placed(sizes.size(), false);
  for (const auto &dim : p.dims)
    for (uint8_t a : dim)
      placed[a] = true;
  for (size_t a = 0; a < sizes.size(); ++a) {
    if (placed[a] || destination[a] < 0)
      continue;
    for (size_t d = 0; d < p.dims.size(); ++d) {
      if (directed && destination[a] != int32_t(d))
        continue;
      Placement next = p;
      next.dims[d].push_back(a);
      if (canRefine(d, p, next))
        emit(SearchMove::Slice, next, 0);
    }
  }
  // An uneven dimension may not split into the target's shards in two slices,
  // so also try one slice by all of the target's atoms.
  for (size_t d = 0; d < p.dims.size(); ++d) {
    llvm::ArrayRef<uint8_t> want = problem.to.dims[d];
    if (!p.dims[d].empty() || want.size() < 2 ||
        llvm::any_of(want, [&](uint8_t a) { return placed[a]; }))
      continue;
    Placement next = p;
    next.dims[d] = problem.to.dims[d];
    if (problem.dimSizes[d] % shards(next, d) != 0 && canRefine(d, p, next))
      emit(SearchMove::Slice, next, 0);
  }
}

void PlacementMoves::gathers(const Placement &p, double local,
                             Emit emit) const {
  for (size_t d = 0; d < p.dims.size(); ++d) {
    Placement next = p;
    int64_t n = 1;
    while (!next.dims[d].empty()) {
      n *= sizes[next.dims[d].pop_back_val()];
      if (canRefine(d, next, p))
        emit(SearchMove::Gather, next, local * double(n - 1));
    }
  }
}

void PlacementMoves::allToAlls(const Placement &p, double local,
                               Emit emit) const {
  for (size_t s = 0; s < p.dims.size(); ++s) {
    Placement shorter = p;
    llvm::SmallVector<uint8_t, 4> moved;
    int64_t n = 1;
    while (!shorter.dims[s].empty()) {
      uint8_t a = shorter.dims[s].pop_back_val();
      moved.insert(moved.begin(), a);
      n *= sizes[a];
      if (!canRefine(s, shorter, p))
        continue;
      for (size_t t = 0; t < p.dims.size(); ++t) {
        if (t == s || (directed && destination[a] != int32_t(t)))
          continue;
        // The all-to-all may append the atoms in any order, because the sender
        // picks the position of each block.
        llvm::SmallVector<uint8_t, 4> order = moved;
        if (!directed && order.size() <= 3)
          llvm::sort(order);
        size_t kept = shorter.dims[t].size();
        do {
          shorter.dims[t].append(order.begin(), order.end());
          if (canRefine(t, p, shorter))
            emit(SearchMove::AllToAll, shorter,
                 local * double(n - 1) / double(n));
          shorter.dims[t].truncate(kept);
        } while (!directed && order.size() <= 3 &&
                 std::next_permutation(order.begin(), order.end()));
      }
    }
  }
}

/// Several all-to-alls between distinct dimensions in one step: over n * m
/// devices it sends 1 - 1/(n * m) of the shard, less than one after the other.
/// Only to dimensions that the target shards.
void PlacementMoves::jointAllToAlls(const Placement &p, double local,
                                    Emit emit) const {
  constexpr int kMost = 4;
  llvm::SmallVector<bool, 16> used(p.dims.size(), false);
  Placement next = p;
  auto extend = [&](auto &&self, size_t first, int moves, int64_t n) -> void {
    if (moves > 1)
      emit(SearchMove::AllToAll, next, local * double(n - 1) / double(n));
    if (moves == kMost)
      return;
    for (size_t s = first; s < p.dims.size(); ++s) {
      if (used[s])
        continue;
      used[s] = true;
      for (size_t count = 1; count <= p.dims[s].size(); ++count) {
        auto moved = llvm::ArrayRef<uint8_t>(p.dims[s]).take_back(count);
        next.dims[s].truncate(p.dims[s].size() - count);
        if (!canRefine(s, next, p))
          continue;
        for (size_t t = 0; t < p.dims.size(); ++t) {
          if (used[t] || problem.to.dims[t].empty())
            continue;
          next.dims[t].append(moved.begin(), moved.end());
          if (canRefine(t, p, next)) {
            used[t] = true;
            self(self, s + 1, moves + 1, n * problem.product(moved));
            used[t] = false;
          }
          next.dims[t].truncate(p.dims[t].size());
        }
      }
      next.dims[s] = p.dims[s];
      used[s] = false;
    }
  };
  extend(extend, 0, 0, 1);
}

void PlacementMoves::fillDims(
    const Placement &p, Placement &next, size_t dim,
    llvm::SmallVectorImpl<bool> &used, int64_t left,
    llvm::function_ref<void(const Placement &)> emit) const {
  if (left == 1) {
    if (dim + 1 == p.dims.size())
      return emit(next);
    return fillDims(p, next, dim + 1, used, problem.product(p.dims[dim + 1]),
                    emit);
  }
  for (size_t a = 0; a < sizes.size(); ++a) {
    if (used[a] || left % sizes[a] != 0)
      continue;
    used[a] = true;
    next.dims[dim].push_back(a);
    fillDims(p, next, dim, used, left / sizes[a], emit);
    next.dims[dim].pop_back();
    used[a] = false;
  }
}

/// Fills each dimension with the longest fitting prefix of the target's atoms,
/// then with atoms of `p` in their order, then with atoms in index order.
Placement PlacementMoves::towardsTarget(const Placement &p) const {
  Placement next;
  next.targetOrder = true;
  llvm::SmallVector<bool, 8> used(sizes.size(), false);
  llvm::SmallVector<int64_t, 4> left;
  auto take = [&](size_t d, uint8_t a) {
    if (used[a] || left[d] % sizes[a] != 0)
      return false;
    used[a] = true;
    left[d] /= sizes[a];
    next.dims[d].push_back(a);
    return true;
  };
  for (size_t d = 0; d < p.dims.size(); ++d) {
    next.dims.emplace_back();
    left.push_back(problem.product(p.dims[d]));
    for (uint8_t a : problem.to.dims[d])
      if (!take(d, a))
        break;
  }
  for (size_t d = 0; d < p.dims.size(); ++d)
    for (uint8_t a : p.dims[d])
      take(d, a);
  for (size_t d = 0; d < p.dims.size(); ++d)
    for (size_t a = 0; a < sizes.size(); ++a)
      take(d, a);
  if (llvm::any_of(left, [](int64_t n) { return n != 1; })) {
    next = p;
    next.targetOrder = true;
  }
  return next;
}

void PlacementMoves::permutes(const Placement &p, double local,
                              Emit emit) const {
  // `next` is in the order of the target mesh.
  auto offer = [&](const Placement &next) {
    if (next == p)
      return;
    double stay = p.targetOrder ? stayFraction(p, next) : 0;
    emit(SearchMove::Permute, next, local * (1 - stay));
  };
  Placement inOrder = p;
  inOrder.targetOrder = true;
  if (!p.targetOrder)
    offer(inOrder);
  if (p.dims.empty())
    return;
  if (!directed && sizes.size() <= kMaxFreeAtoms) {
    Placement next;
    next.dims.resize(p.dims.size());
    llvm::SmallVector<bool, 8> used(sizes.size(), false);
    fillDims(p, next, 0, used, problem.product(p.dims[0]), offer);
    return;
  }
  offer(towardsTarget(p));
  if (directed)
    return;
  // Swap two atoms of equal size, or replace a placed atom by a free one.
  llvm::SmallVector<std::pair<size_t, size_t>, 8> slots;
  llvm::SmallVector<bool, 8> placed(sizes.size(), false);
  for (size_t d = 0; d < p.dims.size(); ++d)
    for (size_t i = 0; i < p.dims[d].size(); ++i) {
      slots.push_back({d, i});
      placed[p.dims[d][i]] = true;
    }
  for (size_t i = 0; i < slots.size(); ++i) {
    auto [d, k] = slots[i];
    for (size_t j = i + 1; j < slots.size(); ++j) {
      auto [e, l] = slots[j];
      if (sizes[p.dims[d][k]] != sizes[p.dims[e][l]])
        continue;
      Placement next = inOrder;
      std::swap(next.dims[d][k], next.dims[e][l]);
      offer(next);
    }
    for (size_t a = 0; a < sizes.size(); ++a)
      if (!placed[a] && sizes[a] == sizes[p.dims[d][k]]) {
        Placement next = inOrder;
        next.dims[d][k] = a;
        offer(next);
      }
  }
}
