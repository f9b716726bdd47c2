//===- planned_moves.h - record the planner's reasons -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An observer of the partitioner that numbers planned moves and writes the
// numbers into locations. They identify the purpose of each collective of the
// program of one device, also after collectives were combined.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_PLANNED_MOVES_H
#define SHARDWRIGHT_REPORT_EXPLAIN_PLANNED_MOVES_H

#include "shardwright/partition/layout/plan_observer.h"
#include "shardwright/report/explain/user_values.h"

namespace shardwright {

/// A value under the user's name for it.
struct NamedValue {
  /// Its number in UserValues; -1 if it is not the user's.
  int32_t id = -1;
  /// Result of @main; else -1.
  int32_t mainResult = -1;
  mlir::Type type;
};

/// A planned op.
struct RecordedPlan {
  std::string op, where;
  llvm::SmallVector<NamedValue, 3> operands;
  llvm::SmallVector<NamedValue, 1> results;
  int32_t mesh = -1;
  /// The chosen candidate first, then some of the others.
  std::vector<WeighedWay> ways;
  size_t numWays = 0;
};

/// An alternative route of a move.
struct OtherRoute {
  std::string how;
  double bytes = 0;
  int64_t steps = 0;
};

struct RecordedReason {
  enum class Kind {
    Operand,       ///< the op computes in another layout
    Border,        ///< a result, a loop or a branch with a fixed layout
    Asked,         ///< a constraint, or a reshard of the module
    Whole,         ///< an op without a rule
    SumResolution, ///< a reduction of partial sums
    LocalForm,     ///< rows that a local form needs, such as halo rows
  } kind = Kind::Operand;
  std::string op, where;
  NamedValue opValue;
  /// The moved or reduced value, and the index of the operand or result; -1:
  /// none.
  NamedValue value;
  int64_t index = -1;
  std::string from, to;
  /// The layout before the move; without a mesh if nothing is moved.
  Layout had;
  /// SumResolution: the axes that are reduced.
  std::string axes;
  /// Index of the op's plan, if it was planned.
  int32_t plan = -1;
  std::vector<OtherRoute> others;
};

class PlannedMoves : public PlanObserver {
public:
  /// `weighsRoutes`: also evaluate alternative routes of each move.
  explicit PlannedMoves(const UserValues &user, bool weighsRoutes = true)
      : user(user), weighsRoutes(weighsRoutes) {}

  mlir::Location onPlan(mlir::Operation *op, int32_t mesh,
                        llvm::ArrayRef<WeighedWay> ways,
                        MeshTable &meshes) override;
  mlir::Location onMove(const PlannedMove &move, MeshTable &meshes) override;
  mlir::Location onSumResolution(mlir::OpResult result, const Layout &partial,
                                 const SumResolution &resolution,
                                 const Layout &complete,
                                 MeshTable &meshes) override;

  /// The reasons why the op at this location exists.
  std::vector<const RecordedReason *> reasonsOf(mlir::Location location) const;
  const RecordedPlan *planOf(const RecordedReason &reason) const {
    return reason.plan < 0 ? nullptr : &plans[reason.plan];
  }
  const Mesh &mesh(int32_t id) const { return meshesSeen[id]; }
  std::string text(int32_t mesh, const TensorSharding &sharding) const {
    return str(sharding, mesh < 0 ? noMesh : meshesSeen[mesh]);
  }

private:
  NamedValue name(mlir::Value value) const;
  mlir::Location keep(RecordedReason reason, mlir::Location location);
  void see(const MeshTable &meshes);

  const UserValues &user;
  bool weighsRoutes;
  const Mesh noMesh;
  std::vector<Mesh> meshesSeen;
  std::vector<RecordedPlan> plans;
  std::vector<RecordedReason> reasons;
  mlir::Operation *planned = nullptr;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_PLANNED_MOVES_H
