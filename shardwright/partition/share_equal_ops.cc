//===- share_equal_ops.cc - one op for equal ones -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order. Each op is hashed once, and its hash kept: local
// programs are long, and most of their ops are like no other.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/share_equal_ops.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Ops that are visible at a place of the program, by what they do.
class KnownOps {
public:
  KnownOps() : heads(1024, -1) {}

  /// Null if there is none.
  Operation *find(Operation *op, size_t hash) const {
    for (int32_t i = heads[slotOf(hash)]; i >= 0; i = entries[i].next)
      if (entries[i].hash == hash &&
          OperationEquivalence::isEquivalentTo(
              op, entries[i].op, OperationEquivalence::IgnoreLocations))
        return entries[i].op;
    return nullptr;
  }
  void add(Operation *op, size_t hash) {
    if (entries.size() == heads.size()) {
      heads.assign(2 * heads.size(), -1);
      for (auto [i, entry] : llvm::enumerate(entries))
        entry.next = std::exchange(heads[slotOf(entry.hash)], int32_t(i));
    }
    int32_t &head = heads[slotOf(hash)];
    entries.push_back({op, hash, std::exchange(head, entries.size())});
  }
  size_t size() const { return entries.size(); }
  /// Forgets all but the first ones: the last of a slot is its head.
  void shrink(size_t size) {
    for (; entries.size() > size; entries.pop_back())
      heads[slotOf(entries.back().hash)] = entries.back().next;
  }

private:
  struct Entry {
    Operation *op;
    size_t hash;
    /// Of the same slot.
    int32_t next;
  };
  size_t slotOf(size_t hash) const { return hash & (heads.size() - 1); }

  std::vector<Entry> entries;
  std::vector<int32_t> heads;
};

class Sharer {
public:
  explicit Sharer(OpEffects &effects) : effects(effects) {}
  void visit(Region &region);

private:
  void visit(Operation *op);
  size_t hashOf(Operation *op);

  OpEffects &effects;
  KnownOps known;
  llvm::SmallDenseMap<OperationName, bool, 64> isCommutative;
};

size_t Sharer::hashOf(Operation *op) {
  auto [it, isNew] = isCommutative.try_emplace(op->getName(), false);
  if (isNew)
    it->second = op->hasTrait<OpTrait::IsCommutative>();
  auto mix = [](size_t hash, const void *word) {
    return (hash ^ (uintptr_t(word) >> 3)) * 0x9e3779b97f4a7c15ull;
  };
  size_t operands = 0;
  for (Value operand : op->getOperands()) {
    const void *word = operand.getAsOpaquePointer();
    operands = it->second ? operands + mix(0, word) : mix(operands, word);
  }
  size_t hash = mix(operands ^ size_t(op->hashProperties()),
                    op->getName().getAsOpaquePointer());
  hash = mix(hash, op->getRawDictionaryAttrs().getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    hash = mix(hash, type.getAsOpaquePointer());
  // The low bits choose the slot.
  return hash ^ (hash >> 32);
}

void Sharer::visit(Region &region) {
  size_t outside = known.size();
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  known.shrink(outside);
}

void Sharer::visit(Operation *op) {
  for (Region &region : op->getRegions())
    visit(region);
  if (op->use_empty() && isOpTriviallyDead(op))
    return op->erase();
  if (op->getNumResults() == 0 || op->hasTrait<OpTrait::IsTerminator>() ||
      !effects.isFree(op))
    return;
  size_t hash = hashOf(op);
  Operation *equal = known.find(op, hash);
  if (!equal)
    return known.add(op, hash);
  if (isa<UnknownLoc>(equal->getLoc()))
    equal->setLoc(op->getLoc());
  op->replaceAllUsesWith(equal->getResults());
  op->erase();
}

} // namespace

void shareEqualOps(func::FuncOp func, OpEffects &effects) {
  Sharer(effects).visit(func.getBody());
}

} // namespace shardwright
