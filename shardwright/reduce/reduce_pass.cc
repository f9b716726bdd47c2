//===- reduce_pass.cc - sw-reduce: delta debugging of a module ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists each kind of change for all ops, last op first, and tries all of them
// at once; if that hides the failure, tries each half, down to single ops.
// Repeats all kinds until nothing changes. A round takes about log(n) runs of
// the test for each change that must not be made.
//
//===----------------------------------------------------------------------===//

#include "shardwright/reduce/reduce_pass.h"

#include "shardwright/reduce/candidates.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Tester.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace shardwright {
namespace {

using Propose = void (*)(Operation *, Changes &);

/// The largest simplifications first.
constexpr Propose kinds[] = {addErasedSymbols, addReplacements,
                             addShorterSignatures, addDroppedAttributes,
                             addSimplerConstants};

class Reducer {
public:
  Reducer(ModuleOp module, const Tester &tester)
      : module(module), tester(tester), rewriter(module.getContext()) {}

  void run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (Propose propose : kinds)
        changed |= runKind(propose);
    }
  }

private:
  bool runKind(Propose propose) {
    // Try an op's alternatives one after the other.
    bool changed = false;
    for (size_t alternative = 0;; ++alternative) {
      SmallVector<ChangeOfOp> all;
      bool more = false;
      module.walk([&](Operation *op) {
        if (op == module && propose != addDroppedAttributes)
          return;
        Changes changes;
        propose(op, changes);
        more |= changes.size() > alternative + 1;
        if (changes.size() > alternative)
          all.emplace_back(op, changes[alternative]);
      });
      std::reverse(all.begin(), all.end());
      erased.clear();
      changed |= tryHalves(all);
      if (!more)
        return changed;
    }
  }

  bool tryHalves(ArrayRef<ChangeOfOp> changes) {
    SmallVector<ChangeOfOp> there;
    llvm::copy_if(changes, std::back_inserter(there), [&](const auto &change) {
      return !erased.contains(change.first);
    });
    if (there.empty())
      return false;
    if (tryChanges(module, there, rewriter, tester, erased))
      return true;
    if (there.size() == 1)
      return false;
    ArrayRef<ChangeOfOp> rest(there);
    size_t half = rest.size() / 2;
    bool first = tryHalves(rest.take_front(half));
    return tryHalves(rest.drop_front(half)) || first;
  }

  ModuleOp module;
  const Tester &tester;
  IRRewriter rewriter;
  llvm::DenseSet<Operation *> erased; ///< of the list being tried
};

struct ReducePass : PassWrapper<ReducePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReducePass)

  ReducePass() = default;
  ReducePass(const ReducePass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "sw-reduce"; }
  StringRef getDescription() const final {
    return "Simplify a module while a test script finds it interesting";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!llvm::sys::fs::can_execute(testScript)) {
      module.emitError() << "sw-reduce: test='" << testScript
                         << "' is not an executable file, expected a script "
                            "that takes a module's file";
      return signalPassFailure();
    }
    SmallVector<std::string> arguments(testArguments.begin(),
                                       testArguments.end());
    Tester tester(testScript.getValue(), arguments);
    if (tester.isInteresting(module).first != Tester::Interestingness::True) {
      module.emitError() << "sw-reduce: '" << testScript
                         << "' does not find the module interesting, expected "
                            "exit code 1";
      return signalPassFailure();
    }
    Reducer(module, tester).run();
  }

  Option<std::string> testScript{
      *this, "test", llvm::cl::desc("Script: exit code 1 means interesting")};
  ListOption<std::string> testArguments{
      *this, "test-arg", llvm::cl::desc("Arguments before the file")};
};

} // namespace

void registerReducePass() { PassRegistration<ReducePass>(); }

} // namespace shardwright
