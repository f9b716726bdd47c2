//===- plan.h - layouts of all classes of sites -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_PLAN_H
#define SHARDWRIGHT_AUTO_PLAN_H

#include "shardwright/auto/problem/problem.h"

namespace shardwright {

/// The axes that a plan adds to the sharding of one class.
struct ClassPlan {
  /// Not annotated: propagation decides. Arguments are always annotated.
  bool isSet = false;
  /// Of an inner value: propagation may not add axes.
  bool isClosed = false;
  /// The user priority of its dimensions: lower ones propagate first.
  uint8_t priority = 0;
  /// By index in AutoProblem::axes: the dimension, or -1.
  llvm::SmallVector<int8_t, 4> dimOf;

  friend bool operator==(const ClassPlan &, const ClassPlan &) = default;
};

/// One layout for each class of a problem.
class Plan {
public:
  /// Arguments are replicated as far as the user has not sharded them; nothing
  /// else is annotated.
  explicit Plan(const AutoProblem &problem);

  const ClassPlan &of(int32_t cls) const { return classes[cls]; }
  int32_t numClasses() const { return classes.size(); }

  /// True if the class may take the axis (an index in AutoProblem::axes) in the
  /// dimension, beside its other axes.
  bool mayPut(const AutoProblem &problem, int32_t cls, int32_t axis,
              int32_t dim) const;
  /// Moves the axis to this dimension, or away if it is -1. False, without a
  /// change, if that is not possible or changes nothing.
  bool put(const AutoProblem &problem, int32_t cls, int32_t axis, int32_t dim);
  /// Likewise; where the dimension cannot take the axis beside the plan's other
  /// axes, in their place.
  bool putInPlace(const AutoProblem &problem, int32_t cls, int32_t axis,
                  int32_t dim);
  void unset(const AutoProblem &problem, int32_t cls);
  /// Annotates an inner value with the axes that it has, and no others.
  void close(int32_t cls) { classes[cls].isSet = classes[cls].isClosed = true; }
  void setPriority(int32_t cls, uint8_t priority) {
    classes[cls].priority = priority;
  }

  /// The indices of all axes. Axes on one dimension follow each other in this
  /// order, the major one first.
  llvm::ArrayRef<int32_t> axisOrder() const { return order; }
  /// Two axes change places in the order. False, without a change, if no class
  /// has both on one dimension.
  bool swapOrder(int32_t first, int32_t second);

  /// The sharding that is written to the sites of the class.
  TensorSharding sharding(const AutoProblem &problem, int32_t cls) const;
  /// Number of annotations that a person would write: classes with axes.
  int32_t numAnnotations() const;
  bool usesPriorities() const;
  bool usesInner(const AutoProblem &problem) const;

  /// Equal for equal plans.
  std::string key() const;
  /// The class that alone tells the plans apart; -1 if there is no such class.
  int32_t onlyDifference(const Plan &other) const;

private:
  std::vector<ClassPlan> classes;
  llvm::SmallVector<int32_t, 4> order;
};

llvm::SmallVector<const Plan *> pointersTo(llvm::ArrayRef<Plan> plans);

/// Writes the plan's shardings. `valueOf` maps an inner value or argument of
/// the problem's module to that of `module`.
void annotate(mlir::ModuleOp module, const AutoProblem &problem,
              const Plan &plan,
              llvm::function_ref<mlir::Value(mlir::Value)> valueOf);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_PLAN_H
