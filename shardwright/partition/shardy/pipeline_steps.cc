//===- pipeline_steps.cc - MLIR passes where they are needed --------------===//
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

/// Erases private functions that are not referenced, like MLIR's symbol-dce.
/// That pass builds a dictionary of each op's properties to look for symbols,
/// which takes as long as propagation.
class FunctionDCE {
public:
  explicit FunctionDCE(const OpIndex &index) : index(index) {}

  bool erasedAny = false;

  /// Returns false, for a fallback to symbol-dce, if the module has other
  /// symbols to erase, nested symbol tables, or unknown ops.
  bool run(ModuleOp module) {
    bool onlyFunctions = true;
    for (Operation *op : index.topLevel()) {
      onlyFunctions = onlyFunctions && !op->hasTrait<OpTrait::SymbolTable>();
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (!symbol || symbol.isPublic() || !symbol.canDiscardOnUseEmpty()) {
        alive.push_back(op);
        continue;
      }
      onlyFunctions = onlyFunctions && isa<func::FuncOp>(op);
      waiting.insert({symbol.getNameAttr(), op});
    }
    if (!onlyFunctions || waiting.empty())
      return onlyFunctions;
    if (mayHoldNames()) {
      if (!walkAlive())
        return false;
    } else {
      followCalls();
    }
    if (waiting.empty())
      return true;
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (auto func = dyn_cast<func::FuncOp>(op))
        if (waiting.contains(func.getSymNameAttr())) {
          op.erase();
          erasedAny = true;
        }
    return true;
  }

private:
  /// True if function names may occur outside of calls and the attributes of
  /// functions' arguments and results.
  bool mayHoldNames() const {
    return index.has([](OperationName name) {
      if (isNamed<stablehlo::CustomCallOp, stablehlo::CompositeOp,
                  func::ConstantOp>(name))
        return true;
      StringRef dialect = name.getDialectNamespace();
      return dialect != stablehlo::StablehloDialect::getDialectNamespace() &&
             dialect != chlo::ChloDialect::getDialectNamespace() &&
             dialect != sdy::SdyDialect::getDialectNamespace() &&
             dialect != func::FuncDialect::getDialectNamespace();
    }) || llvm::any_of(index.dictionaries(), [&](DictionaryAttr dict) {
             return dict
                 .walk([&](SymbolRefAttr symbol) {
                   return waiting.contains(symbol.getRootReference())
                              ? WalkResult::interrupt()
                              : WalkResult::advance();
                 })
                 .wasInterrupted();
           });
  }

  void followCalls() {
    OpIndex::Ops calls;
    llvm::DenseMap<Operation *, ArrayRef<Operation *>> callsIn;
    for (auto [func, begin, end] :
         index.byFunction(isNamed<func::CallOp>, calls))
      if (begin != end)
        callsIn[func] = ArrayRef(calls).slice(begin, end - begin);
    for (size_t i = 0; i < alive.size() && !waiting.empty(); ++i) {
      auto func = dyn_cast<func::FuncOp>(alive[i]);
      if (!func)
        continue;
      find(func.getArgAttrsAttr());
      find(func.getResAttrsAttr());
      for (Operation *op : callsIn.lookup(func))
        find(cast<func::CallOp>(op).getCalleeAttr());
    }
  }

  /// Stops as soon as every function is alive.
  bool walkAlive() {
    for (size_t i = 0; i < alive.size() && !waiting.empty(); ++i) {
      alive[i]->walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!visit(op)) {
          known = false;
          return WalkResult::interrupt();
        }
        return waiting.empty() ? WalkResult::interrupt()
                               : WalkResult::advance();
      });
      if (!known)
        return false;
    }
    return true;
  }

  bool visit(Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      find(call.getCalleeAttr());
    } else if (isa<func::FuncOp>(op)) {
      // A function's attributes include its signature and its argument
      // attributes.
      find(op->getAttrDictionary());
    } else if (isa<stablehlo::CustomCallOp, stablehlo::CompositeOp,
                   func::ConstantOp>(op)) {
      find(op->getAttrDictionary());
    } else if (!isa_and_nonnull<stablehlo::StablehloDialect, chlo::ChloDialect,
                                sdy::SdyDialect, func::FuncDialect>(
                   op->getDialect())) {
      return isa<ModuleOp>(op);
    }
    // Other ops of these dialects refer to no function in their properties.
    find(op->getDiscardableAttrDictionary());
    return true;
  }

  void find(Attribute attr) {
    if (!attr || !seen.insert(attr).second)
      return;
    attr.walk([&](SymbolRefAttr symbol) {
      auto it = waiting.find(symbol.getRootReference());
      if (it == waiting.end())
        return;
      alive.push_back(it->second);
      waiting.erase(it);
    });
  }

  const OpIndex &index;
  SmallVector<Operation *> alive;
  llvm::DenseMap<StringAttr, Operation *> waiting;
  llvm::DenseSet<Attribute> seen;
  bool known = true;
};

