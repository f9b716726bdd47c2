//===- inline_composites.cc - composites as CHLO ops and calls --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/interop/chlo/chlo_passes.h"
#include "shardwright/interop/chlo/raise_to_chlo.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {
namespace {

struct InlineCompositesPass
    : PassWrapper<InlineCompositesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineCompositesPass)

  StringRef getArgument() const final { return "sw-inline-composites"; }
  StringRef getDescription() const final {
    return "Replaces stablehlo.composite by CHLO ops or calls of the "
           "decomposition";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<func::FuncDialect, chlo::ChloDialect>();
  }
  // A composite is equivalent to its decomposition; name, version, attributes
  // and regions are hints. We know the composites of CHLO, and our expansions
  // are more accurate than most decompositions.
  void runOnOperation() final {
    ModuleOp module = getOperation();
    SmallVector<stablehlo::CompositeOp> composites;
    module.walk([&](stablehlo::CompositeOp op) { composites.push_back(op); });
    llvm::SetVector<StringAttr> unused;
    for (stablehlo::CompositeOp op : composites) {
      OpBuilder b(op);
      Operation *made = nullptr;
      StringRef name = op.getName();
      if (name.consume_front("chlo.") && op.getVersion() == 1)
        made = raiseToChlo(b, op.getLoc(), name, op.getInputs(),
                           op.getResultTypes(), op.getCompositeAttributes());
      if (made)
        unused.insert(op.getDecompositionAttr().getAttr());
      else
        made = func::CallOp::create(b, op.getLoc(), op.getDecompositionAttr(),
                                    op.getResultTypes(), op.getInputs());
      made->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
      op.replaceAllUsesWith(made->getResults());
      op.erase();
    }
    eraseUnused(module, unused);
  }

  // Erases decompositions that are no longer referenced.
  static void eraseUnused(ModuleOp module,
                          const llvm::SetVector<StringAttr> &names) {
    if (names.empty())
      return;
    llvm::DenseSet<StringAttr> used;
    if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
      for (SymbolTable::SymbolUse use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
    SymbolTable symbols(module);
    for (StringAttr name : names) {
      auto function = symbols.lookup<func::FuncOp>(name);
      if (function && function.isPrivate() && !used.contains(name))
        symbols.erase(function);
    }
  }
};

} // namespace

std::unique_ptr<Pass> createInlineCompositesPass() {
  return std::make_unique<InlineCompositesPass>();
}

} // namespace shardwright
