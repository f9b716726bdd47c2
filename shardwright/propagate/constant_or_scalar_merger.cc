//===- constant_or_scalar_merger.cc - equal constants become one ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/propagate/export_steps.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_CONSTANTORSCALARMERGER
#include "shardwright/propagate/passes.h.inc"

namespace {

bool isScalarExpansion(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return type && type.getRank() == 0 && getPropagationTraits(op).expandsScalar;
}

struct ConstantOrScalarMergerPass
    : impl::ConstantOrScalarMergerBase<ConstantOrScalarMergerPass> {
  void runOnOperation() override { mergeConstantsAndScalars(getOperation()); }
};

} // namespace

void mergeConstantsAndScalars(func::FuncOp func) {
  // The name tells sdy.constant from stablehlo.constant; shardings are among
  // the attributes.
  using Key = std::tuple<void *, void *, void *, void *, void *>;
  llvm::DenseMap<Key, Operation *> first;
  SmallVector<Operation *> merged;
  llvm::DenseMap<OperationName, bool> constants;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto [known, isNewKind] = constants.try_emplace(op->getName(), false);
    if (isNewKind)
      known->second =
          isa<sdy::ConstantOp>(op) || op->hasTrait<OpTrait::ConstantLike>();
    bool isConstant = known->second;
    if (!isConstant && !isScalarExpansion(op))
      return;
    Key key{const_cast<void *>(op->getName().getAsOpaquePointer()),
            const_cast<void *>(op->getAttrDictionary().getAsOpaquePointer()),
            const_cast<void *>(op->getResult(0).getType().getAsOpaquePointer()),
            op->getParentRegion(),
            isConstant ? nullptr : op->getOperand(0).getAsOpaquePointer()};
    auto [it, isNew] = first.try_emplace(key, op);
    if (isNew)
      return;
    op->replaceAllUsesWith(it->second);
    merged.push_back(op);
  });
  for (Operation *op : merged)
    op->erase();
}

} // namespace shardwright
