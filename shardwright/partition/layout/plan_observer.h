//===- plan_observer.h - record reasons for collectives ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports the planner's reasons (`explain --collectives`). Without an observer
// nothing is recorded. An observer chooses the locations of new ops, which
// localization and combination preserve, so that it can identify the ops in the
// program of one device.
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_PLAN_OBSERVER_H
#define SHARDWRIGHT_PARTITION_LAYOUT_PLAN_OBSERVER_H

#include "shardwright/partition/decide/decide.h"
#include "shardwright/partition/layout/layout.h"

namespace shardwright {

/// A reshard of a value.
struct PlannedMove {
  /// The op that needs it: one with a rule, or a border (a terminator, a loop,
  /// a constraint) that fixes the layout.
  mlir::Operation *user = nullptr;
  mlir::Value value;
  const Layout *from = nullptr, *to = nullptr;
};

class PlanObserver {
public:
  virtual ~PlanObserver() = default;
  /// Called when the layouts of `op` have been decided; all events until the
  /// next call are caused by `op`. `ways` holds the chosen candidate first,
  /// then the others by cost, with layouts on mesh `mesh`. Returns the new
  /// location of `op`.
  virtual mlir::Location onPlan(mlir::Operation *op, int32_t mesh,
                                llvm::ArrayRef<WeighedWay> ways,
                                MeshTable &meshes) = 0;
  /// Returns the location for the ops of the move.
  virtual mlir::Location onMove(const PlannedMove &move, MeshTable &meshes) = 0;
  /// Called when a result of a planned op is a partial sum and is reduced.
  /// Returns the location for the ops that reduce it.
  virtual mlir::Location onSumResolution(mlir::OpResult result,
                                         const Layout &partial,
                                         const SumResolution &resolution,
                                         const Layout &complete,
                                         MeshTable &meshes) = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_PLAN_OBSERVER_H
