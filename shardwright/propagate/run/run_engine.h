//===- run_engine.h - the engine as the passes run it -----------*- C++ -*-===//
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
  /// Where to write the module between user priorities; empty: nowhere.
  std::string dumpDirectory;
  int64_t dumpIndex = 0;
};

llvm::LogicalResult runEngine(mlir::ModuleOp module, EngineOptions options,
                              const PropagationDebugOptions &debug);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_RUN_RUN_ENGINE_H
