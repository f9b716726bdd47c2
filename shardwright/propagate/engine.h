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
// Worklist in the .cc. Semantics: the sdy-*-propagate passes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/sharding.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace shardwright {

enum class PropagationStrategy { Basic, Aggressive, BasicThenAggressive };

/// One change of one sharding, as it happens.
struct PropagationEvent {
  /// The op whose rule carried the axes; a func.func for its results.
  mlir::Operation *op = nullptr;
  /// The value that changed; null for a function's result.
  mlir::Value value;
  /// Which result of the function, if `value` is null.
  int32_t funcResult = -1;
  /// Number of operands of the rule, and which of its tensors changed. A member
  /// of a sharding group that follows another member has tensor -1.
  int32_t numOperands = 0;
  int32_t tensor = -1;
  /// The rule; null for a member of a group.
  const struct FactorLayout *layout = nullptr;
  /// Shardings of all tensors before the step (null: none), as seen by the
  /// rule.
  llvm::ArrayRef<const TensorSharding *> before;
  const TensorSharding *after = nullptr;
  const Mesh *mesh = nullptr;
  int32_t opPriority = 0;
  int64_t userPriority = 0;
};

/// Told of every change; null costs nothing.
class PropagationObserver {
public:
  virtual ~PropagationObserver() = default;
  virtual void onChange(const PropagationEvent &event) = 0;
};

struct EngineOptions {
  PropagationStrategy strategy = PropagationStrategy::Aggressive;
  /// Five passes, identities first; strategy is aggressive then.
  bool opPriorities = true;
  /// Dimensions with a priority wait for those with lower numbers.
  bool userPriorities = true;
  bool conservative = false;
  /// Leave rules on the ops as `sdy.sharding_rule`.
  bool keepShardingRules = false;
  PropagationObserver *observer = nullptr;
  /// Called between user priorities, with the one that is done, after its
  /// shardings were written.
  std::function<void(int64_t)> afterUserPriority;
};

/// Propagates through the module and writes the shardings found. Ops that turn
/// out dead are erased. Fails with a diagnostic on input it cannot take (no
/// main function, dynamic shapes, tuples).
llvm::LogicalResult propagateShardings(mlir::ModuleOp module,
                                       const EngineOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_H
