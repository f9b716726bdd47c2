//===- trial_context.h - a copy of the module for trials --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trials that run at the same time share no MLIR context: each worker has a
// copy of the module in a context of its own. The location of each op of the
// copy is the op's number in the module, so that the ops of the program of one
// device name the ops that they come from.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_TRIAL_CONTEXT_H
#define SHARDWRIGHT_AUTO_TRIAL_CONTEXT_H

#include "shardwright/auto/problem/plan.h"
#include "shardwright/partition/insert/kept_plans.h"
#include "shardwright/propagate/engine/kept_steps.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace shardwright {

/// The ops of a module in preorder, the module first. The index of an op is its
/// number.
std::vector<mlir::Operation *> numberedOps(mlir::ModuleOp module);

/// Adds the numbers that a location of the copy, or of an op made from its ops,
/// contains.
void collectOpNumbers(mlir::LocationAttr location,
                      llvm::SmallVectorImpl<int32_t> &numbers);

class TrialContext {
public:
  /// The module for `create`; null if it cannot be written as bytecode.
  static std::unique_ptr<llvm::MemoryBuffer>
  bytecodeOf(mlir::ModuleOp imported);
  /// Copies the module, whose bytecode is given, to another context. Null if
  /// that fails. `imported` and `problem` must outlive the result. Several
  /// threads may copy at the same time.
  static std::unique_ptr<TrialContext> create(mlir::ModuleOp imported,
                                              llvm::MemoryBufferRef bytecode,
                                              const AutoProblem &problem);
  /// Copies the module within its context; always possible. Trials then run one
  /// at a time.
  static std::unique_ptr<TrialContext>
  createInContext(mlir::ModuleOp imported, const AutoProblem &problem);

  /// A copy of the copy with the plan's annotations.
  mlir::OwningOpRef<mlir::ModuleOp> annotated(const Plan &plan) const;
  mlir::ModuleOp getBase() const { return *base; }
  /// What trials of this copy have planned.
  KeptPlans &getKept() { return kept; }
  /// The rules and steps of their propagations.
  KeptSteps &getKeptSteps() { return keptSteps; }
  /// A hash of all shardings of a copy after propagation, which does not depend
  /// on the context; not 0.
  uint64_t hashShardings(mlir::ModuleOp propagated);

private:
  TrialContext(const AutoProblem &problem) : problem(problem) {}
  void mapValues(mlir::ModuleOp imported);

  const AutoProblem &problem;
  /// Null: the context of the user's module.
  std::unique_ptr<mlir::MLIRContext> own;
  mutable mlir::OwningOpRef<mlir::ModuleOp> base;
  /// From the values of sites in the user's module to those of `base`.
  llvm::DenseMap<mlir::Value, mlir::Value> baseOf;
  KeptPlans kept;
  KeptSteps keptSteps;
  /// Of the text of attributes.
  llvm::DenseMap<mlir::Attribute, uint64_t> hashOf;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_TRIAL_CONTEXT_H
