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

/// True for an elementwise function that takes many StableHLO ops.
static bool isLongFunction(Operation *op) {
  if (!op->hasTrait<OpTrait::Elementwise>() ||
      isa<chlo::ConjOp, chlo::SquareOp, chlo::IsInfOp, chlo::IsNegInfOp,
          chlo::IsPosInfOp, chlo::MulhiOp>(op))
    return false;
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
           isa<FloatType, ComplexType>(tensor.getElementType());
  });
}

LogicalResult expandChlo(Operation *root, bool keepFunctions) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<chlo::ChloDialect>(op->getDialect()))
      ops.push_back(op);
  });
  bool ok = true;
  for (size_t i = 0; i < ops.size(); ++i) {
    Operation *op = ops[i];
    if (keepFunctions && isLongFunction(op))
      continue;
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

  explicit ChloLegalizeToStablehloPass(bool keepFunctions)
      : keepFunctions(keepFunctions) {}

  StringRef getArgument() const final { return "chlo-legalize-to-stablehlo"; }
  StringRef getDescription() const final {
    return "Replaces CHLO ops by StableHLO";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    if (failed(expandChlo(getOperation(), keepFunctions)))
      signalPassFailure();
  }

  bool keepFunctions;
};

} // namespace

std::unique_ptr<Pass> createChloLegalizeToStablehloPass(bool keepFunctions) {
  return std::make_unique<ChloLegalizeToStablehloPass>(keepFunctions);
}

void registerChloPasses() {
  registerPass([] { return createChloLegalizeToStablehloPass(); });
  registerPass(createInlineCompositesPass);
  registerPass(createExpandComplexMathPass);
}

} // namespace shardwright
