//===- constant_or_scalar_merger.cc - merge equal constants ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/propagate/export/export_steps.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_CONSTANTORSCALARMERGER
#include "shardwright/propagate/passes.h.inc"

namespace {

/// True if the op, of one operand and one result, broadcasts a scalar.
bool isScalarExpansion(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return type && type.getRank() == 0 && getPropagationTraits(op).expandsScalar;
}

struct ConstantOrScalarMergerPass
    : impl::ConstantOrScalarMergerBase<ConstantOrScalarMergerPass> {
  void runOnOperation() override {
    OpIndex index(getOperation());
    mergeConstantsAndScalars(index);
  }
};

} // namespace

static bool isConstant(OperationName name) {
  return isNamed<sdy::ConstantOp>(name) ||
         name.hasTrait<OpTrait::ConstantLike>();
}

void mergeConstantsAndScalars(OpIndex &index) {
  // The op name distinguishes sdy.constant from other constants; the attributes
  // include shardings.
  using Key = std::tuple<void *, void *, void *, void *, void *>;
  llvm::DenseMap<Key, Operation *> first;
  SmallVector<Operation *> merged;
  auto merge = [&](Operation *op, void *operand) {
    Key key{const_cast<void *>(op->getName().getAsOpaquePointer()),
            const_cast<void *>(op->getAttrDictionary().getAsOpaquePointer()),
            const_cast<void *>(op->getResult(0).getType().getAsOpaquePointer()),
            op->getParentRegion(), operand};
    auto [it, isNew] = first.try_emplace(key, op);
    if (isNew)
      return;
    op->replaceAllUsesWith(it->second);
    merged.push_back(op);
  };
  // Constants first: the key of a scalar expansion includes its operand.
  for (Operation *op : index.inOrder(isConstant))
    merge(op, nullptr);
  for (Operation *op : index.unary())
    if (isScalarExpansion(op))
      merge(op, op->getOperand(0).getAsOpaquePointer());
  llvm::DenseSet<OperationName> erased;
  for (Operation *op : merged) {
    erased.insert(op->getName());
    op->erase();
  }
  index.forget([&](OperationName name) { return erased.contains(name); });
  index.forgetUnary();
}

} // namespace shardwright
