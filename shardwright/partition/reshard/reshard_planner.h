//===- reshard_planner.h - cheapest path between shardings ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans a reshard of a tensor between any two shardings over the same axes
// (possibly with another device order): a sequence of slice, all-to-all,
// permute and gather steps, found by a shortest-path search over the placements
// of axis atoms. The atoms are the axes of both shardings cut at all their
// boundaries, so the cost of a search depends on the number of axes, never on
// the number of devices. Where steps on the tensor's dimensions send more than
// the bound, the search runs again on dimensions cut into segments where shards
// of both sides end: between steps, a device may then hold rows that are not
// contiguous. Plans are cached.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_RESHARD_PLANNER_H
#define SHARDWRIGHT_PARTITION_RESHARD_RESHARD_PLANNER_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/partition/cost/cost_model.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace shardwright {

/// One collective on a global value. Its meaning is that of the sdy op of the
/// same name.
struct ReshardStep {
  enum Kind { Slice, AllToAll, Permute, Gather } kind = Slice;
  /// Slice, Gather: axes that each dimension gains or loses at its end.
  llvm::SmallVector<AxisList, 4> axes;
  struct Move {
    AxisList axes;
    int64_t source = 0, target = 0;
  };
  /// AllToAll: all dimensions are distinct, sources ascend.
  llvm::SmallVector<Move, 1> moves;
  /// Closed sharding after the step.
  TensorSharding after;
  /// The devices are in the target mesh's order after the step.
  bool targetOrder = false;
  /// Permute: changes only the order of the axes that the next step, an
  /// all-to-all, moves. The all-to-all delivers them in that order itself, so
  /// this step costs nothing.
  bool withNext = false;
  /// Mean bytes that a device sends.
  double bytes = 0;
};

struct ReshardPlan {
  llvm::SmallVector<ReshardStep, 3> steps;
  /// If not empty: from step `firstOnSegments` on, the steps act on the value
  /// reshaped to these dimensions, with sharding `start`. A dimension is cut
  /// into segments where the shards of both sides begin and end; steps may move
  /// any of them.
  llvm::SmallVector<int64_t, 8> segments;
  TensorSharding start;
  size_t firstOnSegments = 0;
  /// No steps: a direct exchange (direct_exchange.h).
  bool isDirect = false;
  /// Mean bytes that a device sends in all steps.
  double bytes = 0;
  /// In units of CostModel: seconds with a machine.
  double cost = 0;
  /// Largest local size in bytes between the first and the last step.
  double peakBytes = 0;
};

class ReshardPlanner {
public:
  /// `mesh` gives the axes; its device ids are ignored.
  explicit ReshardPlanner(Mesh mesh, CostModel costs = {},
                          Effort effort = Effort::Normal);

  /// Returns the plan from `from` to `to`, which have the rank of `shape`.
  /// Partial sums stay partial: both sides are unreduced along the axes of
  /// `from.unreduced`, whatever `to.unreduced` is (partial_sums.h makes and
  /// reduces them). Every dimension has at least a row for each of its shards;
  /// uneven ones (uneven.h) become unsharded or evenly sharded on the way only
  /// if there is no common cut. `changesOrder`: the two sides are on meshes
  /// with equal axes and different device ids. The reference is valid for the
  /// life of the planner.
  const ReshardPlan &plan(const TensorSharding &from, const TensorSharding &to,
                          llvm::ArrayRef<int64_t> shape, double elementBytes,
                          bool changesOrder = false);

  const Mesh &getMesh() const { return mesh; }
  /// Cost of an exchange along these axes: that of the slowest link. No axes:
  /// zero.
  LinkCost linkOver(AxisRefs axes) const;
  const CostModel &getCosts() const { return costs; }
  Effort getEffort() const { return effort; }

private:
  AxisList allAxes() const;
  /// Replaces the plan by a direct exchange if that costs less.
  void considerExchange(ReshardPlan &plan, const TensorSharding &from,
                        const TensorSharding &to, llvm::ArrayRef<int64_t> shape,
                        double elementBytes, bool changesOrder,
                        double bound) const;

  Mesh mesh;
  CostModel costs;
  /// By axis.
  llvm::SmallVector<LinkCost, 4> links;
  Effort effort;
  std::unordered_map<std::string, std::unique_ptr<ReshardPlan>> plans;
};

/// Cost of a direct exchange in which a device sends `bytes` bytes in so many
/// pieces.
double exchangeCost(const LinkCost &link, double bytes, int64_t pieces);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_RESHARD_PLANNER_H
