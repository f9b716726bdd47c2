//===- pipeline_steps.h - MLIR's passes where they are needed ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// symbol-dce and canonicalize cost more than all of ours together. Most modules
// give them nothing to do, which one look at the ops tells.
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

/// symbol-dce, if some symbol of the module could go.
std::unique_ptr<mlir::Pass> createSymbolDCEIfNeeded();

/// canonicalize{enable-patterns=sdy-collective}, or, without collectives and
/// with ops of our dialects only (which nothing folds), just its removal of
/// dead ops.
std::unique_ptr<mlir::Pass> createCanonicalizeCollectives();

/// A pass that does `step` to the module and adds nothing to what it contains.
/// What is known of a module, made when asked for.
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

/// A pass that leaves both analyses right.
using ModuleStepFn =
    std::function<llvm::LogicalResult(mlir::ModuleOp, ModuleAnalyses)>;
std::unique_ptr<mlir::Pass> createModuleStep(llvm::StringRef name,
                                             ModuleStepFn step);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PIPELINE_STEPS_H
