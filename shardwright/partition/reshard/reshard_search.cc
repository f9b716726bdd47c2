//===- reshard_search.cc - shortest path between placements ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A* search over placements. The estimate of the remaining cost is a lower
// bound of the mean bytes that a device must still receive: its target shard
// minus the part that it holds; and one latency if it must receive any.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/reshard_search.h"

#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/partition/reshard/placement_moves.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <queue>

using namespace shardwright;

bool SearchResult::communicates() const {
  return llvm::any_of(
      steps, [](const SearchStep &s) { return s.move != SearchMove::Slice; });
}

namespace {

/// Cost of a step besides its bytes, as a fraction of the base bytes. Prefers
/// fewer steps among plans of equal bytes and never outweighs bytes.
constexpr double kStepTie = 1e-7;
constexpr size_t kMaxExpanded = 20000;
/// Limits moves where latency counts: it makes many plans nearly equal, so that
/// the estimate rules out few.
constexpr size_t kMaxMovesWithLatency = 50000;
/// Writes the placement as bytes.
llvm::StringRef keyOf(const Placement &p, llvm::SmallVectorImpl<char> &key) {
  size_t size = p.dims.size() + 1;
  for (const auto &dim : p.dims)
    size += dim.size();
  key.resize_for_overwrite(size);
  char *next = key.data();
  for (const auto &dim : p.dims) {
    for (uint8_t atom : dim)
      *next++ = char(atom);
    *next++ = '\xff';
  }
  *next = p.targetOrder;
  return llvm::StringRef(key.data(), size);
}

CollectiveKind collectiveOf(SearchMove move) {
  switch (move) {
  case SearchMove::Gather:
    return CollectiveKind::AllGather;
  case SearchMove::AllToAll:
    return CollectiveKind::AllToAll;
  case SearchMove::Slice:
  case SearchMove::Permute:
    break;
  }
  return CollectiveKind::Permute;
}

/// Members of a group of the gather or all-to-all between two placements.
int64_t membersBetween(const SearchProblem &problem, const Placement &a,
                       const Placement &b) {
  int64_t members = 1;
  for (auto [was, is] : llvm::zip(a.dims, b.dims))
    if (was.size() > is.size())
      members *=
          problem.product(llvm::ArrayRef<uint8_t>(was).drop_front(is.size()));
  return members;
}

/// Link of the exchange between two placements.
LinkCost linkBetween(const SearchProblem &problem, const Placement &a,
                     const Placement &b) {
  if (a.targetOrder != b.targetOrder)
    return problem.orderLink;
  if (problem.links.empty())
    return {};
  LinkCost link;
  // An atom stays where its position from the front is the same.
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
      : problem(problem), sizes(problem.sizes), moves(problem, directed) {
    double larger = std::max(localBytes(problem.from), localBytes(problem.to));
    memoryLimit = limitMemory ? larger * (1 + 1e-9) : 0;
    outBytes = localBytes(problem.to);
    if (problem.links.empty())
      return;
    leastLatency = problem.orderLink.alpha;
    machine = problem.orderLink.machine;
    if (machine)
      leastByte = problem.orderLink.byte;
    for (const LinkCost &link : problem.links) {
      leastLatency = std::min(leastLatency, link.alpha);
      if (machine)
        leastByte = std::min(leastByte, link.byte);
    }
    // The last exchange writes at least what a device holds in the end.
    if (machine)
      leastLatency += machine->memorySeconds(outBytes);
  }

  /// Returns nullopt if the budget is spent or no path is within the limits.
  std::optional<SearchResult> run();
  /// Lower bound of the remaining cost.
  double estimate(const Placement &p) const {
    double bytes = missingBytes(p);
    return bytes > 0 ? leastLatency + leastByte * bytes : 0;
  }
  /// Lower bound of the mean bytes that a device must still receive.
  double missingBytes(const Placement &p) const;
  /// Cost of a step besides those of its exchange.
  double tie() const {
    return kStepTie * leastByte * std::max(problem.baseBytes, 1.0);
  }

private:
  double localBytes(const Placement &p) const {
    double bytes = problem.baseBytes;
    for (const auto &dim : p.dims)
      bytes /= double(problem.product(dim));
    return bytes;
  }

  const SearchProblem &problem;
  llvm::ArrayRef<int64_t> sizes;
  PlacementMoves moves;
  double memoryLimit = 0, outBytes = 0;
  /// Lower bounds of the cost of an exchange, and of a byte.
  double leastLatency = 0, leastByte = 1;
  const MachineModel *machine = nullptr;
};

double Search::missingBytes(const Placement &p) const {
  if (!p.targetOrder)
    return std::max(0.0, outBytes - localBytes(p));
  // `held` is the fraction of its target shard that a device holds. Each
  // independent pair of coordinates that must be equal divides it by `size`.
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
    double more =
        double(problem.product(llvm::ArrayRef<uint8_t>(now).drop_front(i)));
    if (i < common)
      more /= double(
          problem.product(llvm::ArrayRef<uint8_t>(wanted).drop_front(i)));
    held /= std::max(1.0, more);
  }
  return outBytes * (1 - held);
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
  llvm::StringMap<int32_t> indexOf;
  llvm::SmallVector<char, 64> key;
  using Entry = std::pair<double, int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;

