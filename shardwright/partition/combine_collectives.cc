//===- combine_collectives.cc - one collective for several ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives of a class (join_collectives.h) that do not wait for each other
// become one: the bytes are the same, what each exchange costs beside them is
// paid once.
//
// Which go together is found by playing the block through: whatever has its
// operands takes place, but collectives wait; when nothing else can go on, one
// class is chosen, and all of its collectives that are ready take place
// together. Played in that order the program is the same, so any number of
// groups is free of cycles. A collective that waits for others of its class may
// be worth more than one that goes at once; the choice is made in several ways
// (Policy), and that which leaves the fewest collectives is taken.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/join_collectives.h"
#include "shardwright/partition/join_permutes.h"
#include "shardwright/partition/partition.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

#include <map>
#include <queue>

using namespace mlir;

namespace shardwright {
namespace {

enum class Policy {
  /// Every class that has one ready, in turn: nothing waits long.
  Soon,
  /// The class of the one with the longest chain of collectives behind it.
  LongestChain,
  /// Likewise, but first classes of which no other will get ready.
  Complete,
};

class BlockCombiner {
public:
  BlockCombiner(Block &block, func::FuncOp func) : block(block), func(func) {}
  void run();

private:
  /// Collectives of one class that take place together.
  using Round = SmallVector<int32_t, 4>;

  void shareEqual();
  void number();
  std::vector<Round> play(Policy policy);
  /// Cut where one collective would be too large.
  std::vector<Round> cut(const Round &round);
  JoinedPermutes joinPermutes(const Round &round);
  bool arePermutes(const Round &round) {
    return isa<stablehlo::CollectivePermuteOp>(ops[round.front()]);
  }
  int64_t numCollectives(ArrayRef<Round> rounds);
  void restoreOrder();

  Block &block;
  func::FuncOp func;
  /// In the block's order, without its terminator.
  std::vector<Operation *> ops;
  /// By op: who waits for it, for how many it waits, the class or -1, and how
  /// many collectives there are on the longest chain that begins with it.
  std::vector<SmallVector<int32_t, 2>> users;
  std::vector<int32_t> waitsFor, classOf, chain;
  int32_t numClasses = 0;
};

/// Numbers the ops and finds what waits for what.
void BlockCombiner::number() {
  ops.clear();
  llvm::DenseMap<Operation *, int32_t> ids;
  for (Operation &op : block.without_terminator()) {
    ids[&op] = ops.size();
    ops.push_back(&op);
  }
  users.assign(ops.size(), {});
  waitsFor.assign(ops.size(), 0);
  classOf.assign(ops.size(), -1);
  std::map<CollectiveClass, int32_t> classes;
  int32_t lastEffect = -1;
  for (auto [i, op] : llvm::enumerate(ops)) {
    auto after = [&](int32_t from) {
      users[from].push_back(i);
      ++waitsFor[i];
    };
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *from = operand.getDefiningOp())
          if (Operation *here = block.findAncestorOpInBlock(*from);
              here && here != op)
            after(ids.lookup(here));
    });
    if (std::optional<CollectiveClass> its = collectiveClass(op))
      classOf[i] = classes.try_emplace(*its, classes.size()).first->second;
    else if (!isMemoryEffectFree(op)) {
      // What has effects keeps its order.
      if (lastEffect >= 0)
        after(lastEffect);
      lastEffect = i;
    }
  }
  numClasses = classes.size();
}

std::vector<BlockCombiner::Round> BlockCombiner::cut(const Round &round) {
  if (arePermutes(round))
    return {round};
  std::vector<Round> parts;
  // By part; the latest that has room.
  SmallVector<double> bytes;
  double most = mostJoinedBytes(ops[round.front()]);
  for (int32_t i : round) {
    double own = joinedBytes(ops[i]);
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
  std::vector<int32_t> left = waitsFor, inClass(numClasses, 0), next;
  for (int32_t its : classOf)
    if (its >= 0)
      ++inClass[its];
  auto arrive = [&](int32_t i) {
    if (classOf[i] >= 0)
      ready[classOf[i]].push_back(i);
    else
      next.push_back(i);
  };
  auto leave = [&](int32_t i) {
    for (int32_t user : users[i])
      if (--left[user] == 0)
        arrive(user);
  };
  auto takePlace = [&](int32_t its) {
    Round round = std::move(ready[its]);
    ready[its].clear();
    inClass[its] -= round.size();
    llvm::sort(round);
    for (Round &part : cut(round))
      rounds.push_back(std::move(part));
    for (int32_t i : round)
      leave(i);
  };
  for (int32_t i = 0; i < int32_t(ops.size()); ++i)
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
                                    0);
      for (int32_t i : ready[its])
        rank.second = std::max(rank.second, chain[i]);
      if (best < 0 || rank > bestRank) {
        best = its;
        bestRank = rank;
      }
    }
    if (all.empty())
      return rounds;
    if (policy == Policy::Soon)
      // Those that the others make ready come with the next.
      for (int32_t its : all)
        takePlace(its);
    else
      takePlace(best);
  }
}

