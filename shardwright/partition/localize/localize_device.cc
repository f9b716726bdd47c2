//===- localize_device.cc - ops that one device executes ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op with effects for one device becomes a branch that only this device
// takes. The others receive its results bitwise.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"

using namespace mlir;

namespace shardwright {

LogicalResult Localizer::localizeOnDevice(Operation *op, int64_t device) {
  int64_t devices = meshes.numDevices(func);
  if (device < 0 || device >= devices)
    return op->emitOpError("is computed on device ")
           << device << ", but the mesh has " << devices
           << " devices; give it the sharding of one of them";
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value here =
      buildCompare(builder, loc, indices.device(), indices.constant(device),
                   stablehlo::ComparisonDirection::EQ);
  FailureOr<stablehlo::IfOp> made = buildConditional(builder, op, here);
  if (failed(made))
    return failure();
  stablehlo::IfOp branch = *made;
  branch.getTrueBranch().front().front().removeDiscardableAttr(kDeviceAttrName);

  // The first device of a group sends.
  SmallVector<int64_t> group = {device};
  for (int64_t d = 0; d < devices; ++d)
    if (d != device)
      group.push_back(d);
  auto groups = DenseIntElementsAttr::get(
      RankedTensorType::get({1, devices}, builder.getI64Type()),
      ArrayRef<int64_t>(group));
  builder.setInsertionPointAfter(branch);
  for (auto [result, value] :
       llvm::zip(op->getResults(), branch->getResults())) {
    Value everywhere = value;
    if (isa<RankedTensorType>(value.getType()) && !result.use_empty()) {
      OperationState state(
          loc, stablehlo::CollectiveBroadcastOp::getOperationName());
      state.addOperands(value);
      state.addTypes(value.getType());
      state.addAttribute("replica_groups", groups);
      state.addAttribute("channel_handle", nextHandle());
      everywhere = builder.create(state)->getResult(0);
    }
    result.replaceAllUsesWith(everywhere);
  }
  op->erase();
  return success();
}

} // namespace shardwright