  // Growth copies the placements.
  nodes.reserve(128);
  nodes.push_back({problem.from});
  indexOf[keyOf(problem.from, key)] = 0;
  queue.push({estimate(problem.from), 0});
  double stepTie = tie();
  size_t expanded = 0, tried = 0;
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
    if (++expanded > kMaxExpanded ||
        (leastLatency > 0 && tried > kMaxMovesWithLatency))
      return std::nullopt;
    Placement place = nodes[index].place;
    double cost = nodes[index].cost, local = localBytes(place);
    moves.each(place, local,
               [&](SearchMove move, const Placement &next, double bytes) {
                 ++tried;
                 if (memoryLimit && localBytes(next) > memoryLimit)
                   return;
                 double nextCost = cost + stepTie;
                 if (move != SearchMove::Slice)
                   nextCost += linkBetween(problem, place, next)
                                   .of(collectiveOf(move), local, bytes,
                                       membersBetween(problem, place, next));
                 auto [it, isNew] =
                     indexOf.try_emplace(keyOf(next, key), nodes.size());
                 if (isNew)
                   nodes.emplace_back();
                 Node &node = nodes[it->second];
                 if (!isNew && (node.closed || node.cost <= nextCost))
                   return;
                 double total = nextCost + estimate(next);
                 node.place = next;
                 node.cost = nextCost;
                 node.bytes = bytes;
                 node.parent = index;
                 node.move = move;
                 queue.push({total, it->second});
               });
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

/// Gathers all that differs, permutes if the device order changes, slices.
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
  for (const LinkCost &atom : problem.links)
    link = link.with(atom);
  auto add = [&](SearchMove move, Placement after, double bytes) {
    if (move != SearchMove::Slice)
      result.cost += link.of(collectiveOf(move),
                             move == SearchMove::Gather ? local : whole, bytes,
                             membersBetween(problem, problem.from, after));
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

/// True if the all-to-all delivers its atoms in another order than before.
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

/// Merges adjacent slices, adjacent gathers, and all-to-alls between distinct
/// dimensions.
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
    // A merged step uses the slower link.
    LinkCost link = linkBetween(problem, *before, step.after);
    merge &= step.move == SearchMove::Slice || link.byte == lastLink.byte;
    lastLink = link;
    lastReorders =
        step.move == SearchMove::AllToAll && reorders(*before, step.after);
    if (!merge)
      touched.clear();
    touch(*before, step.after, /*commit=*/true);
    if (merge && step.move == SearchMove::AllToAll) {
      // A merged step over n * m devices sends 1 - 1/(n*m) of the shard once.
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
      // With this many atoms an undirected search would only exhaust its
      // budget.
      if (!directed && (problem.recipesOnly || problem.sizes.size() > 8))
        continue;
      if (!result)
        result = Search(problem, directed, limitMemory).run();
    }
  if (!result)
    result = gatherThenSlice(problem);
  mergeSteps(problem, *result);
  Search bounds(problem, /*directed=*/true, /*limitMemory=*/false);
  result->bound = bounds.estimate(problem.from);
  result->leastBytes = bounds.missingBytes(problem.from);
  return std::move(*result);
}
