//===- simplify.cc - simplify StableHLO programs --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/simplify.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/dialect.h"
#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/region.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinDialect.h"
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
  simplifier::Patterns added;
  simplifier::addFoldElementwise(added, options.foldLimit);
  simplifier::addFoldShape(added, options.foldLimit);
  simplifier::addArithmetic(added);
  simplifier::addLogic(added);
  simplifier::addConversion(added);
  simplifier::addReshape(added);
  simplifier::addSlice(added);
  simplifier::addConcatenate(added);
  simplifier::addDynamicIndex(added);
  simplifier::addContraction(added);
  simplifier::addReduction(added, options.foldLimit);
  simplifier::addControlFlow(added);
  simplifier::addLoop(added);
  simplifier::addDynamicShape(added);
  added.moveTo(patterns);
}

void stablehlo::StablehloDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  populateSimplifyPatterns(patterns);
}

namespace {

/// Notes where a program changes, so that only the ops near by are looked at
/// again.
class ChangedOps : public RewriterBase::Listener {
public:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.insert(op);
  }
  void notifyOperationModified(Operation *op) override { ops.insert(op); }
  void notifyOperationErased(Operation *op) override {
    ops.erase(op);
    withFewerUses.erase(op);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        withFewerUses.insert(producer);
  }

  /// The ops of `root` whose rewrites may apply now, the last in program order
  /// first, as the driver takes them from the end. Forgets all changes.
  std::vector<Operation *> takeAffected(Operation *root);

private:
  /// Rewrites read the op, its producers, and the operands and uses of these.
  /// One step more is for what they compose.
  static constexpr int kReach = 2;

  llvm::DenseSet<Operation *> ops, withFewerUses;
};

/// Adds those of `ops` that are nested in `parent` to `list`, in program order.
/// With an op, `ops` has the ops around it up to `parent`.
void collectInOrder(Operation *parent, const llvm::DenseSet<Operation *> &ops,
                    std::vector<Operation *> &list) {
  for (Region &region : parent->getRegions())
    for (Block &block : region)
      for (Operation &op : block) {
        if (list.size() == ops.size())
          return;
        if (!ops.contains(&op))
          continue;
        list.push_back(&op);
        collectInOrder(&op, ops, list);
      }
}

std::vector<Operation *> ChangedOps::takeAffected(Operation *root) {
  llvm::DenseSet<Operation *> affected;
  SmallVector<Operation *> last;
  auto add = [&](Operation *op) {
    for (; op && op != root && affected.insert(op).second;
         op = op->getParentOp())
      last.push_back(op);
  };
  llvm::for_each(ops, add);
  for (int i = 0; i < kReach; ++i)
    for (Operation *op : std::exchange(last, {}))
      llvm::for_each(op->getUsers(), add);
  for (Operation *op : withFewerUses) {
    add(op);
    // Rewrites merge an op with its only user.
    if (llvm::hasSingleElement(op->getUses()))
      add(*op->user_begin());
  }
  ops.clear();
  withFewerUses.clear();
  std::vector<Operation *> list;
  if (affected.empty())
    return list;
  list.reserve(affected.size());
  collectInOrder(root, affected, list);
  std::reverse(list.begin(), list.end());
  return list;
}

} // namespace

/// True if no op of the dialect but constants has a folder. What folding does
/// to commutative ops is one of the rewrites.
static bool isWithoutFolds(Dialect *dialect) {
  return isa_and_nonnull<stablehlo::StablehloDialect, sdy::SdyDialect,
                         func::FuncDialect, BuiltinDialect>(dialect);
}

LogicalResult simplify(Operation *root, const SimplifyOptions &options) {
  RewritePatternSet patterns(root->getContext());
  populateSimplifyPatterns(patterns, options);
  FrozenRewritePatternSet frozen(std::move(patterns));
  int64_t numOps = 0;
  bool mayFold = false, hasLoops = false;
  Dialect *last = nullptr;
  root->walk([&](Operation *op) {
    ++numOps;
    if (Dialect *dialect = op->getDialect(); dialect != last || !dialect)
      mayFold |= !isWithoutFolds(last = dialect);
    hasLoops |= isa<stablehlo::WhileOp>(op);
  });
  ChangedOps changes;
  // Constants stay in their regions and keep their attributes. The rewrites
  // terminate, since each shrinks or orders the program; the bound applies only
  // if that is ever wrong, and then the program is still valid.
  auto config =
      GreedyRewriteConfig()
          .setUseTopDownTraversal(true)
          .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
          // A full pass, and then passes over what changed.
          .setMaxIterations(1)
          .setMaxNumRewrites(1000 + 64 * numOps)
          .enableConstantCSE(false)
          .enableFolding(mayFold)
          .setListener(&changes);
  IRRewriter rewriter(root->getContext(), &changes);
  (void)applyPatternsGreedily(root, frozen, config);
  // Merging equal ops enables rewrites (x - x, equal branches), and vice versa.
  bool mayMerge = true, isMerged = true;
  while (isMerged) {
    for (auto ops = changes.takeAffected(root); !ops.empty();
         ops = changes.takeAffected(root)) {
      bool changed = false;
      (void)applyOpPatternsGreedily(ops, frozen, config, &changed);
      mayMerge |= changed;
    }
    if (!mayMerge)
      break;
    isMerged = hasLoops && simplifier::dropDeadLoopValues(rewriter, root);
    isMerged |= mergeEqualOps(rewriter, root);
    mayMerge = false;
  }
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
