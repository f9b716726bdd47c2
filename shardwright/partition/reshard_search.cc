//===- reshard_search.cc - shortest path between placements ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A* over placements. The estimate of what is left is what a device must on
// average at least receive: its part of the target without what it holds.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard_search.h"

#include "shardwright/partition/uneven.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <queue>
#include <string>
#include <unordered_map>

using namespace shardwright;

bool SearchResult::communicates() const {
  return llvm::any_of(
      steps, [](const SearchStep &s) { return s.move != SearchMove::Slice; });
}

namespace {

/// A slice costs no bytes, yet fewer steps are better among equals; expressed
/// as a fraction of the base bytes so that it never decides against bytes.
constexpr double kStepTie = 1e-7;
constexpr size_t kMaxExpanded = 20000;
/// Above this many atoms, not every permutation is tried.
constexpr size_t kMaxFreeAtoms = 5;

std::string keyOf(const Placement &p) {
  std::string key;
  for (const auto &dim : p.dims) {
    key.append(dim.begin(), dim.end());
    key.push_back('\xff');
  }
  key.push_back(p.targetOrder);
  return key;
}

/// Of the exchange between two placements.
LinkCost linkBetween(const SearchProblem &problem, const Placement &a,
                     const Placement &b) {
  if (a.targetOrder != b.targetOrder)
    return problem.orderLink;
  LinkCost link;
  if (problem.links.empty())
    return link;
  // An atom stays where it is counted from the front.
  for (auto [was, is] : llvm::zip(a.dims, b.dims))
    for (size_t i = 0; i < std::max(was.size(), is.size()); ++i) {
      if (i < was.size() && i < is.size() && was[i] == is[i])
        continue;
      if (i < was.size())
        link = link.with(problem.links[was[i]]);
      if (i < is.size())
        link = link.with(problem.links[is[i]]);
    }
  return link;
}

class Search {
public:
  Search(const SearchProblem &problem, bool directed, bool limitMemory)
      : problem(problem), sizes(problem.sizes), directed(directed) {
    double larger = std::max(localBytes(problem.from), localBytes(problem.to));
    memoryLimit = limitMemory ? larger * (1 + 1e-9) : 0;
    outBytes = localBytes(problem.to);
    destination.assign(sizes.size(), -1);
    for (auto [d, dim] : llvm::enumerate(problem.to.dims))
      for (uint8_t a : dim)
        destination[a] = d;
  }

  /// Empty optional: budget spent or no way under the limits.
  std::optional<SearchResult> run();
  /// Bytes that a device must at least receive on average from here on.
  double estimate(const Placement &p) const;

private:
  double localBytes(const Placement &p) const {
    double bytes = problem.baseBytes;
    for (const auto &dim : p.dims)
      bytes /= double(product(dim));
    return bytes;
  }
  int64_t product(llvm::ArrayRef<uint8_t> atoms) const {
    int64_t n = 1;
    for (uint8_t a : atoms)
      n *= sizes[a];
    return n;
  }
  int64_t shards(const Placement &p, size_t dim) const {
    return problem.baseShards[dim] * product(p.dims[dim]);
  }
  /// A gather leads from `fine` to `coarse` in that dimension, a slice back.
  bool canRefine(size_t dim, const Placement &coarse,
                 const Placement &fine) const {
    return refines(problem.dimSizes[dim], shards(coarse, dim),
                   shards(fine, dim));
  }
  double stayFraction(const Placement &a, const Placement &b) const;

  using Emit = llvm::function_ref<void(SearchMove, Placement, double bytes)>;
  void slices(const Placement &p, Emit emit) const;
  void gathers(const Placement &p, double local, Emit emit) const;
  void allToAlls(const Placement &p, double local, Emit emit) const;
  void jointAllToAlls(const Placement &p, double local, Emit emit) const;
  void permutes(const Placement &p, double local, Emit emit) const;
  void fillDims(const Placement &p, Placement &next, size_t dim,
                llvm::SmallVectorImpl<bool> &used, int64_t left,
                llvm::function_ref<void(const Placement &)> emit) const;
  Placement towardsTarget(const Placement &p) const;

