//===- inline_composites.cc - replaces composites by calls --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/interop/chlo/chlo_passes.h"

using namespace mlir;

namespace shardwright {
namespace {

struct InlineCompositesPass
    : PassWrapper<InlineCompositesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineCompositesPass)

  StringRef getArgument() const final { return "sw-inline-composites"; }
  StringRef getDescription() const final {
    return "Replaces stablehlo.composite by calls of the decomposition";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<func::FuncDialect>();
  }
  // A composite means what its decomposition computes; name, version,
  // attributes and regions are for those who know the composite.
  void runOnOperation() final {
    SmallVector<stablehlo::CompositeOp> composites;
    getOperation().walk(
        [&](stablehlo::CompositeOp op) { composites.push_back(op); });
    for (stablehlo::CompositeOp op : composites) {
      OpBuilder b(op);
      auto call =
          func::CallOp::create(b, op.getLoc(), op.getDecompositionAttr(),
                               op.getResultTypes(), op.getInputs());
      call->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
      op.replaceAllUsesWith(call.getResults());
      op.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createInlineCompositesPass() {
  return std::make_unique<InlineCompositesPass>();
}

} // namespace shardwright
