//===- pipeline_steps.cc - MLIR's passes where they are needed -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/pipeline_steps.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace shardwright {

namespace {

struct SymbolDCEIfNeeded
    : public PassWrapper<SymbolDCEIfNeeded, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SymbolDCEIfNeeded)

  StringRef getName() const override { return "SymbolDCEIfNeeded"; }

  void runOnOperation() override {
    bool mayDrop = false;
    for (Operation &op : *getOperation().getBody()) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      // Symbols of nested tables are looked at by the pass itself.
      mayDrop |= symbol && !symbol.isPublic() && symbol.canDiscardOnUseEmpty();
      mayDrop |= op.hasTrait<OpTrait::SymbolTable>();
    }
    if (!mayDrop)
      return;
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createSymbolDCEPass());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};

/// Erases dead ops, users before what they use. False if the region has an op
/// that may fold or has patterns.
bool eraseDeadOps(Region &region, ArrayRef<Dialect *> known) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (!op.getDialect() || !llvm::is_contained(known, op.getDialect()) ||
          isa<sdy::CollectiveOpInterface>(op))
        return false;
      if (isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      for (Region &nested : op.getRegions())
        if (!eraseDeadOps(nested, known))
          return false;
    }
  return true;
}

struct CanonicalizeCollectives
    : public PassWrapper<CanonicalizeCollectives, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CanonicalizeCollectives)

  StringRef getName() const override { return "CanonicalizeCollectives"; }

  void runOnOperation() override {
    MLIRContext &context = getContext();
    Dialect *known[] = {context.getLoadedDialect<stablehlo::StablehloDialect>(),
                        context.getLoadedDialect<chlo::ChloDialect>(),
                        context.getLoadedDialect<sdy::SdyDialect>(),
                        context.getLoadedDialect<func::FuncDialect>()};
    if (eraseDeadOps(getOperation().getBodyRegion(), known))
      return;
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createCanonicalizerPass(GreedyRewriteConfig(), {},
                                       {sdy::kCollectiveLabel.str()}));
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};

struct Unsupported : public PassWrapper<Unsupported, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Unsupported)

  explicit Unsupported(std::string message) : message(std::move(message)) {}

  StringRef getName() const override { return "Unsupported"; }

  void runOnOperation() override {
    getOperation().emitError(message);
    signalPassFailure();
  }

private:
  std::string message;
};

} // namespace

std::unique_ptr<Pass> createUnsupported(std::string message) {
  return std::make_unique<Unsupported>(std::move(message));
}

std::unique_ptr<Pass> createSymbolDCEIfNeeded() {
  return std::make_unique<SymbolDCEIfNeeded>();
}

std::unique_ptr<Pass> createCanonicalizeCollectives() {
  return std::make_unique<CanonicalizeCollectives>();
}

} // namespace shardwright
