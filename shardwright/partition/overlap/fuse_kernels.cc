//===- fuse_kernels.cc - fusion of the ops of a block ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/fuse_kernels.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/overlap/growing_kernel.h"
#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/partition/support/tensor_types.h"

#include <queue>

using namespace mlir;

namespace shardwright {
namespace {

using Kind = KernelNode::Kind;
using Index = KernelIndices::Index;

constexpr size_t kMostMembers = 256, kMostBuffers = 48;
/// Additions for each element from which on a node is not computed again.
constexpr int32_t kExpensive = 6;
/// Splats of fewer bytes are constants where a buffer is needed.
constexpr double kLargeSplat = 1 << 16;
/// Nodes that a search for cycles visits before it gives up.
constexpr int kMostVisited = 64;

class Fuser {
public:
  explicit Fuser(const KernelNodes &graph);
  std::vector<FusedUnit> run();

private:
  using Member = GrowingKernel::Member;
  enum class Loops : uint8_t { Map, Row, Column };

  const KernelNode &node(int32_t id) const { return graph.nodes[id]; }
  void begin(int32_t seed);
  bool absorb(int32_t id);
  bool isExcluded(int32_t id) const;
  llvm::SmallVector<int32_t, 8> usersInside(int32_t id) const;
  bool fitsIndices(int32_t id, const Member &member) const;
  bool joinReduction(int32_t id, const Member &member);
  bool takeReduction(int32_t id);
  Member evaluate(int32_t id);
  bool makesCycle(int32_t id);
  void form(int32_t seed);
  FusedUnit finish(int32_t seed);

  const KernelNodes &graph;
  std::vector<llvm::SmallVector<int32_t, 4>> users;
  std::vector<int32_t> kernelOf;
  /// In memory; a result of the block.
  std::vector<bool> isNeeded, isReturned;
  /// By kernel: the nodes that it computes for all, and the first of them.
  std::vector<llvm::SmallVector<int32_t, 4>> computed;
  std::vector<FusedUnit> units;

  GrowingKernel kernel;
  int32_t seed = -1;
  KernelIndices indices;
  Loops loops = Loops::Map;
  /// Elements of a full iteration, and of its rows.
  int64_t fullElements = 1, rowElements = 1;
  Index fullIndex = 0, rowIndex = 0;
  /// The first reduction, and the loops of its reduced dimensions.
  int32_t reduction = -1;
  llvm::SmallVector<int32_t, 4> reducedLoops;
  bool hasReduction = false, hasStridedRead = false;
  int32_t cost = 0;
  size_t outputs = 0;
  /// Nodes that the kernel may take in, and by node: the last seed for which it
  /// was one.
  std::priority_queue<int32_t> candidates;
  std::vector<int32_t> candidateOf;

