//===- combine_collectives.cc - one collective for several ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions (and gathers of little) over the same groups that do not depend on
// each other become one op of several operands: the bytes are the same, what
// each exchange costs beside them is paid once. Two ops of a block are put
// together when the longest chains of such collectives before them have the
// same length; that keeps any number of combinations free of cycles.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout.h"
#include "shardwright/partition/partition.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <queue>

using namespace mlir;

namespace shardwright {
namespace {

/// Operands of a combined reduction stay alive until the last of them is there;
/// beyond some size there is nothing left to save.
constexpr double kMaxReducedBytes = 32 << 20;
/// Results of a gather are larger than its operands.
constexpr double kMaxGatheredBytes = 256 << 10;

bool isCandidate(Operation &op) {
  // Of several operands, XLA's CPU backend gathers along dimension 0 alone: it
  // mixes up the rest.
  if (auto gather = dyn_cast<stablehlo::AllGatherOp>(op))
    if (gather.getAllGatherDim() != 0)
      return false;
  return isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp>(op) &&
         llvm::all_of(op.getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && tensor.hasStaticShape();
         });
}

double resultBytes(Operation *op) {
  double bytes = 0;
  for (Type type : op->getResultTypes())
    bytes +=
        elementBytes(type) * double(cast<ShapedType>(type).getNumElements());
  return bytes;
}

/// The same exchange of other values. Channels are names.
bool canCombine(Operation *a, Operation *b) {
  if (a->getName() != b->getName())
    return false;
  auto channelType = [](std::optional<stablehlo::ChannelHandleAttr> channel) {
    return channel && *channel ? channel->getType() : int64_t(-1);
  };
  auto sameGroups = [&](auto x, auto y) {
    return x.getReplicaGroups() == y.getReplicaGroups() &&
           x.getUseGlobalDeviceIds() == y.getUseGlobalDeviceIds() &&
           channelType(x.getChannelHandle()) ==
               channelType(y.getChannelHandle());
  };
  if (auto x = dyn_cast<stablehlo::AllGatherOp>(a)) {
    auto y = cast<stablehlo::AllGatherOp>(b);
    return sameGroups(x, y) && x.getAllGatherDim() == y.getAllGatherDim();
  }
  auto x = cast<stablehlo::AllReduceOp>(a), y = cast<stablehlo::AllReduceOp>(b);
  // A computation of one element type.
  return sameGroups(x, y) &&
         getElementTypeOrSelf(x->getResult(0)) ==
             getElementTypeOrSelf(y->getResult(0)) &&
         OperationEquivalence::isRegionEquivalentTo(
             &x.getComputation(), &y.getComputation(),
             OperationEquivalence::IgnoreLocations);
}

class BlockCombiner {
public:
  explicit BlockCombiner(Block &block) : block(block) {}
  void run();

private:
  struct Group {
    double bytes;
    SmallVector<Operation *, 4> members;
  };

  /// Calls `visit` for each earlier op of the block that `op` waits for.
  void forEachDependence(Operation *op,
                         llvm::function_ref<void(Operation *)> visit);
  std::vector<Group> findGroups();
  void combine(const Group &group);
  void restoreOrder();

  Block &block;
};

void BlockCombiner::forEachDependence(
    Operation *op, llvm::function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *from = operand.getDefiningOp())
        if (Operation *here = block.findAncestorOpInBlock(*from); here != op)
          if (here)
            visit(here);
  });
}

std::vector<BlockCombiner::Group> BlockCombiner::findGroups() {
  llvm::DenseMap<Operation *, int32_t> levels;
  std::vector<Group> groups;
  /// Those of each level.
  std::vector<SmallVector<int32_t, 2>> byLevel;
  int32_t effects = 0;
  for (Operation &op : block) {
    int32_t level = 0;
    forEachDependence(&op, [&](Operation *from) {
      level =
          std::max(level, levels.lookup(from) + int32_t(isCandidate(*from)));
    });
    if (!isCandidate(op)) {
      // What has effects keeps its order, so that it must not wait in circles.
      if (!isMemoryEffectFree(&op))
        level = effects = std::max(level, effects);
      levels[&op] = level;
      continue;
    }
    levels[&op] = level;
    double bytes = resultBytes(&op);
    double limit =
        isa<stablehlo::AllReduceOp>(op) ? kMaxReducedBytes : kMaxGatheredBytes;
    if (level >= int32_t(byLevel.size()))
      byLevel.resize(level + 1);
    auto found = llvm::find_if(byLevel[level], [&](int32_t g) {
      return groups[g].bytes + bytes <= limit &&
             canCombine(groups[g].members.front(), &op);
    });
    if (found == byLevel[level].end()) {
      byLevel[level].push_back(groups.size());
      groups.push_back({bytes, {&op}});
      continue;
    }
    groups[*found].bytes += bytes;
    groups[*found].members.push_back(&op);
  }
  llvm::erase_if(groups, [](const Group &g) { return g.members.size() < 2; });
  return groups;
}

void BlockCombiner::combine(const Group &group) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (Operation *op : group.members) {
    llvm::append_range(operands, op->getOperands());
    llvm::append_range(types, op->getResultTypes());
    locations.push_back(op->getLoc());
  }
  Operation *first = group.members.front(), *last = group.members.back();
  OpBuilder builder(last);
  OperationState state(FusedLoc::get(builder.getContext(), locations),
                       first->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(first->getAttrs());
  for (Region &region : first->getRegions())
    state.addRegion()->takeBody(region);
  Operation *all = builder.create(state);
  unsigned at = 0;
  for (Operation *op : group.members) {
    op->replaceAllUsesWith(all->getResults().slice(at, op->getNumResults()));
    at += op->getNumResults();
    op->erase();
  }
}

/// Each op as early as it was, but after what it waits for.
void BlockCombiner::restoreOrder() {
  std::vector<Operation *> ops;
  llvm::DenseMap<Operation *, int32_t> ids;
  for (Operation &op : block.without_terminator()) {
    ids[&op] = ops.size();
    ops.push_back(&op);
  }
  std::vector<SmallVector<int32_t, 2>> users(ops.size());
  std::vector<int32_t> waiting(ops.size(), 0);
  int32_t lastEffect = -1;
  for (auto [i, op] : llvm::enumerate(ops)) {
    auto after = [&](int32_t from) {
      users[from].push_back(i);
      ++waiting[i];
    };
    forEachDependence(op, [&](Operation *from) { after(ids.lookup(from)); });
    if (isCandidate(*op) || isMemoryEffectFree(op))
      continue;
    if (lastEffect >= 0)
      after(lastEffect);
    lastEffect = i;
  }
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (int32_t i = 0; i < int32_t(ops.size()); ++i)
    if (waiting[i] == 0)
      ready.push(i);
  Operation *end = block.getTerminator();
  while (!ready.empty()) {
    int32_t i = ready.top();
    ready.pop();
    ops[i]->moveBefore(end);
    for (int32_t user : users[i])
      if (--waiting[user] == 0)
        ready.push(user);
  }
}

void BlockCombiner::run() {
  if (llvm::count_if(block, isCandidate) < 2)
    return;
  std::vector<Group> groups = findGroups();
  if (groups.empty())
    return;
  for (const Group &group : groups)
    combine(group);
  restoreOrder();
}

} // namespace

void combineCollectives(func::FuncOp func) {
  SmallVector<Block *> blocks;
  func.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    BlockCombiner(*block).run();
}

} // namespace shardwright
