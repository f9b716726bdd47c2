//===- aggressive_propagate.cc - propagation resolving conflicts ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/passes.h"
#include "shardwright/propagate/run/run_engine.h"

namespace shardwright {

#define GEN_PASS_DEF_AGGRESSIVEPROPAGATE
#include "shardwright/propagate/passes.h.inc"

namespace {

struct AggressivePropagatePass
    : PropagationPass<impl::AggressivePropagateBase<AggressivePropagatePass>> {
  using PropagationPass::PropagationPass;

  void runOnOperation() override {
    EngineOptions options;
    options.strategy = propagationStrategy;
    options.opPriorities = options.userPriorities = false;
    runWithOptions(options);
  }
};

} // namespace
} // namespace shardwright
