//===- combine_collectives.cc - merge collectives -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges collectives of one class (join_collectives.h) that do not depend on
// each other: the bytes stay the same, and the latency is paid once.
//
// A list schedule of the block decides which collectives to merge. Any other op
// is scheduled as soon as its operands are; when only collectives are left, one
// class is chosen, and all ready collectives of the class are scheduled
// together as one group. The program can run in the order of the schedule, so
// the groups form no cycles. It can pay off to delay a collective until others
// of its class are ready, so several choices of the next class (Policy) are
// tried, and the schedule with the fewest collectives wins.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/combine/combine_collectives.h"

#include "shardwright/partition/combine/hoist_collectives.h"
#include "shardwright/partition/combine/join_collectives.h"
#include "shardwright/partition/combine/join_permutes.h"
#include "shardwright/partition/combine/share_equal_ops.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/attribute_names.h"

#include <map>
#include <queue>

using namespace mlir;

namespace shardwright {
namespace {

enum class Policy {
  /// Every class with a ready collective, in turn: nothing is delayed long.
  Soon,
  /// The class whose ready collective starts the longest chain of collectives.
  LongestChain,
  /// Likewise, but prefers classes of which no more collectives will become
  /// ready.
  Complete,
};

/// Records new ops.
struct Created : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }
  SmallVector<Operation *> ops;
};

/// A collective, and its class if it can be merged.
struct Collective {
  Operation *op;
  std::optional<CollectiveClass> its;
};

class BlockCombiner {
public:
  BlockCombiner(Block &block, func::FuncOp func,
                const llvm::DenseSet<Operation *> &withEffects,
                const JoinLimits &limits)
      : block(block), func(func), withEffects(withEffects), limits(limits) {}
  /// `collectives` are the collectives of the block.
  void run(SmallVector<Collective> collectives);

private:
  /// Collectives of one class that are scheduled together.
  using Round = SmallVector<int32_t, 4>;

  /// Node of the schedule: a collective that has a class, or a join, which
  /// depends on several nodes. Any other op is ready when one node is
  /// scheduled, or from the start.
  struct Node {
    /// Null for a join.
    Operation *op = nullptr;
    int32_t classId = -1;
    /// For an op: joinedBytes().
    double bytes = 0;
    /// The nodes that depend on it, and how many unscheduled nodes it depends
    /// on.
    SmallVector<int32_t, 2> users;
    int32_t waitsFor = 0;
    /// Number of collectives on the longest chain that starts with it.
    int32_t chain = 0;
  };

  void shareEqual(SmallVectorImpl<Collective> &collectives);
  void findNodes(ArrayRef<Collective> collectives);
  /// Calls `visit` for the values that `op` and its nested ops use.
  template <typename Visit> void forEachUsed(Operation &op, Visit visit);
  std::vector<Round> play(Policy policy);
  /// Splits a round whose merged collective would be too large.
  std::vector<Round> cut(const Round &round);
  JoinedPermutes joinPermutes(const Round &round);
  bool arePermutes(const Round &round) {
    return isa<stablehlo::CollectivePermuteOp>(nodes[round.front()].op);
  }
  int64_t numCollectives(ArrayRef<Round> rounds);
  void restoreOrder(ArrayRef<Operation *> created);

  Block &block;
  func::FuncOp func;
  const llvm::DenseSet<Operation *> &withEffects;
  const JoinLimits &limits;
  /// In block order.
  std::vector<Node> nodes;
  int32_t numClasses = 0;
};

template <typename Visit>
void BlockCombiner::forEachUsed(Operation &op, Visit visit) {
  for (Value operand : op.getOperands())
    visit(operand);
  for (Region &region : op.getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        visit(operand);
    });
}

