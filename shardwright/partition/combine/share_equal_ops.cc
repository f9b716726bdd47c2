//===- share_equal_ops.cc - common subexpression elimination --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order. Each op is hashed once and the hash is stored:
// local programs are long, and most ops have no equal.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/combine/share_equal_ops.h"

#include "shardwright/partition/ops/op_effects.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/simplify/op_hash.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Hash table of the ops that dominate the current place.
class KnownOps {
public:
  KnownOps() : slots(1024) {}

  /// The equal op; null if there is none.
  Operation *find(Operation *op, size_t hash) const {
    for (size_t i = hash;; ++i) {
      const Slot &slot = slots[i & (slots.size() - 1)];
      if (slot.entry < 0)
        return nullptr;
      if (slot.tag == tagOf(hash) && OperationEquivalence::isEquivalentTo(
                                         op, entries[slot.entry].op,
                                         OperationEquivalence::IgnoreLocations))
        return entries[slot.entry].op;
    }
  }
  void add(Operation *op, size_t hash) {
    entries.push_back({op, hash});
    if (2 * entries.size() <= slots.size())
      return place(entries.size() - 1);
    resize(2 * slots.size());
  }
  size_t size() const { return entries.size(); }
  /// Removes all but the first `size` ops, last first, so that each slot is
  /// emptied before the slots that were probed past it.
  void shrink(size_t size) {
    for (; entries.size() > size; entries.pop_back())
      slots[entries.back().slot] = {};
  }

private:
  struct Entry {
    Operation *op;
    size_t hash;
    size_t slot = 0;
  };
  /// `tag` holds hash bits that rule out most other entries without reading
  /// them.
  struct Slot {
    uint32_t tag = 0;
    int32_t entry = -1;
  };
  static uint32_t tagOf(size_t hash) { return hash >> 32; }

  void resize(size_t size) {
    slots.assign(size, {});
    for (size_t i = 0; i < entries.size(); ++i)
      place(i);
  }

  void place(size_t entry) {
    size_t i = entries[entry].hash;
    for (i &= slots.size() - 1; slots[i].entry >= 0;)
      i = (i + 1) & (slots.size() - 1);
    slots[i] = {tagOf(entries[entry].hash), int32_t(entry)};
    entries[entry].slot = i;
  }

  std::vector<Entry> entries;
  /// At most half full.
  std::vector<Slot> slots;
};

class Sharer {
public:
  void visit(Region &region);
  llvm::DenseSet<Operation *> takeEffects() { return std::move(withEffects); }

private:
  void visit(Operation *op);

  struct Traits {
    bool isCommutative = false;
    bool isTerminator = false;
  };
  Traits traitsOf(Operation *op) {
    return traits.get(op->getName(), [&] {
      return Traits{op->hasTrait<OpTrait::IsCommutative>(),
                    op->hasTrait<OpTrait::IsTerminator>()};
    });
  }

  OpEffects effects;
  KnownOps known;
  OpNameMap<Traits> traits;
  llvm::DenseSet<Operation *> withEffects;
};

void Sharer::visit(Region &region) {
  size_t outside = known.size();
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  known.shrink(outside);
}

void Sharer::visit(Operation *op) {
  Traits its = traitsOf(op);
  for (Region &region : op->getRegions())
    visit(region);
  if (op->use_empty() && isOpTriviallyDead(op)) {
    op->erase();
    return;
  }
  if (its.isTerminator)
    return;
  if (!effects.isEffectFree(op)) {
    withEffects.insert(op);
    return;
  }
  if (op->getNumResults() == 0)
    return;
  size_t hash = hashOfOp(op, its.isCommutative);
  Operation *equal = known.find(op, hash);
  if (!equal) {
    known.add(op, hash);
    return;
  }
  if (isa<UnknownLoc>(equal->getLoc()))
    equal->setLoc(op->getLoc());
  op->replaceAllUsesWith(equal->getResults());
  op->erase();
}

} // namespace

llvm::DenseSet<Operation *> shareEqualOps(func::FuncOp func) {
  Sharer sharer;
  sharer.visit(func.getBody());
  return sharer.takeEffects();
}

} // namespace shardwright
