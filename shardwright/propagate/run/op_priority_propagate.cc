//===- op_priority_propagate.cc - propagation cheap ops first ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/passes.h"
#include "shardwright/propagate/run/run_engine.h"

namespace shardwright {

#define GEN_PASS_DEF_OPPRIORITYPROPAGATE
#include "shardwright/propagate/passes.h.inc"

namespace {

struct OpPriorityPropagatePass
    : PropagationPass<impl::OpPriorityPropagateBase<OpPriorityPropagatePass>> {
  using PropagationPass::PropagationPass;

  void runOnOperation() override {
    EngineOptions options;
    options.strategy = propagationStrategy;
    options.opPriorities = runOpPriorityPropagation;
    options.userPriorities = false;
    runWithOptions(options);
  }
};

} // namespace
} // namespace shardwright
