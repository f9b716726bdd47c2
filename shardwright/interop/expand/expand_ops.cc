//===- expand_ops.cc - expand ops for later layers ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/interop/expand/expand_passes.h"
#include "shardwright/interop/expand/op_builder.h"

using namespace mlir;

namespace shardwright {

using namespace op_expansion;

namespace {

using Expand = FailureOr<Values> (*)(Operation *);

Expand expansionOf(Operation *op) {
  if (isa<stablehlo::DotOp, stablehlo::BroadcastOp,
          stablehlo::TorchIndexSelectOp, stablehlo::CrossReplicaSumOp,
          stablehlo::GetTupleElementOp>(op))
    return expandLegacyOp;
  if (isa<stablehlo::EinsumOp, stablehlo::UnaryEinsumOp>(op))
    return expandEinsum;
  if (isa<stablehlo::BatchNormInferenceOp, stablehlo::BatchNormTrainingOp,
          stablehlo::BatchNormGradOp>(op))
    return expandBatchNorm;
  if (isa<stablehlo::DynamicReshapeOp, stablehlo::DynamicBroadcastInDimOp,
          stablehlo::DynamicIotaOp, stablehlo::DynamicPadOp,
          stablehlo::RealDynamicSliceOp, stablehlo::DynamicGatherOp,
          stablehlo::DynamicConvOp, stablehlo::GetDimensionSizeOp>(op))
    return expandDynamicOp;
  if (hasOtherRegion(op))
    return expandRegion;
  if (isa<stablehlo::MapOp>(op))
    return expandMap;
  return nullptr;
}

/// Copies attributes such as shardings to the ops that now define the results.
void keepAttributes(Operation *op, ArrayRef<Value> results) {
  for (auto [i, result] : llvm::enumerate(results)) {
    Operation *maker = result.getDefiningOp();
    if (!maker || maker->getBlock() != op->getBlock())
      continue;
    for (NamedAttribute attr : op->getDiscardableAttrs()) {
      Attribute value = attr.getValue();
      auto perValue = dyn_cast<sdy::TensorShardingPerValueAttr>(value);
      if (perValue && perValue.getShardings().size() == results.size() &&
          maker->getNumResults() == 1)
        value = sdy::TensorShardingPerValueAttr::get(
            op->getContext(), perValue.getShardings()[i]);
      maker->setDiscardableAttr(attr.getName(), value);
    }
  }
}

struct ExpandOpsPass : PassWrapper<ExpandOpsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandOpsPass)

  StringRef getArgument() const final { return "sw-expand-ops"; }
  StringRef getDescription() const final {
    return "Replaces operations by their decompositions";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (expansionOf(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      bool reported = false;
      // A diagnostic of an expansion is an error; failing without one keeps the
      // op.
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &) {
        reported = true;
        return failure();
      });
      FailureOr<Values> results = expansionOf(op)(op);
      if (failed(results)) {
        if (reported)
          return signalPassFailure();
        continue;
      }
      Operation *tuple = nullptr;
      if (isa<stablehlo::GetTupleElementOp>(op))
        tuple = op->getOperand(0).getDefiningOp();
      else
        keepAttributes(op, *results);
      op->replaceAllUsesWith(*results);
      op->erase();
      if (tuple && tuple->use_empty())
        tuple->erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createExpandOpsPass() {
  return std::make_unique<ExpandOpsPass>();
}

void registerExpandPasses() {
  registerPass(createExpandOpsPass);
  registerPass(createExpandQuantizedPass);
}

} // namespace shardwright
