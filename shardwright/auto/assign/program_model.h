//===- program_model.h - classes of values and ops of a program -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program for the planner: equal values are one class, equal ops too, so that
// its size depends neither on the depth of a model nor on the number of
// devices. Values that must have one layout are in one class: sites that are
// decided together, members of a sharding group. Ops that only pass values on
// (loops, branches, constraints) are edges. Calls are read as if they were
// inlined, as the partitioner does; equal calls are one class.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_PROGRAM_MODEL_H
#define SHARDWRIGHT_AUTO_ASSIGN_PROGRAM_MODEL_H

#include "shardwright/auto/assign/strategies.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright {

/// Arguments, results and inner values of @main that get one layout.
struct SiteGroup {
  /// Arguments first, or inner values only; none if there are only results.
  llvm::SmallVector<mlir::Value, 1> values;
  /// Numbers of results of @main.
  llvm::SmallVector<int32_t, 1> results;
  mlir::RankedTensorType type;
  /// The user's sharding; none if it is free.
  std::optional<TensorSharding> given;
  bool isInner = false;
};

/// What layouts are planned for.
struct PlannerInput {
  /// After stage Import. Not changed.
  mlir::ModuleOp module;
  Mesh mesh;
  /// The axes that are planned, in the order in which they shard a dimension
  /// together.
  llvm::SmallVector<int32_t, 4> axes;
  std::vector<SiteGroup> groups;
};

struct ValueClass {
  /// Null if it is no tensor of static shape: such values are replicated.
  mlir::RankedTensorType type;
  /// Of one member, unsharded.
  double bytes = 0;
  /// How often members are made in a step.
  double count = 0;
  /// An argument or result of @main, which is not partial.
  bool isAtBorder = false;
  bool isArgument = false;
  /// The user's sharding, if it is on the input's mesh.
  std::optional<TensorSharding> given;
  /// On the host or on another mesh.
  bool isReplicated = false;
};

struct OpClass {
  ShardedOp op;
  /// How often members run in a step.
  double count = 0;
  /// By operand: the classes that members have there. Empty: a value that is
  /// made anew in any layout (a constant).
  llvm::SmallVector<llvm::SmallVector<int32_t, 1>, 3> operands;
  /// By result; -1 for a value that is made anew.
  llvm::SmallVector<int32_t, 1> results;
  /// A manual computation: the layouts of its operands and results.
  llvm::SmallVector<TensorSharding, 3> fixedOperands, fixedResults;
};

/// Values that have one layout, into which the sources move.
struct EdgeClass {
  llvm::SmallVector<int32_t, 2> values;
  llvm::SmallVector<int32_t, 2> sources;
};

struct ProgramModel {
  std::vector<ValueClass> values;
  std::vector<OpClass> ops;
  std::vector<EdgeClass> edges;
  /// The class of each value of @main that has one.
  llvm::DenseMap<mlir::Value, int32_t> classOf;
  /// By group of sites. A group of inner values may have several, because a
  /// function runs in the contexts of its calls; or none.
  std::vector<llvm::SmallVector<int32_t, 1>> classesOfGroup;
  /// Calls count as what they run.
  int64_t numOps = 0;
};

/// Linear.
ProgramModel readProgram(const PlannerInput &input, OpCosts &costs);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_PROGRAM_MODEL_H
