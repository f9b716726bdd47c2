//===- fusion.cc - fusion of nodes into kernels ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/fusion/fusion.h"

#include "shardwright/cpu/fusion/fusion_nodes.h"
#include "shardwright/cpu/fusion/fusion_order.h"
#include "shardwright/cpu/plan/kernel_plan.h"
#include "shardwright/cpu/plan/scan.h"

#include "llvm/ADT/STLExtras.h"

#include <set>
#include <utility>

namespace shardwright::cpu {

static constexpr size_t maxMembers = 256, maxBuffers = 48;
/// A splat constant up to this size may be stored as a program buffer where a
/// buffer is needed.
static constexpr int64_t maxStoredSplat = 1 << 16;
/// With more updates of slices in a block, each reads its position from memory,
/// so that those of equal shape share a kernel.
static constexpr int64_t manyUpdates = 64;

namespace {

class Fuser {
public:
  explicit Fuser(const BlockGraph &block)
      : block(block), graph(block.graph), users(graph.nodes.size()),
        clusterOf(graph.nodes.size(), -1), needed(graph.nodes.size(), false),
        terminal(graph.nodes.size(), false), places(block),
        nextOrdered(block.opaque.size(), -1), seenNode(graph.nodes.size(), 0),
        seenOpaque(block.opaque.size(), 0) {
    for (int32_t i = int32_t(block.opaque.size()) - 1, next = -1; i >= 0; --i)
      if (block.opaque[i].ordered)
        nextOrdered[i] = std::exchange(next, i);
  }

  std::vector<Unit> run();

private:
  using Members = std::set<int32_t>;

  void findUsers();
  bool isStoredPosition(int32_t id, int32_t seed) const;
  bool isRematerializable(int32_t id) const { return rematerializable[id]; }
  void form(int32_t seed);
  bool tryAbsorb(Members &members, int32_t producer, int32_t seed);
  void beginPointwise(const Members &members, int32_t seed);
  bool isEnclosed(const Members &members, int32_t id) const;
  bool joinsPointwise(const Members &members, int32_t id, int32_t seed);
  bool isTerminal(int32_t id) const { return terminal[id]; }
  Members seenOutside(const Members &members) const;
  std::vector<int32_t> ownOf(const Members &members) const;
  bool makesCycle(const Members &members, llvm::ArrayRef<int32_t> own);
  Cluster cut(const Members &members, llvm::SmallVectorImpl<int32_t> &inputs,
              llvm::SmallVectorImpl<int32_t> &outputs) const;

  const BlockGraph &block;
  const Graph &graph;
  /// Users of each node; ~i stands for opaque operation i.
  std::vector<llvm::SmallVector<int32_t, 4>> users;
  /// The cluster that computes a node for all users, or -1.
  std::vector<int32_t> clusterOf;
  /// needed: must be in a buffer. terminal: is a result of the block.
  std::vector<bool> needed, terminal;
  std::vector<bool> rematerializable;
  /// The nodes that each cluster computes for all users.
  std::vector<llvm::SmallVector<int32_t, 4>> clusters;
  std::vector<Unit> units;

  /// State of the growing cluster while it is pointwise: all members are
  /// computed element by element at one index. Another pointwise node may then
  /// join without asking the planner, whose answer is known.
  struct Pointwise {
    bool holds = false;
    std::set<int32_t> inputs;
    size_t outputs = 0; ///< upper bound
  } pointwise;

