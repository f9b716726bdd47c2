//===- run_engine.h - run the engine from passes ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_RUN_RUN_ENGINE_H
#define SHARDWRIGHT_PROPAGATE_RUN_RUN_ENGINE_H

#include "shardwright/propagate/engine/engine.h"

namespace shardwright {

struct PropagationDebugOptions {
  bool shardingOrigins = false;
  bool propagationEdges = false;
  /// Directory for dumps of the module between user priorities; empty: no
  /// dumps.
  std::string dumpDirectory;
  int64_t dumpIndex = 0;
};

llvm::LogicalResult runEngine(mlir::ModuleOp module, EngineOptions options,
                              const PropagationDebugOptions &debug);

/// What the propagation passes share. `Base` is the base class of a pass that
/// TableGen generates, with options of the same names.
template <typename Base> class PropagationPass : public Base {
public:
  using Base::Base;

protected:
  /// Runs the engine with the options of the pass. `options` holds the strategy
  /// and the priorities, which are not the same for all passes.
  void runWithOptions(EngineOptions options, int64_t dumpIndex = 0) {
    options.conservative = this->conservativePropagation;
    options.extraRules = this->extraRules;
    options.shardy = this->shardy;
    options.keepShardingRules = this->keepShardingRules;
    if (failed(runEngine(this->getOperation(), options,
                         {this->debugShardingOrigins,
                          this->debugPropagationEdgeSharding,
                          this->dumpDirectory, dumpIndex})))
      this->signalPassFailure();
  }
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_RUN_RUN_ENGINE_H