void BlockCombiner::findNodes(ArrayRef<Collective> collectives) {
  std::map<CollectiveClass, int32_t> classes;
  // The ops that have a class, in block order.
  SmallVector<std::pair<Operation *, int32_t>> withClass;
  for (const Collective &collective : collectives)
    if (collective.its)
      withClass.push_back(
          {collective.op,
           classes.try_emplace(*collective.its, classes.size()).first->second});
  numClasses = classes.size();
  if (withClass.size() < 2)
    return;
  const auto *next = withClass.begin();
  // By result: the node after which its op is ready. Ops that depend on no node
  // have no entry.
  llvm::DenseMap<Value, int32_t> after;
  int32_t lastEffect = -1;
  SmallVector<int32_t> sources;
  // No op before the first node depends on one.
  for (Operation &op :
       llvm::make_range(Block::iterator(next->first), std::prev(block.end()))) {
    sources.clear();
    forEachUsed(op, [&](Value value) {
      if (auto it = after.find(value);
          it != after.end() && !llvm::is_contained(sources, it->second))
        sources.push_back(it->second);
    });
    bool hasClass = next != withClass.end() && next->first == &op;
    // Ops with effects keep their order.
    bool hasEffect = !withEffects.empty() && withEffects.contains(&op);
    if (hasEffect && lastEffect >= 0)
      sources.push_back(lastEffect);
    if (sources.size() > 1) {
      llvm::sort(sources);
      sources.erase(llvm::unique(sources), sources.end());
    }
    int32_t goesOn = sources.empty() ? -1 : sources.front();
    if (hasClass || sources.size() > 1) {
      goesOn = nodes.size();
      nodes.emplace_back();
      nodes.back().waitsFor = sources.size();
      for (int32_t source : sources)
        nodes[source].users.push_back(goesOn);
    }
    if (hasClass) {
      nodes.back().op = &op;
      nodes.back().classId = next->second;
      nodes.back().bytes = joinedBytes(&op);
      ++next;
    }
    if (hasEffect)
      lastEffect = goesOn;
    if (goesOn >= 0)
      for (Value result : op.getResults())
        after[result] = goesOn;
  }
  for (Node &node : llvm::reverse(nodes)) {
    for (int32_t user : node.users)
      node.chain = std::max(node.chain, nodes[user].chain);
    node.chain += node.op != nullptr;
  }
}

std::vector<BlockCombiner::Round> BlockCombiner::cut(const Round &round) {
  if (round.size() == 1 || arePermutes(round))
    return {round};
  std::vector<Round> parts;
  // By part: its bytes. Only the latest part with room is extended.
  SmallVector<double> bytes;
  double most = mostJoinedBytes(nodes[round.front()].op, limits);
  for (int32_t i : round) {
    double own = nodes[i].bytes;
    size_t p = 0;
    while (p < parts.size() && bytes[p] + own > most)
      ++p;
    if (p == parts.size()) {
      parts.emplace_back();
      bytes.push_back(0);
    }
    parts[p].push_back(i);
    bytes[p] += own;
  }
  return parts;
}

std::vector<BlockCombiner::Round> BlockCombiner::play(Policy policy) {
  std::vector<Round> rounds, ready(numClasses);
  // By class: the longest chain of a ready collective, and the number of those
  // that are not scheduled.
  std::vector<int32_t> left, longest(numClasses, 0), inClass(numClasses, 0),
      next;
  for (const Node &node : nodes) {
    left.push_back(node.waitsFor);
    if (node.op)
      ++inClass[node.classId];
  }
  auto arrive = [&](int32_t i) {
    if (!nodes[i].op)
      return next.push_back(i);
    int32_t its = nodes[i].classId;
    ready[its].push_back(i);
    longest[its] = std::max(longest[its], nodes[i].chain);
  };
  auto leave = [&](int32_t i) {
    for (int32_t user : nodes[i].users)
      if (--left[user] == 0)
        arrive(user);
  };
  auto takePlace = [&](int32_t its) {
    Round round = std::move(ready[its]);
    ready[its].clear();
    longest[its] = 0;
    inClass[its] -= round.size();
    llvm::sort(round);
    for (Round &part : cut(round))
      rounds.push_back(std::move(part));
    for (int32_t i : round)
      leave(i);
  };
  for (int32_t i = 0; i < int32_t(nodes.size()); ++i)
    if (left[i] == 0)
      arrive(i);
  while (true) {
    while (!next.empty()) {
      int32_t i = next.back();
      next.pop_back();
      leave(i);
    }
    int32_t best = -1;
    std::pair<bool, int32_t> bestRank;
    SmallVector<int32_t> all;
    for (int32_t its = 0; its < numClasses; ++its) {
      if (ready[its].empty())
        continue;
      all.push_back(its);
      std::pair<bool, int32_t> rank(policy == Policy::Complete &&
                                        int32_t(ready[its].size()) ==
                                            inClass[its],
                                    longest[its]);
      if (best < 0 || rank > bestRank) {
        best = its;
        bestRank = rank;
      }
    }
    if (all.empty())
      return rounds;
    if (policy == Policy::Soon)
      // Collectives that become ready here are scheduled in the next round.
      for (int32_t its : all)
        takePlace(its);
    else
      takePlace(best);
  }
}

