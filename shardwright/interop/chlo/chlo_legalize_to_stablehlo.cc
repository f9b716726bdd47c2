//===- chlo_legalize_to_stablehlo.cc - replaces CHLO ops by StableHLO ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/interop/chlo/chlo_passes.h"
#include "shardwright/interop/chlo/expand_op.h"
#include "shardwright/interop/chlo/replace_op.h"

using namespace mlir;

namespace shardwright {

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
    auto differs = [](Value result, Value old) {
      return !stablehlo::areCompatible(result.getType(), old.getType());
    };
    for (auto [result, old] : llvm::zip(results, op->getResults()))
      if (differs(result, old)) {
        op->emitOpError("has no expansion to the result type ")
            << old.getType() << ", inferred " << result.getType();
        ok = false;
      }
    if (!ok)
      continue;
    chlo_expansion::replaceOp(op, results);
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
  registerPass(createExpandComplexMathPass);
}

} // namespace shardwright
