//===- layout_plan.h - partitioning decisions as data -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A LayoutPlan holds for each op how it computes (an OpPlan), and the layout of
// each value that no OpPlan defines. It holds no collectives; these follow from
// the plan, because a value moves wherever it is used in another layout than
// the one it is computed in.
//
// The Inserter follows existing entries. It decides an op without an entry
// greedily in program order (plan_op.cc), and adds the entry. A planner for the
// whole program writes entries before the walk:
//
//   - `ops` of any op with a sharding rule. Operands may be planned in any
//     layout; reshards to it are inserted. Results must be what the op computes
//     from such operands. Reductions and sorts may be replaced by several ops
//     (splitReduce, splitTopK, splitSort), which have no entries.
//   - `values` of results of loops, branches and optimization barriers, and of
//     rematerializable ops such as constants
//     (ReshardCache::isRematerializable).
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
  /// Set if the value exists only on other meshes: the layout on the op's mesh
  /// to which it is moved first.
  LayoutRef broughtHere = nullptr;
  /// The layout that the op computes with.
  LayoutRef layout = nullptr;
};

struct ResultPlan {
  /// As the op computes it, unreduced along OpPlan::reduceAxes.
  LayoutRef computed = nullptr;
  /// How the partial result is reduced; empty if it stays partial.
  SumResolution resolution;
  /// After the reduction: the layout for users of the result.
  LayoutRef completed = nullptr;
  /// The fraction of the reduction's cost that counts for each run of the op.
  double sumShare = 1;
};

/// How one op computes: an OpDecision with interned layouts.
struct OpPlan {
  /// Mesh of all layouts below; -1: every device computes the full op.
  int32_t mesh = -1;
  /// Axes of each factor of the op's sharding rule; empty if `mesh` is -1.
  FactorAxes factors;
  /// One per operand; empty if `mesh` is -1.
  llvm::SmallVector<OperandPlan, 2> operands;
  llvm::SmallVector<ResultPlan, 1> results;
  /// Axes of the reduction factors, along which results are unreduced until
  /// they are reduced.
  AxisList reduceAxes;
  /// The op has no sharding rule, or only one device runs it: its operands, and
  /// the outside values that its regions use, are replicated first.
  bool replicatesOperands = false;
  /// The op has effects and only this device runs it (kDeviceAttrName).
  std::optional<int64_t> device;
  /// Costs for each run of the op: besides communication, and of exchanges of
  /// halo rows.
  double work = 0, halo = 0;
  /// For an observer: see PlanObserver::onPlan.
  std::vector<WeighedWay> ways;
};

/// The plan of one function. Does not own layouts, which live as long as their
/// MeshTable, or OpPlans, which equal ops share (PlanMemo). Entries of erased
/// ops stay: a plan is for one walk.
struct LayoutPlan {
  llvm::DenseMap<mlir::Value, LayoutRef> values;
  llvm::DenseMap<mlir::Operation *, const OpPlan *> ops;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_LAYOUT_PLAN_H
