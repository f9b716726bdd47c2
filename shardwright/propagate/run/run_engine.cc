//===- run_engine.cc - run the engine from passes -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/run/run_engine.h"

#include "shardwright/propagate/export/save_module.h"
#include "shardwright/propagate/reasons/debug_info.h"
#include "shardwright/propagate/reasons/remarks.h"

using namespace mlir;

namespace shardwright {

LogicalResult runEngine(ModuleOp module, EngineOptions options,
                        const PropagationDebugOptions &debug) {
  std::optional<DebugInfo> info;
  if (debug.shardingOrigins || debug.propagationEdges) {
    // Callers with another observer call the engine directly.
    if (options.observer)
      return module.emitError("origins and edges are not recorded together "
                              "with reasons");
    info.emplace(module, DebugInfoOptions{debug.shardingOrigins,
                                          debug.propagationEdges});
    options.observer = &*info;
  }
  std::optional<RemarkEmitter> remarks;
  if (wantsRemarks(module.getContext())) {
    remarks.emplace(module, options.observer);
    options.observer = &*remarks;
  }
  if (!debug.dumpDirectory.empty())
    options.afterUserPriority = [&](int64_t priority) {
      saveModule(module, debug.dumpDirectory,
                 "propagation_after_user_priority_" + std::to_string(priority),
                 debug.dumpIndex);
    };
  return propagateShardings(module, options);
}

} // namespace shardwright
