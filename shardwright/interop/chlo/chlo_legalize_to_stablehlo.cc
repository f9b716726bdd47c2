//===- chlo_legalize_to_stablehlo.cc - replaces CHLO ops by StableHLO ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/interop/chlo/chlo_passes.h"
#include "shardwright/interop/chlo/expand_op.h"

using namespace mlir;

namespace shardwright {

// Hands the discardable attributes of `op` to the ops that produce its new
// results; an sdy.sharding that lists one sharding a result is split.
static void keepAttributes(Operation *op, ArrayRef<Value> results) {
  if (op->getDiscardableAttrDictionary().empty())
    return;
  for (auto [index, result] : llvm::enumerate(results)) {
    Operation *producer = result.getDefiningOp();
    if (!producer)
      continue;
    for (NamedAttribute attr : op->getDiscardableAttrs()) {
      Attribute value = attr.getValue();
      auto shardings = dyn_cast<sdy::TensorShardingPerValueAttr>(value);
      if (shardings && shardings.getShardings().size() == results.size() &&
          producer->getNumResults() == 1)
        value = sdy::TensorShardingPerValueAttr::get(
            op->getContext(), shardings.getShardings()[index]);
      producer->setDiscardableAttr(attr.getName(), value);
    }
  }
}

LogicalResult expandChlo(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<chlo::ChloDialect>(op->getDialect()))
      ops.push_back(op);
  });
  bool ok = true;
  for (size_t i = 0; i < ops.size(); ++i) {
    Operation *op = ops[i];
    SmallVector<Value> results;
    SmallVector<Operation *> more;
    if (failed(chlo_expansion::expandOp(op, results, more))) {
      ok = false;
      continue;
    }
    // An expansion that is its operand needs an op of its own to carry
    // attributes.
    OpBuilder b(op);
    if (!op->getDiscardableAttrDictionary().empty())
      for (Value &result : results)
        if (llvm::is_contained(op->getOperands(), result))
          result = stablehlo::ConvertOp::create(b, op->getLoc(),
                                                result.getType(), result);
    // The new values may be more static than hand-written result types.
    for (auto [result, old] : llvm::zip(results, op->getResults()))
      if (result.getType() != old.getType()) {
        op->emitOpError("has no expansion to the result type ")
            << old.getType() << ", inferred " << result.getType();
        ok = false;
      }
    if (!ok)
      continue;
    keepAttributes(op, results);
    op->replaceAllUsesWith(results);
    op->erase();
    llvm::append_range(ops, more);
  }
  return success(ok);
}

namespace {

struct ChloLegalizeToStablehloPass
    : PassWrapper<ChloLegalizeToStablehloPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChloLegalizeToStablehloPass)

  StringRef getArgument() const final { return "chlo-legalize-to-stablehlo"; }
  StringRef getDescription() const final {
    return "Replaces CHLO ops by StableHLO";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    if (failed(expandChlo(getOperation())))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createChloLegalizeToStablehloPass() {
  return std::make_unique<ChloLegalizeToStablehloPass>();
}

void registerChloPasses() {
  registerPass(createChloLegalizeToStablehloPass);
  registerPass(createInlineCompositesPass);
}

} // namespace shardwright