JoinedPermutes BlockCombiner::joinPermutes(const Round &round) {
  SmallVector<stablehlo::CollectivePermuteOp> permutes;
  for (int32_t i : round)
    permutes.push_back(cast<stablehlo::CollectivePermuteOp>(nodes[i].op));
  return JoinedPermutes(permutes, limits.packed);
}

int64_t BlockCombiner::numCollectives(ArrayRef<Round> rounds) {
  int64_t number = 0;
  for (const Round &round : rounds)
    number +=
        round.size() > 1 && arePermutes(round) ? joinPermutes(round).size() : 1;
  return number;
}

/// Erases collectives that are equal to an earlier one of the same operand.
void BlockCombiner::shareEqual(SmallVectorImpl<Collective> &collectives) {
  // By operand.
  llvm::DenseMap<Value, SmallVector<Collective, 1>> known;
  auto attributesOf = [](Operation *op) {
    NamedAttrList attributes(op->getAttrDictionary());
    attributes.erase("channel_handle");
    return attributes.getDictionary(op->getContext());
  };
  llvm::erase_if(collectives, [&](const Collective &collective) {
    Operation *op = collective.op;
    if (!collective.its || op->getNumOperands() != 1)
      return false;
    auto &likes = known[op->getOperand(0)];
    auto first = llvm::find_if(likes, [&](const Collective &like) {
      return like.its == collective.its &&
             attributesOf(like.op) == attributesOf(op);
    });
    if (first != likes.end() &&
        first->op->getResultTypes() == op->getResultTypes()) {
      op->replaceAllUsesWith(first->op);
      op->erase();
      return true;
    }
    likes.push_back(collective);
    return false;
  });
}

/// Restores the order of the block: moves ops that use results of `created`
/// ops, which may come later, after these ops, together with their users. All
/// other ops stay where they are.
void BlockCombiner::restoreOrder(ArrayRef<Operation *> created) {
  constexpr int32_t kCame = -2, kNone = -1;
  // By result: number of an op that is still ahead. By number: the last entry
  // in `waits` for it.
  llvm::DenseMap<Value, int32_t> ahead;
  SmallVector<int32_t> lastWait;
  struct Wait {
    int32_t user;
    /// The previous entry for the same op.
    int32_t before;
  };
  std::vector<Wait> waits;
  struct Late {
    Operation *op;
    int32_t number;
    int32_t waitsFor;
  };
  std::vector<Late> late;
  auto expect = [&](Operation *op) {
    for (Value result : op->getResults())
      ahead[result] = lastWait.size();
    lastWait.push_back(kNone);
    return int32_t(lastWait.size() - 1);
  };
  llvm::DenseMap<Operation *, int32_t> createdAhead;
  for (Operation *op : created)
    if (op->getBlock() == &block)
      createdAhead[op] = expect(op);
  size_t numAhead = createdAhead.size();

  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  auto release = [&](int32_t number) {
    --numAhead;
    for (int32_t at = std::exchange(lastWait[number], kCame); at != kNone;
         at = waits[at].before)
      if (--late[waits[at].user].waitsFor == 0)
        ready.push(waits[at].user);
  };
  int32_t lastEffect = kNone;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (numAhead == 0)
      return;
    int32_t waitsFor = 0;
    auto wait = [&](int32_t number) {
      if (lastWait[number] == kCame)
        return;
      waits.push_back({int32_t(late.size()), lastWait[number]});
      lastWait[number] = waits.size() - 1;
      ++waitsFor;
    };
    forEachUsed(op, [&](Value value) {
      if (auto it = ahead.find(value); it != ahead.end())
        wait(it->second);
    });
    bool hasEffect = !withEffects.empty() && withEffects.contains(&op);
    if (hasEffect && lastEffect != kNone)
      wait(lastEffect);
    auto its = createdAhead.find(&op);
    int32_t number = its == createdAhead.end() ? kNone : its->second;
    if (waitsFor > 0) {
      if (number == kNone) {
        number = expect(&op);
        ++numAhead;
      }
      late.push_back({&op, number, waitsFor});
    }
    if (hasEffect)
      lastEffect = number;
    if (waitsFor > 0 || number == kNone)
      continue;
    release(number);
    for (Operation *at = &op; !ready.empty();) {
      auto [next, itsNumber, left] = late[ready.top()];
      ready.pop();
      next->moveAfter(at);
      at = next;
      release(itsNumber);
    }
  }
}

