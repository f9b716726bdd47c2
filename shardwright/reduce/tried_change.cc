//===- tried_change.cc - changes that keep the failure --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/reduce/tried_change.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/Tester.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Records the ops that a rewriter erases, and forwards all events to the
/// previous listener.
class HearErased : public RewriterBase::Listener {
public:
  HearErased(RewriterBase &rewriter, llvm::DenseSet<Operation *> &erased)
      : rewriter(rewriter), before(rewriter.getListener()), erased(erased) {
    rewriter.setListener(this);
  }
  ~HearErased() override { rewriter.setListener(before); }

  void notifyOperationErased(Operation *op) override {
    erased.insert(op);
    if (auto *next = dyn_cast_or_null<RewriterBase::Listener>(before))
      next->notifyOperationErased(op);
  }
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (before)
      before->notifyOperationInserted(op, previous);
  }
  void notifyOperationModified(Operation *op) override {
    if (auto *next = dyn_cast_or_null<RewriterBase::Listener>(before))
      next->notifyOperationModified(op);
  }
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    if (auto *next = dyn_cast_or_null<RewriterBase::Listener>(before))
      next->notifyOperationReplaced(op, values);
  }

private:
  RewriterBase &rewriter;
  OpBuilder::Listener *before;
  llvm::DenseSet<Operation *> &erased;
};

/// Adds the producers of the op's operands; for a function, those of its
/// returned values.
void addProducers(Operation *op, llvm::SetVector<Operation *> &producers) {
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      producers.insert(producer);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && !function.isExternal())
    for (Block &block : function.getFunctionBody())
      if (!block.empty())
        addProducers(&block.back(), producers);
}

void makeChanges(RewriterBase &rewriter, ArrayRef<ChangeOfOp> changes,
                 llvm::DenseSet<Operation *> &erased,
                 llvm::function_ref<Operation *(Operation *)> counterpart) {
  HearErased hear(rewriter, erased);
  for (const auto &[original, change] : changes) {
    Operation *op = counterpart(original);
    if (!op || erased.contains(op))
      continue;
    llvm::SetVector<Operation *> producers;
    addProducers(op, producers);
    if (op->getBlock())
      rewriter.setInsertionPoint(op);
    change(rewriter, op);
    while (!producers.empty()) {
      Operation *producer = producers.pop_back_val();
      if (erased.contains(producer) || !isOpTriviallyDead(producer))
        continue;
      addProducers(producer, producers);
      rewriter.eraseOp(producer);
    }
  }
}

} // namespace

bool tryChanges(ModuleOp module, ArrayRef<ChangeOfOp> changes,
                RewriterBase &rewriter, const Tester &tester,
                llvm::DenseSet<Operation *> &erased) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
  {
    IRRewriter copyRewriter(module.getContext());
    llvm::DenseSet<Operation *> erasedOfCopy;
    makeChanges(copyRewriter, changes, erasedOfCopy,
                [&](Operation *op) { return mapping.lookupOrNull(op); });
    // Suppress diagnostics about trial changes.
    ScopedDiagnosticHandler silent(module.getContext(),
                                   [](Diagnostic &) { return success(); });
    if (failed(verify(*copy)))
      return false;
  }
  if (tester.isInteresting(*copy).first != Tester::Interestingness::True)
    return false;
  makeChanges(rewriter, changes, erased, [](Operation *op) { return op; });
  return true;
}

} // namespace shardwright
