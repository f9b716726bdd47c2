//===- user_priority_propagate.cc - propagation by the user's priorities -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/passes.h"
#include "shardwright/propagate/run/run_engine.h"

namespace shardwright {

#define GEN_PASS_DEF_USERPRIORITYPROPAGATE
#include "shardwright/propagate/passes.h.inc"

namespace {

struct UserPriorityPropagatePass
    : PropagationPass<
          impl::UserPriorityPropagateBase<UserPriorityPropagatePass>> {
  using PropagationPass::PropagationPass;
  UserPriorityPropagatePass(const UserPriorityPropagateOptions &options,
                            PropagationObserver *observer, int64_t dumpIndex)
      : PropagationPass(options), observer(observer), dumpIndex(dumpIndex) {}

  void runOnOperation() override {
    EngineOptions options;
    options.strategy = propagationStrategy;
    options.opPriorities = runOpPriorityPropagation;
    options.observer = observer;
    runWithOptions(options, dumpIndex);
  }

private:
  PropagationObserver *observer = nullptr;
  int64_t dumpIndex = 0;
};

} // namespace

std::unique_ptr<mlir::Pass>
createUserPriorityPropagate(const UserPriorityPropagateOptions &options,
                            PropagationObserver *observer, int64_t dumpIndex) {
  return std::make_unique<UserPriorityPropagatePass>(options, observer,
                                                     dumpIndex);
}

} // namespace shardwright
