//===- reduction_patterns.cc - reduction patterns of our dialects ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/reduce/reduction_patterns.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/dialect/vhlo/vhlo.h"
#include "shardwright/reduce/candidates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Tries the changes that `propose` lists for the ops of its dialect, and makes
/// the first that keeps the module interesting.
struct TriedPattern : RewritePattern {
  using Propose = void (*)(Operation *, Changes &);

  TriedPattern(MLIRContext *context, const Dialect *dialect, Propose propose,
               const Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), dialect(dialect),
        propose(propose), tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto module = op->getParentOfType<ModuleOp>();
    while (module && module->getParentOp())
      module = module->getParentOfType<ModuleOp>();
    if (!module || (dialect && op->getDialect() != dialect))
      return failure();
    Changes changes;
    propose(op, changes);
    llvm::DenseSet<Operation *> erased;
    return success(llvm::any_of(changes, [&](const Change &change) {
      return tryChanges(module, ChangeOfOp(op, change), rewriter, tester,
                        erased);
    }));
  }

  const Dialect *dialect; ///< null: ops of any dialect
  Propose propose;
  const Tester &tester;
};

/// For stablehlo, chlo and vhlo: simplifies their own ops.
struct ComputationReduction : DialectReductionPatternInterface {
  ComputationReduction(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    MLIRContext *context = patterns.getContext();
    patterns.add<TriedPattern>(context, getDialect(), addReplacements, tester);
    patterns.add<TriedPattern>(context, getDialect(), addSimplerConstants,
                               tester);
  }
};

/// For sdy: simplifies its own ops, shardings on ops of every dialect, and
/// functions, which have most of them.
struct ShardingReduction : ComputationReduction {
  using ComputationReduction::ComputationReduction;

  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    MLIRContext *context = patterns.getContext();
    ComputationReduction::populateReductionPatternsWithTester(patterns, tester);
    patterns.add<TriedPattern>(context, nullptr, addDroppedAttributes, tester);
    const Dialect *func = context->getLoadedDialect<func::FuncDialect>();
    if (!func)
      return;
    patterns.add<TriedPattern>(context, func, addShorterSignatures, tester);
    patterns.add<TriedPattern>(context, func, addReplacements, tester);
  }
};

} // namespace

void registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, stablehlo::StablehloDialect *dialect) {
        dialect->addInterfaces<ComputationReduction>();
      });
  registry.addExtension(+[](MLIRContext *, chlo::ChloDialect *dialect) {
    dialect->addInterfaces<ComputationReduction>();
  });
  registry.addExtension(+[](MLIRContext *, vhlo::VhloDialect *dialect) {
    dialect->addInterfaces<ComputationReduction>();
  });
  registry.addExtension(+[](MLIRContext *, sdy::SdyDialect *dialect) {
    dialect->addInterfaces<ShardingReduction>();
  });
}

} // namespace shardwright
