//===- partial_sums.cc - values that are sums over devices ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/partial_sums.h"

#include "shardwright/mesh/uneven.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

static bool isAnyAxis(llvm::ArrayRef<AxisList> lists) {
  return llvm::any_of(lists, [](const AxisList &l) { return !l.empty(); });
}

double shardwright::localBytes(llvm::ArrayRef<int64_t> shape,
                               double elementBytes,
                               const TensorSharding &sharding) {
  double bytes = elementBytes;
  for (int64_t n : shape)
    bytes *= double(n);
  for (const DimSharding &dim : sharding.dims)
    bytes /= double(dim.shards());
  return bytes;
}

bool SumResolution::scatters() const { return isAnyAxis(scatter); }

bool Unreduction::isAnyInPlace() const { return isAnyAxis(inPlace); }

double SumResolution::cost(const ReshardPlanner &planner) const {
  AxisList scattered;
  for (const AxisList &list : scatter)
    scattered.append(list.begin(), list.end());
  double cost = 0;
  int64_t parts = totalSize(scattered);
  if (!scattered.empty())
    cost += planner.linkOver(scattered).of(CollectiveKind::ReduceScatter,
                                           localBytes, scatterBytes, parts);
  if (!reduce.empty())
    cost += planner.linkOver(reduce).of(CollectiveKind::AllReduce,
                                        localBytes / double(parts), reduceBytes,
                                        totalSize(reduce));
  return cost;
}

/// The longest prefix of the axes that `want` adds to `have` that is in `left`
/// and splits the shards of the `size` rows evenly.
static AxisList scatterable(AxisRefs have, AxisRefs want, AxisRefs left,
                            int64_t size) {
  if (listPrefix(have, want) == ListPrefix::None)
    return {};
  // `have` may end with a leading sub-axis of an axis of `want`.
  AxisList extra;
  for (auto [i, a] : llvm::enumerate(want)) {
    if (i >= have.size())
      extra.push_back(a);
    else if (have[i].size < a.size)
      extra.push_back({a.axis, have[i].nextPreSize(), a.size / have[i].size});
  }
  size_t taken = 0;
  int64_t shards = totalSize(have), fine = shards;
  for (auto [i, a] : llvm::enumerate(extra)) {
    if (commonAxes(a, left) != AxisList{a})
      break;
    fine *= a.size;
    if (refines(size, shards, fine))
      taken = i + 1;
  }
  extra.truncate(taken);
  return extra;
}

SumResolution shardwright::planSumResolution(const TensorSharding &from,
                                             AxisRefs axes,
                                             const TensorSharding &wanted,
                                             llvm::ArrayRef<int64_t> shape,
                                             double elementBytes) {
  SumResolution out;
  out.after = from.closedLike();
  AxisList left(axes);
  double local = localBytes(shape, elementBytes, from);
  out.localBytes = local;
  int64_t parts = 1;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    AxisList scattered;
    appendMerged(scattered, scatterable(from.dims[d].axes, wanted.dims[d].axes,
                                        left, shape[d]));
    left = withoutAxes(left, scattered);
    parts *= totalSize(scattered);
    appendMerged(out.after.dims[d].axes, scattered);
    out.scatter.push_back(std::move(scattered));
  }
  out.scatterBytes = bytesSent(CollectiveKind::ReduceScatter, local, parts);
  out.reduce = left;
  out.reduceBytes = bytesSent(CollectiveKind::AllReduce, local / double(parts),
                              totalSize(left));
  return out;
}

/// Moves from `end` to the result the axes along which the value becomes
/// unreduced in place.
static Unreduction planUnreduction(const TensorSharding &start,
                                   TensorSharding &end, AxisList axes,
                                   llvm::ArrayRef<int64_t> shape) {
  Unreduction plan;
  plan.afterInPlace = end;
  plan.inPlace.resize(end.rank());
  for (int64_t d = 0; d < end.rank() && !axes.empty(); ++d) {
    AxisRefs have = start.dims[d].axes, want = end.dims[d].axes;
    if (have.size() <= want.size() || have.take_front(want.size()) != want ||
        shape[d] % start.dims[d].shards() != 0)
      continue;
    AxisList leaving(have.drop_front(want.size())), sorted = leaving;
    sortAndMerge(sorted);
    if (commonAxes(sorted, axes) != sorted)
      continue;
    axes = withoutAxes(axes, sorted);
    appendMerged(plan.afterInPlace.unreduced, sorted);
    end.dims[d].axes = start.dims[d].axes;
    plan.inPlace[d] = std::move(leaving);
  }
  sortAndMerge(plan.afterInPlace.unreduced);
  plan.whole = std::move(axes);
  return plan;
}

ReshardStages shardwright::planStages(const TensorSharding &from,
                                      const TensorSharding &to,
                                      llvm::ArrayRef<int64_t> shape,
                                      double elementBytes) {
  ReshardStages stages;
  UnreducedAxes kept = commonUnreduced(from.unreduced, to.unreduced);
  stages.start = from.closedLike();
  stages.start.unreduced = kept;
  if (AxisList drop = withoutAxes(from.unreduced, kept); !drop.empty()) {
    stages.resolution =
        planSumResolution(stages.start, drop, to, shape, elementBytes);
    stages.start = stages.resolution.after;
  }
  stages.end = to.closedLike();
  stages.end.unreduced = kept;
  stages.end.unreduced.kind = to.unreduced.kind;
  stages.unreduction = planUnreduction(stages.start, stages.end,
                                       withoutAxes(to.unreduced, kept), shape);
  return stages;
}

double shardwright::reshardCost(const TensorSharding &from,
                                const TensorSharding &to,
                                llvm::ArrayRef<int64_t> shape,
                                double elementBytes, ReshardPlanner &planner) {
  if (from.unreduced.empty() && to.unreduced.empty())
    return planner.plan(from, to, shape, elementBytes).cost;
  ReshardStages stages = planStages(from, to, shape, elementBytes);
  return stages.resolution.cost(planner) +
         planner.plan(stages.start, stages.end, shape, elementBytes).cost;
}
