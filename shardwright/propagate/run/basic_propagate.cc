//===- basic_propagate.cc - propagation where everything fits ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/passes.h"
#include "shardwright/propagate/run/run_engine.h"

namespace shardwright {

#define GEN_PASS_DEF_BASICPROPAGATE
#include "shardwright/propagate/passes.h.inc"

namespace {

struct BasicPropagatePass
    : PropagationPass<impl::BasicPropagateBase<BasicPropagatePass>> {
  using PropagationPass::PropagationPass;

  void runOnOperation() override {
    EngineOptions options;
    options.strategy = PropagationStrategy::Basic;
    options.opPriorities = options.userPriorities = false;
    runWithOptions(options);
  }
};

} // namespace
} // namespace shardwright