  int64_t numUpdates = 0; ///< of slices
  FusionOrder places;
  /// The next ordered operation after each operation, or -1.
  std::vector<int32_t> nextOrdered;
  /// Number of the last search (makesCycle).
  int32_t search = 0;
  std::vector<int32_t> seenNode, seenOpaque, seenCluster;
  std::vector<int32_t> reachedNodes, reachedOpaque;
};

} // namespace

void Fuser::findUsers() {
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    for (int32_t o : node.operands)
      if (users[o].empty() || users[o].back() != static_cast<int32_t>(i))
        users[o].push_back(static_cast<int32_t>(i));
  for (auto [i, opaque] : llvm::enumerate(block.opaque))
    for (int32_t o : opaque.inputs)
      if (o >= 0)
        users[o].push_back(~static_cast<int32_t>(i));
}

Cluster Fuser::cut(const Members &members,
                   llvm::SmallVectorImpl<int32_t> &inputs,
                   llvm::SmallVectorImpl<int32_t> &outputs) const {
  Cluster cluster;
  std::map<int32_t, int32_t> ids;
  for (int32_t id : members)
    for (int32_t o : graph[id].operands)
      if (!members.count(o) && !ids.count(o)) {
        Node param;
        param.op = Op::Param;
        param.type = graph[o].type;
        param.shape = graph[o].shape;
        param.bits = inputs.size();
        ids[o] = cluster.graph.add(std::move(param));
        inputs.push_back(o);
      }
  cluster.numParams = inputs.size();
  for (int32_t id : members) {
    Node node = graph[id];
    for (int32_t &o : node.operands)
      o = ids.at(o);
    ids[id] = cluster.graph.add(std::move(node));
  }
  for (int32_t id : outputs) {
    cluster.outputs.push_back(ids.at(id));
    const Node &node = graph[id];
    int32_t inPlace = -1;
    if (node.op == Op::UpdateSlice || node.op == Op::Scatter)
      inPlace = cluster.graph[ids.at(node.operands[0])].bits;
    else if (node.op == Op::Proj && graph[node.operands[0]].op == Op::Scatter)
      inPlace = cluster
                    .graph[ids.at(graph[node.operands[0]]
                                      .operands[node.get<ProjAttrs>().result])]
                    .bits;
    cluster.inPlace.push_back(inPlace);
  }
  return cluster;
}

/// Members that depend on values that only this cluster computes. A
/// rematerializable member that depends on no such value is excluded: other
/// clusters compute it themselves.
std::vector<int32_t> Fuser::ownOf(const Members &members) const {
  std::vector<int32_t> own; // sorted
  for (int32_t id : members)
    if (!isRematerializable(id) ||
        llvm::any_of(graph[id].operands,
                     [&](int32_t o) { return llvm::binary_search(own, o); }))
      own.push_back(id);
  return own;
}

// True if a path leads from the outside users of `own` back into `members`. An
// existing cluster is one step of a path; ordered operations depend on each
// other in order. If there is no such path, reachedNodes and reachedOpaque hold
// the nodes and operations that the search found.
bool Fuser::makesCycle(const Members &members, llvm::ArrayRef<int32_t> own) {
  ++search;
  reachedNodes.clear();
  reachedOpaque.clear();
  int32_t last = 0;
  for (int32_t id : own)
    last = std::max(last, places.ofNode(id));
  llvm::SmallVector<int32_t, 64> stack;
  auto push = [&](int32_t user) {
    if ((user < 0 ? places.ofOpaque(~user) : places.ofNode(user)) <= last)
      stack.push_back(user);
  };
  for (int32_t id : own)
    for (int32_t u : users[id])
      if (u < 0 || !members.count(u))
        push(u);
  while (!stack.empty()) {
    int32_t at = stack.pop_back_val();
    if (at < 0) {
      int32_t i = ~at;
      if (std::exchange(seenOpaque[i], search) == search)
        continue;
      reachedOpaque.push_back(i);
      for (int32_t r : block.opaque[i].results)
        if (r >= 0)
          llvm::for_each(users[r], push);
      if (nextOrdered[i] >= 0)
        push(~nextOrdered[i]);
      continue;
    }
    if (members.count(at))
      return true;
    if (std::exchange(seenNode[at], search) == search)
      continue;
    reachedNodes.push_back(at);
    llvm::for_each(users[at], push);
    if (int32_t c = clusterOf[at];
        c >= 0 && std::exchange(seenCluster[c], search) != search)
      for (int32_t m : clusters[c])
        llvm::for_each(users[m], push);
  }
  return false;
}

// Members whose value is needed outside of the cluster. Rematerializable
// members are recomputed outside, from the members that they depend on.
Fuser::Members Fuser::seenOutside(const Members &members) const {
  Members seen;
  for (int32_t m : llvm::reverse(members))
    if (needed[m] || terminal[m] || llvm::any_of(users[m], [&](int32_t u) {
          return u < 0 || !members.count(u) ||
                 (seen.count(u) && isRematerializable(u));
        }))
      seen.insert(m);
  return seen;
}

void Fuser::beginPointwise(const Members &members, int32_t seed) {
  pointwise = Pointwise();
  pointwise.holds =
      members.size() == 1 && isPointwise(graph, seed, graph[seed].shape);
  if (!pointwise.holds)
    return;
  pointwise.inputs.insert(graph[seed].operands.begin(),
                          graph[seed].operands.end());
  pointwise.outputs = 1;
}

// True if nothing outside needs the node.
bool Fuser::isEnclosed(const Members &members, int32_t id) const {
  return !needed[id] && !terminal[id] &&
         llvm::all_of(users[id], [&](int32_t u) {
           return u >= 0 && members.count(u) &&
                  (!isRematerializable(u) || isEnclosed(members, u));
         });
}

// True if `id` may join the pointwise cluster without calling the planner; the
// state then includes it.
bool Fuser::joinsPointwise(const Members &members, int32_t id, int32_t seed) {
  if (!pointwise.holds || !isPointwise(graph, id, graph[seed].shape))
    return false;
  // If all users are members, and no outside user recomputes them, the node
  // causes neither a cycle nor another output.
  bool enclosed = isEnclosed(members, id);
  bool output = !isRematerializable(id) && !enclosed;
  if (output && graph[id].shape != graph[seed].shape)
    return false;
  size_t inputs = pointwise.inputs.size() - pointwise.inputs.count(id);
  llvm::SmallVector<int32_t, 3> more;
  for (int32_t o : graph[id].operands)
    if (!members.count(o) && !pointwise.inputs.count(o) &&
        !llvm::is_contained(more, o))
      more.push_back(o);
  if (inputs + more.size() + pointwise.outputs + output > maxBuffers)
    return false;
  if (!isRematerializable(id) && !enclosed) {
    Members trial = members;
    trial.insert(id);
    if (makesCycle(trial, ownOf(trial)))
      return false;
  }
  pointwise.inputs.erase(id);
  pointwise.inputs.insert(more.begin(), more.end());
  pointwise.outputs += output;
  return true;
}

// True for a constant position, other than 0, that the update reads from
// memory.
bool Fuser::isStoredPosition(int32_t id, int32_t seed) const {
  const Node &root = graph[seed];
  return numUpdates > manyUpdates && root.op == Op::UpdateSlice &&
         graph[id].op == Op::Constant && graph[id].bits != 0 &&
         id != root.operands[1] &&
         llvm::is_contained(llvm::ArrayRef(root.operands).drop_front(2), id);
}

bool Fuser::tryAbsorb(Members &members, int32_t id, int32_t seed) {
  const Node &node = graph[id];
  const Node &root = graph[seed];
  switch (node.op) {
  case Op::Extern:
  case Op::Undef:
  case Op::Param:
  case Op::UpdateSlice:
  case Op::Scatter:
  case Op::Sort:
  case Op::Proj:
    return false;
  default:
    break;
  }
  if (members.size() >= maxMembers || root.op == Op::Sort ||
      asScan(graph, root) || asScan(graph, node))
    return false;
  bool isLeaf = node.op == Op::Constant || node.op == Op::Iota;
  bool free = isRematerializable(id);
  if (root.op == Op::Scatter) {
    if (!isLeaf && node.op != Op::Broadcast && node.op != Op::Reshape)
      return false;
    // The updated operand must be a buffer, even if it is a splat.
    size_t updated = (root.operands.size() - 1) / 2;
    if (llvm::is_contained(llvm::ArrayRef(root.operands).take_front(updated),
                           id))
      return false;
  }
  if (isStoredPosition(id, seed))
    return false;
  // The overwritten operand must not be read elsewhere.
  if (root.op == Op::UpdateSlice &&
      (id == root.operands[0] ||
       llvm::is_contained(node.operands, root.operands[0])))
    return false;
  if (node.op == Op::Reduce) {
    bool many = node.operands.size() > 2;
    if (many || (root.op == Op::UpdateSlice))
      return false;
  }
  // A node of another cluster may only be recomputed if it is rematerializable.
  if (!free && clusterOf[id] >= 0)
    return false;
  if (joinsPointwise(members, id, seed))
    return members.insert(id), true;
  Members trial = members;
  trial.insert(id);
  llvm::SmallVector<int32_t> inputs, outputs;
  Members seen = seenOutside(trial);
  for (int32_t m : trial)
    if (m == seed ||
        (seen.count(m) && clusterOf[m] < 0 && !isRematerializable(m)))
      outputs.push_back(m);
  Cluster cluster = cut(trial, inputs, outputs);
  if (inputs.size() + outputs.size() > maxBuffers)
    return false;
  if (isLeaf) {
    pointwise.holds &= isPointwise(graph, id, root.shape);
    pointwise.inputs.erase(id);
    return members.insert(id), true;
  }
  // Large strided reads are kept out of kernels with reductions.
  bool anyReduce = llvm::any_of(trial, [&](int32_t m) {
    return graph[m].op == Op::Reduce || graph[m].op == Op::ReduceWindow;
  });
  if (anyReduce) {
    for (int32_t m : trial)
      if (changesInnermost(graph, m) && graph[m].elements() > 4096)
        return false;
  }
  // A window would evaluate its operand many times.
  for (int32_t u : users[id])
    if (u >= 0 && members.count(u) && graph[u].op == Op::ReduceWindow &&
        !isMovement(node.op))
      return false;
  if (whyNotFused(cluster))
    return false;
  if (!free && makesCycle(trial, ownOf(trial)))
    return false;
  members.insert(id);
  pointwise.holds = false;
  return true;
}

void Fuser::form(int32_t seed) {
  auto number = static_cast<int32_t>(clusters.size());
  clusters.emplace_back();
  seenCluster.push_back(0);
  Members members{seed};
  // Keep the results of one operation together.
  if (graph[seed].op == Op::Proj)
    members.insert(graph[seed].operands[0]);
  int32_t root = graph[seed].op == Op::Proj ? graph[seed].operands[0] : seed;
  for (int32_t u : users[root])
    if (u >= 0 && graph[u].op == Op::Proj)
      members.insert(u);
  // Latest producers first: all their users have been tried already.
  std::set<int32_t, std::greater<>> candidates;
  std::set<int32_t> refused;
  auto offer = [&](int32_t member) {
    for (int32_t o : graph[member].operands)
      if (!members.count(o))
        candidates.insert(o);
  };
  for (int32_t m : Members(members))
    offer(m);
  beginPointwise(members, seed);
  while (!candidates.empty()) {
    int32_t id = *candidates.begin();
    candidates.erase(candidates.begin());
    if (tryAbsorb(members, id, root)) {
      offer(id);
      // Refused candidates may fit now.
      refused.erase(id);
      candidates.insert(refused.begin(), refused.end());
      refused.clear();
    } else {
      refused.insert(id);
    }
    if (refused.size() + members.size() > 4 * maxMembers)
      break;
  }
  if (std::vector<int32_t> own = ownOf(members); own.size() > 1) {
    makesCycle(members, own);
    places.join(own, reachedNodes, reachedOpaque);
  }
  Unit unit{Unit::Kind::Kernel};
  Members seen = seenOutside(members);
  for (int32_t m : members) {
    bool isRoot = m == seed || m == root || graph[m].op == Op::Proj;
    if (!isRoot && (isRematerializable(m) || clusterOf[m] >= 0))
      continue;
    clusterOf[m] = number;
    clusters[number].push_back(m);
    bool used = seen.count(m);
    if (used || (isRoot && graph[m].op == Op::Scatter) ||
        (isRoot && graph[m].op == Op::Proj &&
         graph[graph[m].operands[0]].op == Op::Scatter))
      unit.outputs.push_back(m);
  }
  unit.cluster = cut(members, unit.inputs, unit.outputs);
  for (int32_t i : unit.inputs)
    needed[i] = true;
  units.push_back(std::move(unit));
}

std::vector<Unit> Fuser::run() {
  findUsers();
  for (size_t id = 0; id < graph.nodes.size(); ++id)
    rematerializable.push_back(isCheap(graph, id));
  numUpdates = llvm::count_if(
      graph.nodes, [](const Node &node) { return node.op == Op::UpdateSlice; });
  for (int32_t id : block.terminator)
    if (id >= 0)
      needed[id] = terminal[id] = true;
  // Ordered operations run even if their results are unused.
  for (const BlockGraph::Opaque &opaque : block.opaque)
    if (opaque.ordered)
      for (int32_t i : opaque.inputs)
        if (i >= 0)
          needed[i] = true;
  std::vector<bool> done(block.opaque.size(), false);
  for (int32_t id = static_cast<int32_t>(graph.nodes.size()) - 1; id >= 0;
       --id) {
    const Node &node = graph[id];
    if (node.op == Op::Extern) {
      int32_t producer = block.producer[id];
      if (producer < 0 || done[producer])
        continue;
      bool wanted = block.opaque[producer].ordered || needed[id];
      for (int32_t r : block.opaque[producer].results)
        wanted |= r >= 0 && needed[r];
      if (!wanted)
        continue;
      done[producer] = true;
      for (int32_t i : block.opaque[producer].inputs)
        if (i >= 0)
          needed[i] = true;
      continue;
    }
    if (!needed[id] || clusterOf[id] >= 0 || node.op == Op::Undef)
      continue;
    int64_t offset;
    if (isView(graph, id, offset)) {
      Unit unit{Unit::Kind::View};
      unit.offset = offset;
      unit.inputs = {node.operands[0]};
      unit.outputs = {id};
      needed[node.operands[0]] = true;
      units.push_back(std::move(unit));
      continue;
    }
    if (node.op == Op::Constant &&
        node.elements() * byteWidth(node.type) <= maxStoredSplat)
      continue;
    form(id);
  }
  for (auto [i, opaque] : llvm::enumerate(block.opaque)) {
    bool wanted = opaque.ordered || done[i];
    if (!wanted)
      continue;
    Unit unit{Unit::Kind::Opaque};
    unit.opaque = static_cast<int32_t>(i);
    unit.inputs = opaque.inputs;
    for (int32_t r : opaque.results)
      if (r >= 0)
        unit.outputs.push_back(r);
    units.push_back(std::move(unit));
  }
  return orderUnits(block, std::move(units));
}

std::vector<Unit> fuse(const BlockGraph &block) { return Fuser(block).run(); }

} // namespace shardwright::cpu
