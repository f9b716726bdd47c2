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
// The order of visits decides conflicts across ops and is Shardy's: see
// worklist.h. Semantics: the sdy-*-propagate passes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/sharding.h"
#include "shardwright/propagate/propagation_strategy.h"
#include "shardwright/propagate/step/factor_propagation.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace shardwright {

/// The tensors that a rule relates, and the directions in which it carries
/// axes, at the end of propagation.
struct PropagationOpView {
  /// The op; a func.func for one of its results.
  mlir::Operation *op = nullptr;
  /// Which result of the function, or -1.
  int32_t funcResult = -1;
  const struct FactorLayout *layout = nullptr;
  /// For each tensor of the rule: the value that holds the sharding (null for a
  /// function's result, or if no value holds one) and the sharding as the rule
  /// sees it (null: none).
  llvm::ArrayRef<mlir::Value> values;
  llvm::ArrayRef<const TensorSharding *> shardings;
  /// Null: the tensors have no mesh in common.
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
  /// Which result of the function, if `value` is null.
  int32_t funcResult = -1;
  /// Which result of the function the rule is about, if `op` is one.
  int32_t funcResultOfRule = -1;
  /// Number of operands of the rule, and which of its tensors changed. A member
  /// of a sharding group that follows another has tensor -1, and that other as
  /// its one entry of `values`.
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
  /// The number of the visit; all changes of one visit have the same. It grows.
  int64_t visit = 0;
  /// How the step was taken.
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
  /// Called when the module has the new shardings; dead ops are still there.
  virtual void onWritten() {}
};

struct EngineOptions {
  PropagationStrategy strategy = PropagationStrategy::Aggressive;
  /// Propagate in five passes, identities first, with the aggressive strategy.
  bool opPriorities = true;
  /// Dimensions with a priority wait for those with lower numbers.
  bool userPriorities = true;
  bool conservative = false;
  /// Use our own rules for ops for which upstream has none.
  bool extraRules = false;
  /// Leave dead ops in the module, so that what an observer kept stays valid.
  bool keepDeadOps = false;
  /// Leave rules on the ops as `sdy.sharding_rule`.
  bool keepShardingRules = false;
  PropagationObserver *observer = nullptr;
  /// Called after each user priority, with that priority, when its shardings
  /// have been written.
  std::function<void(int64_t)> afterUserPriority;
};

/// Propagates through the module, writes the resulting shardings and erases
/// dead ops. Fails with a diagnostic on unsupported input (no main function,
/// dynamic shapes, tuples).
llvm::LogicalResult propagateShardings(mlir::ModuleOp module,
                                       const EngineOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_H