  std::vector<int32_t> seenNode, seenKernel;
  int32_t search = 0;
};

Fuser::Fuser(const KernelNodes &graph)
    : graph(graph), users(graph.nodes.size()), kernelOf(graph.nodes.size(), -1),
      isNeeded(graph.nodes.size(), false),
      isReturned(graph.nodes.size(), false), kernel(graph.nodes.size()),
      candidateOf(graph.nodes.size(), -1), seenNode(graph.nodes.size(), 0) {
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    for (int32_t o : node.operands)
      if (o >= 0 && (users[o].empty() || users[o].back() != int32_t(i)))
        users[o].push_back(int32_t(i));
}

//===--- one kernel -------------------------------------------------------===//

/// Begins a kernel with the node that is its last.
void Fuser::begin(int32_t id) {
  const KernelNode &root = node(id);
  seed = id;
  kernel.begin();
  loops = Loops::Map;
  reduction = -1;
  reducedLoops.clear();
  hasReduction = root.kind == Kind::Reduce || root.kind == Kind::Window ||
                 root.kind == Kind::RunningSum;
  hasStridedRead = root.elements > 4096 && changesInnermost(graph, id);
  cost = root.cost;
  outputs = 1;
  ArrayRef<int64_t> shape = root.shape;
  fullElements = root.elements;
  // An update runs over what it writes.
  if (root.kind == Kind::Update && root.operands.size() > 1) {
    shape = node(root.operands[1]).shape;
    fullElements = node(root.operands[1]).elements;
  }
  rowElements = fullElements;
  KernelShape sizes = withoutOnes(shape);
  indices.reset(sizes);
  fullIndex = rowIndex = indices.alongLoops(0, sizes.size());
  kernel.add({id, {fullIndex}, /*isSeen=*/true});
  if (root.kind == Kind::Reduce)
    takeReduction(id);
  for (int32_t o : root.operands)
    if (o >= 0)
      kernel.addInput(o);
}

/// Makes the loops of the first reduction of the kernel. Returns false if it
/// needs other loops than the kernel has.
bool Fuser::takeReduction(int32_t id) {
  const KernelNode &reduce = node(id);
  KernelShape kept = withoutOnes(reduce.shape), reduced = reducedSizes(reduce);
  int64_t elements = node(reduce.operands[0]).elements;
  if (reducesInnermost(graph, reduce)) {
    if (!reducesLast(graph, reduce))
      return false;
    bool isOfRows = fullElements == reduce.elements && !reduced.empty();
    if (!isOfRows && fullElements != elements)
      return false;
    loops = Loops::Row;
    rowElements = reduce.elements;
    if (isOfRows) {
      rowIndex = fullIndex;
      indices.addInnerLoops(reduced);
      fullElements = elements;
      fullIndex = indices.alongLoops(0, kept.size() + reduced.size());
    } else {
      rowIndex = indices.alongLoops(0, kept.size());
    }
    for (size_t i = 0; i < reduced.size(); ++i)
      reducedLoops.push_back(int32_t(kept.size() + i));
  } else {
    if (reduce.elements != fullElements)
      return false;
    loops = Loops::Column;
    rowElements = fullElements;
    indices.addInnerLoops(reduced);
    for (size_t i = 0; i < reduced.size(); ++i)
      reducedLoops.push_back(int32_t(kept.size() + i));
  }
  reduction = id;
  return true;
}

/// True if the reduction may run in the loops of the kernel.
bool Fuser::joinReduction(int32_t id, const Member &member) {
  const KernelNode &reduce = node(id);
  if (member.visits.size() != 1)
    return false;
  if (reduction < 0) {
    Loops before = loops;
    int64_t full = fullElements;
    Index wasFull = fullIndex;
    if (!takeReduction(id))
      return false;
    Index at = loops == Loops::Row ? rowIndex : fullIndex;
    if (indices.isReshapeOf(member.visits[0], at))
      return true;
    // The loops that were added are harmless.
    loops = before;
    fullElements = rowElements = full;
    fullIndex = rowIndex = wasFull;
    reduction = -1;
    reducedLoops.clear();
    return false;
  }
  const KernelNode &first = node(reduction);
  bool isInnermost = reducesInnermost(graph, reduce);
  if (isInnermost != (loops == Loops::Row) ||
      withoutOnes(first.shape) != withoutOnes(reduce.shape) ||
      reducedSizes(first) != reducedSizes(reduce))
    return false;
  if (isInnermost)
    return reducesLast(graph, reduce) &&
           indices.isReshapeOf(member.visits[0], rowIndex);
  // Of columns: the same dimensions, and none below another.
  if (dimsOf(first.op->getOperand(0).getType()) !=
          dimsOf(reduce.op->getOperand(0).getType()) ||
      reducedDimensions(first) != reducedDimensions(reduce))
    return false;
  return indices.isReshapeOf(member.visits[0], fullIndex);
}

/// The members that read the node, in order. The whole block may read it.
llvm::SmallVector<int32_t, 8> Fuser::usersInside(int32_t id) const {
  llvm::SmallVector<int32_t, 8> inside;
  if (users[id].size() <= kernel.members().size())
    return llvm::filter_to_vector<8>(
        users[id], [&](int32_t user) { return kernel.isMember(user); });
  for (const Member &own : llvm::reverse(kernel.members()))
    if (llvm::is_contained(node(own.id).operands, id))
      inside.push_back(own.id);
  return inside;
}

/// The indices at which the members evaluate a node, and whether it is seen.
Fuser::Member Fuser::evaluate(int32_t id) {
  Member member{id};
  auto inside = usersInside(id);
  bool isOutside = inside.size() < users[id].size();
  member.isSeen = isNeeded[id] || isReturned[id] || isOutside;
  for (int32_t user : inside) {
    const Member &reader = kernel.member(user);
    const KernelNode &by = node(user);
    member.isSeen |= reader.isSeen && by.isCheap && user != seed;
    member.isInWindow |= by.kind == Kind::Window;
    for (auto [number, operand] : llvm::enumerate(by.operands)) {
      if (operand != id)
        continue;
      for (Index at : reader.visits) {
        Index index;
        if (by.kind == Kind::Reduce) {
          size_t inputs = by.operands.size() / 2;
          index = number >= inputs || reducedLoops.empty()
                      ? indices.scalar()
                      : indices.ofReduced(graph, user, at, reducedLoops);
        } else if (by.kind == Kind::Update) {
          index = number == 1 ? fullIndex : indices.scalar();
        } else {
          index = indices.ofOperand(graph, user, number, at);
        }
        if (!llvm::is_contained(member.visits, index))
          member.visits.push_back(index);
      }
    }
  }
  return member;
}

/// True if the node is not computed more often than it may be.
bool Fuser::fitsIndices(int32_t id, const Member &member) const {
  const KernelNode &at = node(id);
  bool isOutput = member.isSeen && !at.isCheap;
  // Index lists stay short.
  if (member.visits.size() > 8 || at.cost == 0)
    return member.visits.size() <= 8;
  if (member.visits.size() > (isOutput || at.cost >= kExpensive ? 1 : 4))
    return false;
  if (at.cost >= kExpensive)
    for (Index index : member.visits)
      if (indices.iterations(index) > 2 * double(at.elements))
        return false;
  return true;
}

/// True if no kernel of this seed computes the node.
bool Fuser::isExcluded(int32_t id) const {
  const KernelNode &at = node(id), &root = node(seed);
  if (at.kind != Kind::Leaf && !at.mayRunInKernel())
    return true;
  switch (at.kind) {
  case Kind::Update:
  case Kind::Piece:
  case Kind::Scatter:
  case Kind::Sort:
  case Kind::RunningSum:
    return true;
  default:
    break;
  }
  if (root.kind == Kind::Sort || root.kind == Kind::RunningSum)
    return true;
  bool isReduce = at.kind == Kind::Reduce;
  if (isReduce && (at.operands.size() > 2 || root.kind == Kind::Update ||
                   root.kind == Kind::Piece))
    return true;
  if (root.kind == Kind::Scatter) {
    if (at.kind != Kind::Leaf && at.kind != Kind::Broadcast &&
        at.kind != Kind::Reshape)
      return true;
    size_t updated = (root.operands.size() - 1) / 2;
    if (llvm::is_contained(ArrayRef(root.operands).take_front(updated), id))
      return true;
  }
  // What is overwritten is not read otherwise.
  if (root.kind == Kind::Update &&
      (id == root.operands[0] ||
       llvm::is_contained(at.operands, root.operands[0])))
    return true;
  return !at.isCheap && kernelOf[id] >= 0;
}

/// True if a path leads from users outside of the kernel back into it, or if
/// the search becomes too long.
bool Fuser::makesCycle(int32_t id) {
  ++search;
  int visited = 0;
  llvm::SmallVector<int32_t, 32> stack;
  auto push = [&](int32_t user) {
    if (user <= seed)
      stack.push_back(user);
  };
  // A cheap member is computed again by its users outside.
  llvm::SmallVector<int32_t, 8> inside{id};
  while (!inside.empty()) {
    int32_t at = inside.pop_back_val();
    for (int32_t user : users[at]) {
      if (!kernel.isMember(user))
        push(user);
      else if (node(user).isCheap && user != seed)
        inside.push_back(user);
    }
    if (++visited > kMostVisited)
      return true;
  }
  while (!stack.empty()) {
    int32_t at = stack.pop_back_val();
    if (kernel.isMember(at) && !(node(at).isCheap && at != seed))
      return true;
    if (std::exchange(seenNode[at], search) == search)
      continue;
    if (++visited > kMostVisited)
      return true;
    llvm::for_each(users[at], push);
    int32_t other = kernelOf[at];
    if (other >= 0 && std::exchange(seenKernel[other], search) != search)
      for (int32_t member : computed[other])
        llvm::for_each(users[member], push);
  }
  return false;
}

bool Fuser::absorb(int32_t id) {
  const KernelNode &at = node(id);
  if (kernel.members().size() >= kMostMembers || isExcluded(id))
    return false;
  if (at.kind == Kind::Leaf) {
    kernel.add({id, {}, /*isSeen=*/true});
    return true;
  }
  Member member{id};
  bool isScatter = node(seed).kind == Kind::Scatter;
  if (!isScatter) {
    member = evaluate(id);
    // A window would evaluate its operand many times.
    bool moves = at.kind >= Kind::Broadcast && at.kind <= Kind::Gather;
    if ((member.isInWindow && !moves) || !fitsIndices(id, member))
      return false;
    bool isReduction = at.kind == Kind::Reduce || at.kind == Kind::Window;
    bool isStrided = at.elements > 4096 && changesInnermost(graph, id);
    if ((hasReduction || isReduction) && (hasStridedRead || isStrided))
      return false;
    bool isOutput = member.isSeen && !at.isCheap;
    int64_t full = fullElements, rows = rowElements;
    if (at.kind == Kind::Reduce && isOutput && outputs > 1 && reduction < 0 &&
        fullElements != at.elements)
      return false;
    if (isOutput && at.kind != Kind::Reduce && at.elements != full &&
        at.elements != rows)
      return false;
    size_t more = kernel.numInputs() - kernel.isInput(id);
    for (int32_t o : at.operands)
      more += !kernel.isMember(o) && !kernel.isInput(o);
    if (more + outputs + isOutput > kMostBuffers)
      return false;
    if (isOutput && makesCycle(id))
      return false;
    if (at.kind == Kind::Reduce && !joinReduction(id, member))
      return false;
    hasReduction |= isReduction;
    hasStridedRead |= isStrided;
    outputs += isOutput;
  }
  cost += at.cost;
  kernel.add(std::move(member));
  for (int32_t o : at.operands)
    if (o >= 0 && !kernel.isMember(o))
      kernel.addInput(o);
  return true;
}

FusedUnit Fuser::finish(int32_t id) {
  auto number = int32_t(computed.size());
  computed.emplace_back();
  seenKernel.push_back(0);
  FusedUnit unit;
  unit.root = id;
  unit.isKernel = true;
  for (const Member &member : kernel.members()) { // from the last
    int32_t m = member.id;
    if (m != id && (node(m).isCheap || node(m).kind == Kind::Leaf))
      continue;
    kernelOf[m] = number;
    computed[number].push_back(m);
    if (m == id || member.isSeen)
      unit.outputs.push_back(m);
  }
  std::reverse(unit.outputs.begin(), unit.outputs.end());
  constexpr int32_t mostCost = 100;
  bool mayReplace =
      loops != Loops::Column && (loops == Loops::Row || cost < mostCost) &&
      node(id).kind != Kind::Sort && node(id).kind != Kind::Scatter &&
      node(id).kind != Kind::Update && node(id).kind != Kind::RunningSum &&
      !(loops == Loops::Map && hasReduction);
  for (int32_t input : kernel.inputs()) {
    isNeeded[input] = true;
    unit.inputs.push_back(input);
    bool isPointwise = mayReplace && node(input).elements == fullElements;
    if (isPointwise)
      for (Index index : evaluate(input).visits)
        isPointwise &= indices.isReshapeOf(index, fullIndex);
    unit.isPointwise.push_back(isPointwise);
  }
  return unit;
}

void Fuser::form(int32_t id) {
  begin(id);
  // The latest first: all their users have been tried, since operands come
  // before users.
  auto offer = [&](int32_t member) {
    for (int32_t o : node(member).operands)
      if (o >= 0 && std::exchange(candidateOf[o], seed) != seed)
        candidates.push(o);
  };
  offer(id);
  while (!candidates.empty()) {
    int32_t next = candidates.top();
    candidates.pop();
    if (absorb(next))
      offer(next);
  }
  units.push_back(finish(id));
}

//===--- the block --------------------------------------------------------===//

std::vector<FusedUnit> Fuser::run() {
  for (int32_t id : graph.returned)
    if (id >= 0)
      isNeeded[id] = isReturned[id] = true;
  for (int32_t id = int32_t(graph.nodes.size()) - 1; id >= 0; --id) {
    const KernelNode &at = node(id);
    if (at.kind == Kind::External || (at.kind == Kind::Leaf && !at.op) ||
        (!isNeeded[id] && !at.isOrdered) || kernelOf[id] >= 0)
      continue;
    if (at.kind == Kind::Result) {
      isNeeded[at.operands[0]] = true;
      continue;
    }
    if (at.kind == Kind::Leaf && at.op->hasTrait<OpTrait::ConstantLike>() &&
        bytesOf(at.value.getType()) <= kLargeSplat)
      continue;
    if (at.kind == Kind::Alone || isViewNode(graph, id)) {
      FusedUnit unit;
      unit.root = id;
      for (int32_t o : at.operands) {
        isNeeded[o] = true;
        unit.inputs.push_back(o);
        unit.isPointwise.push_back(false);
      }
      unit.outputs.push_back(id);
      units.push_back(std::move(unit));
      continue;
    }
    form(id);
  }
  return inOrder(graph, std::move(units));
}

} // namespace

std::vector<FusedUnit> fuseKernels(const KernelNodes &graph) {
  return Fuser(graph).run();
}

} // namespace shardwright