struct SymbolDCEIfNeeded
    : public PassWrapper<SymbolDCEIfNeeded, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SymbolDCEIfNeeded)

  StringRef getName() const override { return "SymbolDCEIfNeeded"; }

  void runOnOperation() override {
    markAnalysesPreserved<ModuleContents>();
    FunctionDCE dce(getAnalysis<OpIndex>());
    if (dce.run(getOperation())) {
      if (!dce.erasedAny)
        markAnalysesPreserved<OpIndex>();
      return;
    }
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createSymbolDCEPass());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};

/// Erases dead ops, users before their operands. False if the module has an op
/// that may fold or has patterns.
bool eraseDeadOps(ModuleOp module, ArrayRef<Dialect *> known) {
  SmallVector<Operation *> dead;
  llvm::DenseMap<OperationName, bool> isKnown;
  bool allKnown = !module
                       .walk<WalkOrder::PreOrder>([&](Operation *op) {
                         if (op == module)
                           return WalkResult::advance();
                         auto [it, isNew] = isKnown.try_emplace(op->getName());
                         if (isNew)
                           it->second =
                               op->getDialect() &&
                               llvm::is_contained(known, op->getDialect()) &&
                               !isa<sdy::CollectiveOpInterface>(op);
                         if (!it->second)
                           return WalkResult::interrupt();
                         if (op->use_empty() && isOpTriviallyDead(op)) {
                           dead.push_back(op);
                           return WalkResult::skip();
                         }
                         return WalkResult::advance();
                       })
                       .wasInterrupted();
  if (!allKnown)
    return false;
  while (!dead.empty()) {
    Operation *op = dead.pop_back_val();
    if (op->getNumRegions() != 0)
      llvm::erase_if(dead,
                     [&](Operation *o) { return op->isProperAncestor(o); });
    llvm::SmallSetVector<Operation *, 4> definers;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *definer = operand.getDefiningOp())
          if (!op->isAncestor(definer))
            definers.insert(definer);
    });
    op->erase();
    for (Operation *definer : definers)
      if (isOpTriviallyDead(definer))
        dead.push_back(definer);
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
    markAnalysesPreserved<ModuleContents>();
    if (eraseDeadOps(getOperation(), known)) {
      if (auto index = getCachedAnalysis<OpIndex>()) {
        index->get().forgetOps();
        markAnalysesPreserved<OpIndex>();
      }
      return;
    }
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createCanonicalizerPass(GreedyRewriteConfig(), {},
                                       {sdy::kCollectiveLabel.str()}));
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};

struct ModuleStep : public PassWrapper<ModuleStep, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ModuleStep)

  ModuleStep(StringRef name, ModuleStepFn step)
      : name(name), step(std::move(step)) {}

  StringRef getName() const override { return name; }

  void runOnOperation() override {
    if (failed(step(getOperation(), ModuleAnalyses(getAnalysisManager()))))
      signalPassFailure();
    markAnalysesPreserved<ModuleContents, OpIndex>();
  }

private:
  std::string name;
  ModuleStepFn step;
};

} // namespace

std::unique_ptr<Pass> createModuleStep(StringRef name, ModuleStepFn step) {
  return std::make_unique<ModuleStep>(name, std::move(step));
}

std::unique_ptr<Pass> createSymbolDCEIfNeeded() {
  return std::make_unique<SymbolDCEIfNeeded>();
}

std::unique_ptr<Pass> createCanonicalizeCollectives() {
  return std::make_unique<CanonicalizeCollectives>();
}

} // namespace shardwright
