//===- plan_memo.cc - plans of equal ops ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/plan_memo.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"

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
  // The start of a slice of one row does not affect the plan (see
  // addMaskedOwnerReduction), so layers that slice stacked parameters share a
  // plan.
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
    for (auto [d, size] : llvm::enumerate(dimsOf(slice.getType())))
      if (size != 1) {
        words.push_back(slice.getStartIndices()[d]);
        words.push_back(slice.getStrides()[d]);
      }
}

/// True if the key words cover the op's properties.
static bool hasPropertiesInWords(Operation *op) {
  return isa<stablehlo::SliceOp>(op);
}

/// Equality apart from operands and regions, whose types are compared
/// separately.
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
  // Hashes must not equal DenseMap's empty and tombstone keys, its two largest.
  hash >>= 1;
  for (Entry *entry = byHash.lookup(hash); entry; entry = entry->next)
    if (entry->words == words && isSameOp(asked, entry->op) &&
        haveSameRegions(asked, entry->op))
      return &entry->plan;
  return nullptr;
}

/// True if a region uses values from outside; a copy would use them too.
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
  // The copy has no operands, because they would add uses to the program.
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
