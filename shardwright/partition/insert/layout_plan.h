//===- layout_plan.h - how a function is partitioned, as data ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A LayoutPlan says of each op how it computes (an OpPlan) and of each value
// that no OpPlan makes in which layout it is. It holds no collectives: these
// follow from the plan, because a value is moved wherever it is used in another
// layout than it is made in.
//
// The Inserter follows the entries that it finds when it comes to an op. What
// has none it decides greedily in program order (plan_op.cc), and adds. A
// planner that looks at the whole program writes entries before the walk:
//
//   - `ops` of any op with a sharding rule. Operands may be planned in any
//     layout, at hand or not: what is not at hand is made. Results must be what
//     the op computes from such operands. Reductions and sorts may be replaced
//     by several ops (splitReduce, splitTopK, splitSort), which have no
//     entries.
//   - `values` of results of loops, branches and optimization barriers, and of
//     constants and the like (ValueVersions::isFree).
//
// Layouts of arguments and results of functions and of manual computations
// follow from their shardings; the Inserter adds those of arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_LAYOUT_PLAN_H
#define SHARDWRIGHT_PARTITION_INSERT_LAYOUT_PLAN_H

#include "shardwright/partition/decide/decide.h"
#include "shardwright/partition/layout/layout.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace shardwright {

struct OperandPlan {
  /// Not null for a value that is on other meshes only: the layout on the mesh
  /// of the op that it is brought into first.
  LayoutRef broughtHere = nullptr;
  /// The layout that the op computes with.
  LayoutRef layout = nullptr;
};

struct ResultPlan {
  /// What the op computes, unreduced along OpPlan::reduceAxes.
  LayoutRef computed = nullptr;
  /// How the partial result is reduced; empty where it stays partial.
  Completion completion;
  /// After the completion: what users of the result find.
  LayoutRef completed = nullptr;
};

/// How one op computes: an OpDecision in layouts.
struct OpPlan {
  /// Of all layouts below; -1: every device computes all of it.
  int32_t mesh = -1;
  /// Axes of each factor of the op's sharding rule; empty where `mesh` is -1.
  FactorAxes factors;
  /// One an operand; empty where `mesh` is -1.
  llvm::SmallVector<OperandPlan, 2> operands;
  llvm::SmallVector<ResultPlan, 1> results;
  /// Axes of the reduction factors, along which results are partial until
  /// completed.
  AxisList reduceAxes;
  /// The op has no sharding rule, or is for one device: operands, and what its
  /// regions use from outside, are replicated first.
  bool replicatesOperands = false;
  /// The op has effects and only this device runs it (kDeviceAttrName).
  std::optional<int64_t> device;
  /// For an observer: see PlanObserver::onPlan.
  std::vector<WeighedWay> ways;
};

/// Of one function. Owns neither layouts, which live as long as their
/// MeshTable, nor OpPlans, of which equal ops share one (PlanMemo). Entries of
/// ops that are erased stay: a plan is for one walk.
struct LayoutPlan {
  llvm::DenseMap<mlir::Value, LayoutRef> values;
  llvm::DenseMap<mlir::Operation *, const OpPlan *> ops;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_LAYOUT_PLAN_H
