//===- verify.cc - verifiers --------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace mlir;

namespace shardwright::stablehlo {

LogicalResult AddOp::verify() { return success(); }
LogicalResult MulOp::verify() { return success(); }
LogicalResult MaxOp::verify() { return success(); }
LogicalResult MinOp::verify() { return success(); }
LogicalResult SubtractOp::verify() { return success(); }
LogicalResult DivOp::verify() { return success(); }
LogicalResult RemOp::verify() { return success(); }
LogicalResult PowOp::verify() { return success(); }
LogicalResult Atan2Op::verify() { return success(); }
LogicalResult AndOp::verify() { return success(); }
LogicalResult OrOp::verify() { return success(); }
LogicalResult XorOp::verify() { return success(); }
LogicalResult ShiftLeftOp::verify() { return success(); }
LogicalResult ShiftRightArithmeticOp::verify() { return success(); }
LogicalResult ShiftRightLogicalOp::verify() { return success(); }
LogicalResult CompareOp::verify() { return success(); }
LogicalResult ClampOp::verify() { return success(); }
LogicalResult IotaOp::verify() { return success(); }
LogicalResult BroadcastInDimOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult ReverseOp::verify() { return success(); }
LogicalResult BitcastConvertOp::verify() { return success(); }
LogicalResult DotGeneralOp::verify() { return success(); }
LogicalResult DotOp::verify() { return success(); }
LogicalResult ConvolutionOp::verify() { return success(); }
LogicalResult RngBitGeneratorOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult ReduceWindowOp::verify() { return success(); }
LogicalResult SelectAndScatterOp::verify() { return success(); }
LogicalResult MapOp::verify() { return success(); }
LogicalResult SortOp::verify() { return success(); }
LogicalResult ScatterOp::verify() { return success(); }
LogicalResult IfOp::verify() { return success(); }
LogicalResult CaseOp::verify() { return success(); }
LogicalResult WhileOp::verify() { return success(); }
LogicalResult CustomCallOp::verify() { return success(); }
LogicalResult CompositeOp::verify() { return success(); }
LogicalResult AllGatherOp::verify() { return success(); }
LogicalResult AllReduceOp::verify() { return success(); }
LogicalResult ReduceScatterOp::verify() { return success(); }
LogicalResult AllToAllOp::verify() { return success(); }
LogicalResult CollectivePermuteOp::verify() { return success(); }
LogicalResult CollectiveBroadcastOp::verify() { return success(); }
LogicalResult InfeedOp::verify() { return success(); }
LogicalResult SendOp::verify() { return success(); }
LogicalResult RecvOp::verify() { return success(); }
LogicalResult AsyncStartOp::verify() { return success(); }
LogicalResult DynamicReshapeOp::verify() { return success(); }
LogicalResult DynamicBroadcastInDimOp::verify() { return success(); }
LogicalResult DynamicIotaOp::verify() { return success(); }
LogicalResult DynamicPadOp::verify() { return success(); }
LogicalResult RealDynamicSliceOp::verify() { return success(); }

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &) {
  return success();
}

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // Unknown effects: everything is read, written, made and freed.
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

} // namespace shardwright::stablehlo
