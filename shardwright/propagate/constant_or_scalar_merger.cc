//===- constant_or_scalar_merger.cc - equal constants become one ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/propagate/export_steps.h"
#include "shardwright/propagate/passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_CONSTANTORSCALARMERGER
#include "shardwright/propagate/passes.h.inc"

namespace {

bool isScalarBroadcast(Operation *op) {
  auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
  if (!broadcast)
    return false;
  auto type = dyn_cast<RankedTensorType>(broadcast.getOperand().getType());
  return type && type.getRank() == 0;
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
  enum class Kind { Constant, Broadcast, Other };
  llvm::DenseMap<OperationName, Kind> kinds;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto [known, isNewKind] = kinds.try_emplace(op->getName(), Kind::Other);
    if (isNewKind) {
      if (isa<sdy::ConstantOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
        known->second = Kind::Constant;
      else if (isa<stablehlo::BroadcastInDimOp>(op))
        known->second = Kind::Broadcast;
    }
    bool isConstant = known->second == Kind::Constant;
    if (!isConstant && (known->second == Kind::Other || !isScalarBroadcast(op)))
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
