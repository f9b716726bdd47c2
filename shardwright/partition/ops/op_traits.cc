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
  return isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op);
}

bool isElementwiseFunction(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isElementwise(op) && isMemoryEffectFree(op);
}

bool ignoresPaddingRows(Operation *op) {
  if (auto conv = dyn_cast<stablehlo::ConvolutionOp>(op))
    return conv.getFeatureGroupCount() == 1 && conv.getBatchGroupCount() == 1;
  return isElementwise(op) ||
         isa<stablehlo::BitcastConvertOp, stablehlo::BroadcastInDimOp,
             stablehlo::CholeskyOp, stablehlo::ConcatenateOp, stablehlo::FftOp,
             stablehlo::IotaOp, stablehlo::MapOp,
             stablehlo::OptimizationBarrierOp, stablehlo::ReduceWindowOp,
             stablehlo::SelectAndScatterOp, stablehlo::SortOp,
             stablehlo::TransposeOp, stablehlo::TriangularSolveOp>(op);
}

bool isAdditive(Operation *op) {
  return isa<stablehlo::AddOp, stablehlo::SubtractOp>(op);
}

bool isDot(Operation *op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::DotOp>(op);
}

bool isContraction(Operation *op) {
  return isDot(op) || isa<stablehlo::ConvolutionOp>(op);
}

bool isDynamicSlicing(Operation *op) {
  return isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op);
}

bool isSlicing(Operation *op) {
  return isDynamicSlicing(op) || isa<stablehlo::SliceOp>(op);
}

bool takesShapeAsOperand(Operation *op) {
  return isa<stablehlo::DynamicReshapeOp, stablehlo::DynamicBroadcastInDimOp,
             stablehlo::DynamicIotaOp, stablehlo::DynamicPadOp,
             stablehlo::RealDynamicSliceOp, stablehlo::DynamicGatherOp,
             stablehlo::DynamicConvOp>(op);
}

bool isCollective(Operation *op) {
  return isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp,
             stablehlo::ReduceScatterOp, stablehlo::AllToAllOp,
             stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp,
             stablehlo::CollectiveReduceOp>(op);
}

bool isHostTransfer(Operation *op) {
  return isa<stablehlo::InfeedOp, stablehlo::OutfeedOp, stablehlo::RecvOp,
             stablehlo::SendOp>(op);
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
