//===- pipeline_steps.h - MLIR passes where needed --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// symbol-dce and canonicalize take more time than all of our passes together.
// Most modules give them nothing to do, which one scan of the ops detects.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PIPELINE_STEPS_H
#define SHARDWRIGHT_PARTITION_SHARDY_PIPELINE_STEPS_H

#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>
#include <memory>
#include <string>

namespace shardwright {

/// Runs symbol-dce if some symbol of the module may be unused.
std::unique_ptr<mlir::Pass> createSymbolDCEIfNeeded();

/// canonicalize{enable-patterns=sdy-collective}, or only its removal of dead
/// ops if the module has no collectives and only ops of our dialects, which do
/// not fold.
std::unique_ptr<mlir::Pass> createCanonicalizeCollectives();

/// Analyses of a module, computed on demand.
class ModuleAnalyses {
public:
  explicit ModuleAnalyses(mlir::AnalysisManager analyses)
      : analyses(analyses) {}

  const ModuleContents &contents() {
    return analyses.getAnalysis<ModuleContents>();
  }
  OpIndex &index() { return analyses.getAnalysis<OpIndex>(); }
  const CallsByFunction &calls() {
    return analyses.getAnalysis<CallsByFunction>();
  }

private:
  mlir::AnalysisManager analyses;
};

/// A step of a pipeline on the whole module. It must keep both analyses valid.
/// createModuleStep() makes it a pass.
using ModuleStepFn =
    std::function<llvm::LogicalResult(mlir::ModuleOp, ModuleAnalyses)>;
std::unique_ptr<mlir::Pass> createModuleStep(llvm::StringRef name,
                                             ModuleStepFn step);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PIPELINE_STEPS_H
