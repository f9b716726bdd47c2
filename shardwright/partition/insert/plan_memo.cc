//===- plan_memo.cc - what was decided of equal ops before ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/plan_memo.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace shardwright {

PlanMemo::~PlanMemo() {
  for (Entry &entry : entries)
    entry.op->destroy();
}

void PlanMemo::begin(Operation *op) {
  asked = op;
  words.clear();
  for (Type type : op->getOperandTypes())
    words.push_back(uintptr_t(type.getAsOpaquePointer()));
  // Which row is taken, where it is one, changes nothing (see letOwnersGive):
  // so layers share a plan that are slices of stacked parameters.
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
    for (auto [d, size] : llvm::enumerate(dimsOf(slice.getType())))
      if (size != 1) {
        words.push_back(slice.getStartIndices()[d]);
        words.push_back(slice.getStrides()[d]);
      }
}

/// What they say is among the words.
static bool hasPropertiesInWords(Operation *op) {
  return isa<stablehlo::SliceOp>(op);
}

/// But for operands and regions, whose types are compared elsewhere.
static bool isSameOp(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getResultTypes() == b->getResultTypes() &&
         a->getRawDictionaryAttrs() == b->getRawDictionaryAttrs() &&
         (hasPropertiesInWords(a) ||
          a->getName().compareOpProperties(a->getPropertiesStorage(),
                                           b->getPropertiesStorage()));
}

static bool haveSameRegions(Operation *a, Operation *b) {
  for (auto [x, y] : llvm::zip(a->getRegions(), b->getRegions()))
    if (!OperationEquivalence::isRegionEquivalentTo(
            &x, &y, OperationEquivalence::IgnoreLocations))
      return false;
  return true;
}

const OpPlan *PlanMemo::find() {
  hash = 0;
  if (!hasPropertiesInWords(asked))
    hash = asked->hashProperties();
  auto mix = [&](uintptr_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  };
  mix(uintptr_t(asked->getName().getAsOpaquePointer()));
  mix(uintptr_t(asked->getRawDictionaryAttrs().getAsOpaquePointer()));
  for (uintptr_t word : words)
    mix(word);
  // The two largest are no keys.
  hash >>= 1;
  for (Entry *entry = byHash.lookup(hash); entry; entry = entry->next)
    if (entry->words == words && isSameOp(asked, entry->op) &&
        haveSameRegions(asked, entry->op))
      return &entry->plan;
  return nullptr;
}

/// A region uses values that are made outside of it: a copy would too.
static bool usesOutside(Operation *op) {
  for (Region &region : op->getRegions()) {
    WalkResult walked = region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!region.isAncestor(operand.getParentRegion()))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return true;
  }
  return false;
}

const OpPlan *PlanMemo::keep(OpPlan plan) {
  if (usesOutside(asked))
    return store(std::move(plan));
  // Operands would be uses of values of the program.
  Operation *copy = Operation::create(
      asked->getLoc(), asked->getName(), asked->getResultTypes(),
      /*operands=*/{}, asked->getRawDictionaryAttrs(),
      asked->getPropertiesStorage(), /*successors=*/{}, asked->getNumRegions());
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(asked->getRegions(), copy->getRegions()))
    from.cloneInto(&to, mapping);
  Entry *&first = byHash[hash];
  entries.push_back(
      {copy, llvm::SmallVector<uintptr_t, 6>(words), std::move(plan), first});
  first = &entries.back();
  return &entries.back().plan;
}

} // namespace shardwright