JoinedPermutes BlockCombiner::joinPermutes(const Round &round) {
  SmallVector<stablehlo::CollectivePermuteOp> permutes;
  for (int32_t i : round)
    permutes.push_back(cast<stablehlo::CollectivePermuteOp>(ops[i]));
  return JoinedPermutes(permutes);
}

int64_t BlockCombiner::numCollectives(ArrayRef<Round> rounds) {
  int64_t number = 0;
  for (const Round &round : rounds)
    number += arePermutes(round) ? joinPermutes(round).size() : 1;
  return number;
}

/// A collective of the same value as another one is not needed.
void BlockCombiner::shareEqual() {
  std::map<std::tuple<CollectiveClass, const void *, const void *>, Operation *>
      first;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::optional<CollectiveClass> its = collectiveClass(&op);
    if (!its || op.getNumOperands() != 1)
      continue;
    NamedAttrList attributes(op.getAttrDictionary());
    attributes.erase("channel_handle");
    auto [it, isNew] = first.try_emplace(
        {*its, op.getOperand(0).getAsOpaquePointer(),
         attributes.getDictionary(op.getContext()).getAsOpaquePointer()},
        &op);
    if (isNew || it->second->getResultTypes() != op.getResultTypes())
      continue;
    op.replaceAllUsesWith(it->second);
    op.erase();
  }
}

/// Each op as early as it was, but after what it waits for.
void BlockCombiner::restoreOrder() {
  number();
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (int32_t i = 0; i < int32_t(ops.size()); ++i)
    if (waitsFor[i] == 0)
      ready.push(i);
  Operation *end = block.getTerminator();
  while (!ready.empty()) {
    int32_t i = ready.top();
    ready.pop();
    ops[i]->moveBefore(end);
    for (int32_t user : users[i])
      if (--waitsFor[user] == 0)
        ready.push(user);
  }
}

void BlockCombiner::run() {
  shareEqual();
  number();
  if (llvm::count_if(classOf, [](int32_t its) { return its >= 0; }) < 2)
    return;
  chain.assign(ops.size(), 0);
  for (int32_t i = int32_t(ops.size()) - 1; i >= 0; --i) {
    for (int32_t user : users[i])
      chain[i] = std::max(chain[i], chain[user]);
    chain[i] += classOf[i] >= 0;
  }
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
  bool changed = false;
  for (const Round &round : rounds) {
    if (round.size() < 2)
      continue;
    if (arePermutes(round)) {
      JoinedPermutes joined = joinPermutes(round);
      changed |= joined.size() < int64_t(round.size());
      joined.build(func);
      continue;
    }
    SmallVector<Operation *> members;
    for (int32_t i : round)
      members.push_back(ops[i]);
    joinCollectives(members);
    changed = true;
  }
  if (changed)
    restoreOrder();
}

} // namespace

void combineCollectives(func::FuncOp func) {
  int64_t collectives = 0;
  func.walk(
      [&](Operation *op) { collectives += collectiveClass(op).has_value(); });
  if (collectives > 1) {
    // Equal operands are seen as equal.
    IRRewriter rewriter(func.getContext());
    DominanceInfo dominance(func);
    eliminateCommonSubExpressions(rewriter, dominance, func);
    SmallVector<Block *> blocks;
    func.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      BlockCombiner(*block, func).run();
  }
  func.walk([](stablehlo::CollectivePermuteOp op) {
    op->removeDiscardableAttr(kRestUnusedAttrName);
  });
}

} // namespace shardwright