  const SearchProblem &problem;
  llvm::ArrayRef<int64_t> sizes;
  bool directed;
  double memoryLimit = 0, outBytes = 0;
  llvm::SmallVector<int32_t, 8> destination;
};

/// Fraction of the devices whose shard is the same under both placements, whose
/// dimensions have equal shard counts. Positions are compared digit by digit;
/// where the digits of a dimension have other radices on the two sides, devices
/// are counted over the atoms concerned.
double Search::stayFraction(const Placement &a, const Placement &b) const {
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
  int64_t combinations =
      product(llvm::to_vector(llvm::seq<uint8_t>(0, uint8_t(sizes.size()))));
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

double Search::estimate(const Placement &p) const {
  if (!p.targetOrder)
    return std::max(0.0, outBytes - localBytes(p));
  // The fraction of its part of the target that a device holds. Coordinates
  // that must agree: each tie that says something new holds for one in `size`.
  llvm::IntEqClasses equal(sizes.size());
  double held = 1;
  for (auto [now, wanted] : llvm::zip(p.dims, problem.to.dims)) {
    size_t i = 0, common = std::min(now.size(), wanted.size());
    for (; i < common && sizes[now[i]] == sizes[wanted[i]]; ++i) {
      if (equal.findLeader(now[i]) == equal.findLeader(wanted[i]))
        continue;
      equal.join(now[i], wanted[i]);
      held /= double(sizes[now[i]]);
    }
    double more = double(product(llvm::ArrayRef<uint8_t>(now).drop_front(i)));
    if (i < common)
      more /= double(product(llvm::ArrayRef<uint8_t>(wanted).drop_front(i)));
    held /= std::max(1.0, more);
  }
  return outBytes * (1 - held);
}

void Search::slices(const Placement &p, Emit emit) const {
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
        emit(SearchMove::Slice, std::move(next), 0);
    }
  }
  // The parts of an uneven dimension may be no parts of parts of it.
  for (size_t d = 0; d < p.dims.size(); ++d) {
    llvm::ArrayRef<uint8_t> want = problem.to.dims[d];
    if (!p.dims[d].empty() || want.size() < 2 ||
        llvm::any_of(want, [&](uint8_t a) { return placed[a]; }))
      continue;
    Placement next = p;
    next.dims[d] = problem.to.dims[d];
    if (problem.dimSizes[d] % shards(next, d) != 0 && canRefine(d, p, next))
      emit(SearchMove::Slice, std::move(next), 0);
  }
}

void Search::gathers(const Placement &p, double local, Emit emit) const {
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

void Search::allToAlls(const Placement &p, double local, Emit emit) const {
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
        // The parts may be delivered in any order: what a sender puts where is
        // free.
        llvm::SmallVector<uint8_t, 4> order = moved;
        if (!directed && order.size() <= 3)
          llvm::sort(order);
        do {
          Placement next = shorter;
          next.dims[t].append(order.begin(), order.end());
          if (canRefine(t, p, next))
            emit(SearchMove::AllToAll, std::move(next),
                 local * double(n - 1) / double(n));
        } while (!directed && order.size() <= 3 &&
                 std::next_permutation(order.begin(), order.end()));
      }
    }
  }
}

