//===- op_traits.cc - properties that sets of ops share -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/op_traits.h"

#include "shardwright/rules/rule_interface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardwright {

bool isControlFlow(Operation *op) {
  return getPartitionTraits(op).isControlFlow;
}

bool isElementwiseFunction(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isElementwise(op) && isMemoryEffectFree(op);
}

bool ignoresPaddingRows(Operation *op) {
  if (auto conv = dyn_cast<stablehlo::ConvolutionOp>(op))
    return conv.getFeatureGroupCount() == 1 && conv.getBatchGroupCount() == 1;
  return getPartitionTraits(op).ignoresPaddingRows;
}

bool isAdditive(Operation *op) {
  return isa<stablehlo::AddOp, stablehlo::SubtractOp>(op);
}

bool isDot(Operation *op) {
  return getPartitionTraits(op).contraction == Contraction::Dot;
}

bool isContraction(Operation *op) {
  return getPartitionTraits(op).contraction != Contraction::None;
}

bool isDynamicSlicing(Operation *op) {
  return getPartitionTraits(op).slicing == Slicing::Dynamic;
}

bool isSlicing(Operation *op) {
  return getPartitionTraits(op).slicing != Slicing::None;
}

bool takesShapeAsOperand(Operation *op) {
  return getPartitionTraits(op).takesShapeAsOperand;
}

bool isCollective(Operation *op) { return getPartitionTraits(op).isCollective; }

bool isHostTransfer(Operation *op) {
  return getPartitionTraits(op).isHostTransfer;
}

bool hasSideEffect(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return call.getHasSideEffect();
  return isHostTransfer(op);
}

std::optional<stablehlo::ComparisonDirection> comparedArguments(Block &block) {
  if (block.getNumArguments() != 2)
    return std::nullopt;
  auto compare = block.getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<stablehlo::CompareOp>();
  if (!compare || compare.getLhs() != block.getArgument(0) ||
      compare.getRhs() != block.getArgument(1))
    return std::nullopt;
  return compare.getComparisonDirection();
}

} // namespace shardwright