void BlockCombiner::run(SmallVector<Collective> collectives) {
  shareEqual(collectives);
  findNodes(collectives);
  if (nodes.empty())
    return;
  std::vector<Round> rounds;
  int64_t fewest = 0;
  for (Policy policy : {Policy::Soon, Policy::LongestChain, Policy::Complete}) {
    std::vector<Round> played = play(policy);
    int64_t number = numCollectives(played);
    if (rounds.empty() || number < fewest) {
      rounds = std::move(played);
      fewest = number;
    }
  }
  Created created;
  for (const Round &round : rounds) {
    if (round.size() < 2)
      continue;
    if (arePermutes(round)) {
      joinPermutes(round).build(func, &created);
      continue;
    }
    SmallVector<Operation *> members;
    for (int32_t i : round)
      members.push_back(nodes[i].op);
    joinCollectives(members, &created);
  }
  if (!created.ops.empty())
    restoreOrder(created.ops);
}

} // namespace

/// Hoists collectives out of loops. Returns the collectives in program order.
static SmallVector<Operation *> hoist(func::FuncOp func,
                                      ArrayRef<Operation *> collectives) {
  if (llvm::none_of(collectives, [](Operation *op) {
        return isa<stablehlo::WhileOp>(op->getParentOp());
      }))
    return SmallVector<Operation *>(collectives);
  hoistCollectives(func);
  SmallVector<Operation *> moved;
  func.walk([&](Operation *op) {
    if (mayBeJoined(op))
      moved.push_back(op);
  });
  return moved;
}

void combineCollectives(func::FuncOp func, ArrayRef<Operation *> all,
                        const JoinLimits &limits) {
  llvm::DenseMap<Block *, SmallVector<Collective>> collectives;
  int64_t joinable = 0;
  bool hasPermutes = false;
  for (Operation *op : hoist(func, all)) {
    std::optional<CollectiveClass> its = collectiveClass(op);
    collectives[op->getBlock()].push_back({op, its});
    joinable += its.has_value();
    hasPermutes |= isa<stablehlo::CollectivePermuteOp>(op);
  }
  if (joinable > 1) {
    // Share equal ops first, so that equal operands are the same value.
    llvm::DenseSet<Operation *> withEffects = shareEqualOps(func);
    for (const auto &[block, inBlock] : collectives)
      for (const Collective &collective : inBlock)
        if (collective.its)
          withEffects.erase(collective.op);
    SmallVector<Block *> blocks;
    if (collectives.size() == 1)
      blocks.push_back(collectives.begin()->first);
    else
      func.walk([&](Block *block) {
        if (collectives.contains(block))
          blocks.push_back(block);
      });
    for (Block *block : blocks)
      BlockCombiner(*block, func, withEffects, limits)
          .run(std::move(collectives[block]));
  }
  if (hasPermutes)
    func.walk([](stablehlo::CollectivePermuteOp op) {
      op->removeDiscardableAttr(kRestUnusedAttrName);
    });
}

} // namespace shardwright
