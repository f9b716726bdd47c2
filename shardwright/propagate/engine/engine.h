//===- engine.h - the propagation fixpoint ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries shardings through a module until nothing changes:
//
//   for each user priority (lowest number first)
//     for each level of op priority (identities first, then everything)
//       visit ops, waking the neighbours of what changed
//
// The visit order decides conflicts across ops and is the same as Shardy's: see
// worklist.h. Semantics: the sdy-*-propagate passes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/sharding.h"
#include "shardwright/propagate/propagation_strategy.h"
#include "shardwright/propagate/step/factor_propagation.h"
#include "shardwright/rules/sharding_rule.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace shardwright {

/// The tensors that a rule relates, and the directions in which it carries
/// axes, at the end of propagation.
struct PropagationOpView {
  /// The op; a func.func for one of its results.
  mlir::Operation *op = nullptr;
  /// Index of the function's result, or -1.
  int32_t funcResult = -1;
  const struct FactorLayout *layout = nullptr;
  /// For each tensor of the rule: the value that holds the sharding (null for a
  /// function's result, or if no value holds one) and the sharding as the rule
  /// sees it (null: none).
  llvm::ArrayRef<mlir::Value> values;
  llvm::ArrayRef<const TensorSharding *> shardings;
  /// Null if the tensors have no common mesh.
  const Mesh *mesh = nullptr;
  /// The directions in the last pass, which has no restrictions by priority.
  FactorDirections directions;
  bool isElementwise = false;
};

/// A change of one sharding, reported when it is made.
struct PropagationEvent {
  /// The op whose rule carried the axes; a func.func for its results.
  mlir::Operation *op = nullptr;
  /// The value that changed; null for a function's result.
  mlir::Value value;
  /// Index of the function's result, if `value` is null.
  int32_t funcResult = -1;
  /// Index of the function's result that the rule is about, if `op` is a
  /// function.
  int32_t funcResultOfRule = -1;
  /// Number of operands of the rule, and the index of the changed tensor. For a
  /// member of a sharding group that follows another member, the tensor is -1,
  /// and `values` holds only the other member.
  int32_t numOperands = 0;
  int32_t tensor = -1;
  /// The rule; null for a member of a group.
  const struct FactorLayout *layout = nullptr;
  /// By tensor of the rule, as in PropagationOpView.
  llvm::ArrayRef<mlir::Value> values;
  /// Shardings of all tensors before the step (null: none), as seen by the
  /// rule.
  llvm::ArrayRef<const TensorSharding *> before;
  const TensorSharding *after = nullptr;
  const Mesh *mesh = nullptr;
  int32_t opPriority = 0;
  int64_t userPriority = 0;
  /// The number of the visit, ascending; all changes of one visit share it.
  int64_t visit = 0;
  /// Options of the step.
  StepOptions step;
};

/// Observes every change of a sharding.
class PropagationObserver {
public:
  virtual ~PropagationObserver() = default;
  virtual void onChange(const PropagationEvent &event) = 0;
  /// Called at the end for each op with a rule in program order, then for each
  /// result of main. The module is still unchanged.
  virtual void onFinalOp(const PropagationOpView &view) {}
  /// Called after the new shardings have been written; dead ops still exist.
  virtual void onWritten() {}
};

class KeptSteps;

struct EngineOptions {
  PropagationStrategy strategy = PropagationStrategy::Aggressive;
  /// Propagate in five passes, identities first, with the aggressive strategy.
  bool opPriorities = true;
  /// Dimensions with a priority wait for lower numbers.
  bool userPriorities = true;
  bool conservative = false;
  /// Use our own rules for ops that have none in Shardy.
  bool extraRules = false;
  ShardyVersion shardy = kNewestShardy;
  /// Leave dead ops in the module, so that an observer's references stay valid.
  bool keepDeadOps = false;
  /// Leave rules on the ops as `sdy.sharding_rule`.
  bool keepShardingRules = false;
  PropagationObserver *observer = nullptr;
  /// Rules and steps of earlier propagations, for propagateThroughCalls(); may
  /// be null.
  KeptSteps *kept = nullptr;
  /// Called after each user priority, with that priority, when its shardings
  /// have been written.
  std::function<void(int64_t)> afterUserPriority;
};

RuleOptions ruleOptions(const EngineOptions &options);

/// Propagates through the module, writes the resulting shardings and erases
/// dead ops. Fails with a diagnostic on unsupported input (no main function,
/// dynamic shapes, tuples).
llvm::LogicalResult propagateShardings(mlir::ModuleOp module,
                                       const EngineOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_H