/// Moves between distinct dimensions that go at once: n * m ways send
/// 1 - 1/(n * m) of the shard once, one after the other they send more. Only to
/// dimensions that the target shards.
void Search::jointAllToAlls(const Placement &p, double local, Emit emit) const {
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
            self(self, s + 1, moves + 1, n * product(moved));
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

void Search::fillDims(const Placement &p, Placement &next, size_t dim,
                      llvm::SmallVectorImpl<bool> &used, int64_t left,
                      llvm::function_ref<void(const Placement &)> emit) const {
  if (left == 1) {
    if (dim + 1 == p.dims.size())
      return emit(next);
    return fillDims(p, next, dim + 1, used, product(p.dims[dim + 1]), emit);
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

/// As much of the target at the front of each dimension as fits, the rest in
/// the order it had, then in the order of the atoms.
Placement Search::towardsTarget(const Placement &p) const {
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
    left.push_back(product(p.dims[d]));
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
  for (int64_t n : left)
    if (n != 1)
      return p;
  return next;
}

void Search::permutes(const Placement &p, double local, Emit emit) const {
  auto offer = [&](Placement next) {
    next.targetOrder = true;
    if (next == p)
      return;
    double stay = p.targetOrder ? stayFraction(p, next) : 0;
    emit(SearchMove::Permute, std::move(next), local * (1 - stay));
  };
  if (!p.targetOrder)
    offer(p);
  if (p.dims.empty())
    return;
  if (!directed && sizes.size() <= kMaxFreeAtoms) {
    Placement next;
    next.dims.resize(p.dims.size());
    llvm::SmallVector<bool, 8> used(sizes.size(), false);
    fillDims(p, next, 0, used, product(p.dims[0]), offer);
    return;
  }
  offer(towardsTarget(p));
  if (directed)
    return;
  // Two atoms of one size trade places, or a free atom replaces a placed one.
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
      Placement next = p;
      std::swap(next.dims[d][k], next.dims[e][l]);
      offer(std::move(next));
    }
    for (size_t a = 0; a < sizes.size(); ++a)
      if (!placed[a] && sizes[a] == sizes[p.dims[d][k]]) {
        Placement next = p;
        next.dims[d][k] = a;
        offer(std::move(next));
      }
  }
}

std::optional<SearchResult> Search::run() {
  struct Node {
    Placement place;
    double cost = 0, bytes = 0;
    int32_t parent = -1;
    SearchMove move = SearchMove::Slice;
    bool closed = false;
  };
  std::vector<Node> nodes;
  std::unordered_map<std::string, int32_t> indexOf;
  using Entry = std::pair<double, int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;

  nodes.push_back({problem.from});
  indexOf[keyOf(problem.from)] = 0;
  queue.push({estimate(problem.from), 0});
  double tie = kStepTie * std::max(problem.baseBytes, 1.0);
  size_t expanded = 0;
  int32_t goal = -1;
  while (!queue.empty()) {
    int32_t index = queue.top().second;
    queue.pop();
    if (nodes[index].closed)
      continue;
    nodes[index].closed = true;
    if (nodes[index].place == problem.to) {
      goal = index;
      break;
    }
    if (++expanded > kMaxExpanded)
      return std::nullopt;
    Placement place = nodes[index].place;
    double cost = nodes[index].cost, local = localBytes(place);
    auto emit = [&](SearchMove move, Placement next, double bytes) {
      if (memoryLimit && localBytes(next) > memoryLimit)
        return;
      double nextCost = cost + tie;
      if (move != SearchMove::Slice)
        nextCost += linkBetween(problem, place, next).of(bytes);
      auto [it, isNew] = indexOf.try_emplace(keyOf(next), nodes.size());
      if (isNew)
        nodes.emplace_back();
      Node &node = nodes[it->second];
      if (!isNew && (node.closed || node.cost <= nextCost))
        return;
      double total = nextCost + estimate(next);
      node = {std::move(next), nextCost, bytes, index, move};
      queue.push({total, it->second});
    };
    slices(place, emit);
    allToAlls(place, local, emit);
    if (problem.movesTogether && !directed)
      jointAllToAlls(place, local, emit);
    permutes(place, local, emit);
    gathers(place, local, emit);
  }
  if (goal < 0)
    return std::nullopt;
  SearchResult result;
  result.cost = nodes[goal].cost;
  for (int32_t i = goal; nodes[i].parent >= 0; i = nodes[i].parent)
    result.steps.push_back(
        {nodes[i].move, std::move(nodes[i].place), nodes[i].bytes});
  std::reverse(result.steps.begin(), result.steps.end());
  return result;
}

/// Gather whatever differs, permute if the order of devices changes, slice.
SearchResult gatherThenSlice(const SearchProblem &problem) {
  SearchResult result;
  Placement empty = problem.from;
  double local = problem.baseBytes, whole = problem.baseBytes;
  bool any = false;
  for (auto &dim : empty.dims) {
    for (uint8_t a : dim)
      local /= double(problem.sizes[a]);
    any |= !dim.empty();
    dim.clear();
  }
  LinkCost link = problem.orderLink;
  for (LinkCost atom : problem.links)
    link = link.with(atom);
  auto add = [&](SearchMove move, Placement after, double bytes) {
    result.cost += link.of(bytes);
    result.steps.push_back({move, std::move(after), bytes});
  };
  if (any)
    add(SearchMove::Gather, empty, whole - local);
  if (!problem.from.targetOrder) {
    empty.targetOrder = true;
    add(SearchMove::Permute, empty, whole);
  }
  if (!(empty == problem.to))
    add(SearchMove::Slice, problem.to, 0);
  return result;
}

/// The all-to-all delivers atoms in another order than they had.
bool reorders(const Placement &before, const Placement &after) {
  for (size_t s = 0; s < before.dims.size(); ++s) {
    llvm::ArrayRef<uint8_t> moved = before.dims[s];
    if (after.dims[s].size() >= moved.size())
      continue;
    moved = moved.drop_front(after.dims[s].size());
    for (size_t t = 0; t < before.dims.size(); ++t) {
      llvm::ArrayRef<uint8_t> added = after.dims[t];
      if (added.size() <= before.dims[t].size())
        continue;
      added = added.drop_front(before.dims[t].size());
      if (llvm::is_contained(added, moved.front()))
        return added != moved;
    }
  }
  return false;
}

/// Neighbouring slices and gathers become one step; so do all-to-alls between
/// distinct dimensions.
void mergeSteps(const SearchProblem &problem, SearchResult &result) {
  llvm::SmallVector<SearchStep, 3> merged;
  llvm::SmallVector<bool, 4> touched;
  const Placement *before = &problem.from;
  bool lastReorders = false;
  LinkCost lastLink;
  auto touch = [&](const Placement &a, const Placement &b, bool commit) {
    bool clash = false;
    touched.resize(a.dims.size(), false);
    for (size_t d = 0; d < a.dims.size(); ++d)
      if (a.dims[d].size() != b.dims[d].size()) {
        clash |= touched[d];
        if (commit)
          touched[d] = true;
      }
    return clash;
  };
  for (SearchStep &step : result.steps) {
    bool merge = !merged.empty() && merged.back().move == step.move &&
                 step.move != SearchMove::Permute;
    if (merge && step.move == SearchMove::AllToAll)
      merge = !touch(*before, step.after, /*commit=*/false) &&
              !reorders(*before, step.after) && !lastReorders;
    // Together they take the weaker of their links.
    LinkCost link = linkBetween(problem, *before, step.after);
    merge &= step.move == SearchMove::Slice || link.byte == lastLink.byte;
    lastLink = link;
    lastReorders =
        step.move == SearchMove::AllToAll && reorders(*before, step.after);
    if (!merge)
      touched.clear();
    touch(*before, step.after, /*commit=*/true);
    if (merge && step.move == SearchMove::AllToAll) {
      // Together n*m ways: 1 - 1/(n*m) of the shard is sent, once.
      SearchStep &last = merged.back();
      double local = problem.baseBytes;
      for (const auto &dim : step.after.dims)
        for (uint8_t a : dim)
          local /= double(problem.sizes[a]);
      double keep = (1 - last.bytes / local) * (1 - step.bytes / local);
      last.bytes = local * (1 - keep);
      last.after = step.after;
    } else if (merge) {
      merged.back().bytes += step.bytes;
      merged.back().after = step.after;
    } else {
      merged.push_back(step);
    }
    before = &step.after;
  }
  result.steps = std::move(merged);
}

} // namespace

SearchResult shardwright::searchReshard(const SearchProblem &problem) {
  std::optional<SearchResult> result;
  for (bool limitMemory : {true, false})
    for (bool directed : {false, true}) {
      // With this many atoms a free search would only spend its budget.
      if (!directed && (problem.recipesOnly || problem.sizes.size() > 8))
        continue;
      if (!result)
        result = Search(problem, directed, limitMemory).run();
    }
  if (!result)
    result = gatherThenSlice(problem);
  mergeSteps(problem, *result);
  result->bound = Search(problem, /*directed=*/true, /*limitMemory=*/false)
                      .estimate(problem.from);
  return std::move(*result);
}
