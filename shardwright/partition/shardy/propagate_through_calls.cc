//===- propagate_through_calls.cc - propagation with calls ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/propagate_through_calls.h"

#include "shardwright/propagate/calls/share_call_bodies.h"
#include "shardwright/propagate/engine/engine.h"
#include "shardwright/propagate/import/call_growth.h"
#include "shardwright/propagate/reasons/remarks.h"

using namespace mlir;

namespace shardwright {

namespace {

struct PropagateThroughCalls
    : public PassWrapper<PropagateThroughCalls, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PropagateThroughCalls)

  PropagateThroughCalls(const EngineOptions &options,
                        std::function<void(OpPassManager &)> passes)
      : options(options), passes(std::move(passes)) {}

  StringRef getName() const override { return "PropagateThroughCalls"; }

  void runOnOperation() override {
    const auto &contents = getAnalysis<ModuleContents>();
    if (contents.calls && failed(checkCallGrowth(getOperation())))
      return signalPassFailure();
    // Remarks need a copy of the ops for each call.
    if (!wantsRemarks(&getContext()) &&
        mayShareCallBodies(getOperation(), contents,
                           getAnalysis<CallsByFunction>())) {
      if (failed(propagateThroughCalls(
              getOperation(), contents, getAnalysis<OpIndex>(),
              getAnalysis<CallsByFunction>(), options)))
        signalPassFailure();
      // Propagation may have added constraints to manual computations and
      // groups.
      if (contents.constraints ||
          (!contents.manualComputations && !contents.groups))
        markAnalysesPreserved<ModuleContents>();
      return;
    }
    OpPassManager pm(ModuleOp::getOperationName());
    passes(pm);
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }

private:
  EngineOptions options;
  std::function<void(OpPassManager &)> passes;
};

} // namespace

std::unique_ptr<Pass>
createPropagateThroughCalls(const EngineOptions &options,
                            std::function<void(OpPassManager &)> passes) {
  return std::make_unique<PropagateThroughCalls>(options, std::move(passes));
}

} // namespace shardwright
