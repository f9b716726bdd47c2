//===- simplify.cc - simplify StableHLO programs --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/simplify.h"

#include "shardwright/dialect/stablehlo/dialect.h"
#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/region.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_SIMPLIFYPASS
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardwright/simplify/passes.h.inc"

void populateSimplifyPatterns(RewritePatternSet &patterns,
                              const SimplifyOptions &options) {
  simplifier::addFoldElementwise(patterns, options.foldLimit);
  simplifier::addFoldShape(patterns, options.foldLimit);
  simplifier::addArithmetic(patterns);
  simplifier::addLogic(patterns);
  simplifier::addConversion(patterns);
  simplifier::addReshape(patterns);
  simplifier::addSlice(patterns);
  simplifier::addConcatenate(patterns);
  simplifier::addDynamicIndex(patterns);
  simplifier::addContraction(patterns);
  simplifier::addReduction(patterns, options.foldLimit);
  simplifier::addControlFlow(patterns);
  simplifier::addLoop(patterns);
  simplifier::addDynamicShape(patterns);
}

void stablehlo::StablehloDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  populateSimplifyPatterns(patterns);
}

LogicalResult simplify(Operation *root, const SimplifyOptions &options) {
  RewritePatternSet patterns(root->getContext());
  populateSimplifyPatterns(patterns, options);
  FrozenRewritePatternSet frozen(std::move(patterns));
  int64_t ops = 0;
  root->walk([&](Operation *) { ++ops; });
  // Constants stay in their regions and keep their attributes. The rewrites
  // terminate, since each shrinks or orders the program; the bound applies only
  // if that is ever wrong, and then the program is still valid.
  auto config =
      GreedyRewriteConfig()
          .setUseTopDownTraversal(true)
          .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
          .setMaxIterations(GreedyRewriteConfig::kNoLimit)
          .setMaxNumRewrites(1000 + 64 * ops)
          .enableConstantCSE(false);
  IRRewriter rewriter(root->getContext());
  // Merging equal ops enables rewrites (x - x, equal branches), and vice versa.
  bool changed;
  do {
    if (failed(applyPatternsGreedily(root, frozen, config)))
      break;
    changed = simplifier::dropDeadLoopValues(rewriter, root);
    changed |= mergeEqualOps(rewriter, root);
  } while (changed);
  return success();
}

namespace {

struct SimplifyPass : impl::SimplifyPassBase<SimplifyPass> {
  using Base::Base;
  void runOnOperation() override {
    if (failed(simplify(getOperation(), {foldLimit})))
      signalPassFailure();
  }
};

} // namespace

void registerSimplifyPasses() { registerSimplifyTablePasses(); }

} // namespace shardwright
