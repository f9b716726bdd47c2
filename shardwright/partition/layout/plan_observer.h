//===- plan_observer.h - told why collectives are made ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner's reasons, for those who ask (`explain --collectives`). Without
// an observer nothing is recorded. An observer chooses the locations of new
// ops, which stay with them through localisation and combination: what it puts
// there, it finds again in the program of one device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_PLAN_OBSERVER_H
#define SHARDWRIGHT_PARTITION_LAYOUT_PLAN_OBSERVER_H

#include "shardwright/partition/decide/decide.h"
#include "shardwright/partition/layout/layout.h"

namespace shardwright {

/// A value goes from one layout to another.
struct PlannedMove {
  /// That needs it: one with a rule, or a border (a terminator, a loop, a
  /// constraint) that fixes the layout.
  mlir::Operation *user = nullptr;
  mlir::Value value;
  const Layout *from = nullptr, *to = nullptr;
};

class PlanObserver {
public:
  virtual ~PlanObserver() = default;
  /// How `op` computes has been decided; what follows until the next call is
  /// done for it. The way taken is first, the others by cost. The layouts are
  /// on mesh `mesh`. The location is that of the op from now on.
  virtual mlir::Location onPlan(mlir::Operation *op, int32_t mesh,
                                llvm::ArrayRef<WeighedWay> ways,
                                MeshTable &meshes) = 0;
  /// The location of the ops of the move.
  virtual mlir::Location onMove(const PlannedMove &move, MeshTable &meshes) = 0;
  /// A result of an op that was planned is a partial sum along axes, and is
  /// completed. The location of the ops that do.
  virtual mlir::Location onCompletion(mlir::OpResult result,
                                      const Layout &partial,
                                      const Completion &completion,
                                      const Layout &complete,
                                      MeshTable &meshes) = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_PLAN_OBSERVER_H
