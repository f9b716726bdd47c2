//===- passes.h - import, propagation and export passes ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pass has a file, named as the pass without `sdy-`. passes.td documents
// them with examples; partition/shardy/pipelines.cc gives the order in which
// they run.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_PASSES_H
#define SHARDWRIGHT_PROPAGATE_PASSES_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/propagate/propagation_strategy.h"
#include "shardwright/rules/shardy_version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwright {

class PropagationObserver;

#define GEN_PASS_DECL
#include "shardwright/propagate/passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "shardwright/propagate/passes.h.inc"

/// Creates a sdy-user-priority-propagate pass that reports to `observer` (may
/// be null) and numbers its dumps from `dumpIndex`.
std::unique_ptr<mlir::Pass>
createUserPriorityPropagate(const UserPriorityPropagateOptions &options,
                            PropagationObserver *observer, int64_t dumpIndex);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_PASSES_H
