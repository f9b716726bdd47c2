//===- planner.cc - layouts of a whole program ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/planner.h"

#include "shardwright/auto/assign/axis_planner.h"
#include "shardwright/auto/assign/priced_memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

using namespace mlir;

namespace shardwright {

/// Passes over the axes, without and with a memory limit.
constexpr int kMostPasses = 4, kMostPassesWithin = 2;
/// Programs of more classes of ops are planned in one order only, and in one
/// pass at effort 0. Of more than `kMostOps` they are not planned: the solver
/// would end without a solution.
constexpr size_t kMostOpsForOrders = 200, kMostOps = 20000;
/// A pass that saves less is the last.
constexpr double kLeastGain = 1e-3;

Planner::Planner(PlannerInput given, const MachineModel &machine, int effort)
    : input(std::move(given)), machine(machine), effort(effort),
      costs(machine, input.mesh), model(readProgram(input, costs)),
      ranges(input, model, costs), maker(input.mesh, input.axes, machine) {
  limits.dives = true;
  limits.iterations = 10000;
}

SmallVector<int32_t, 4> Planner::axisOrder() const {
  SmallVector<int32_t, 4> order;
  for (size_t a = 0; a < input.axes.size(); ++a)
    order.push_back(int32_t(a));
  auto speed = [&](int32_t a) {
    return machine.linkOf(input.mesh.axisName(input.axes[a]))
        .totalBytesPerSecond();
  };
  // Of equal size, the slower one first.
  llvm::sort(order, [&](int32_t a, int32_t b) {
    return std::tuple(-maker.size(a), speed(a), a) <
           std::tuple(-maker.size(b), speed(b), b);
  });
  return order;
}

namespace {

/// The assignments of all axes for one limit.
class Descent {
public:
  Descent(const PlannerInput &input, const ProgramModel &model,
          const LiveRanges &ranges, const StrategyMaker &maker,
          SolvedAssignments &solved, SolverLimits limits, double limit)
      : input(input), model(model), ranges(ranges), maker(maker),
        solved(solved), limits(limits), limit(limit) {
    now.made.assign(
        model.values.size(),
        SmallVector<AxisLayout, 4>(input.axes.size(), kReplicatedLayout));
    now.reduced = now.made;
    now.factors.assign(model.ops.size(), AxisFactors(input.axes.size(), -1));
    moves.assign(input.axes.size(), 0);
    decided.assign(input.axes.size(), {});
    changedAt.assign(input.axes.size(), 0);
  }

  /// `later`: axes that come later may shard what does not fit. `passes`: over
  /// all axes, the first included.
  PlannedLayouts run(ArrayRef<int32_t> order, bool later, int passes);

private:
  /// Decides the axis anew; `share`: devices along axes still to come. False if
  /// there is no solution.
  bool decide(int32_t axis, double share);
  /// True if to decide the axis again would give what it gave last time.
  bool isDecided(int32_t axis, double share) const;
  /// Notes which decisions about the axis changed since `before`.
  void noteChange(int32_t axis, const AxisDecisions &before);
  void improve(ArrayRef<int32_t> order, int passes, PlannedLayouts &result);
  void take(PlannedLayouts &result) const;
  double total() const {
    return std::accumulate(moves.begin(), moves.end(), kernels);
  }
  LiveSet peakSet(const AxisPlanner &planner,
                  const AssignmentSolution &solution, double n,
                  double &bytes) const;

  const PlannerInput &input;
  const ProgramModel &model;
  const LiveRanges &ranges;
  const StrategyMaker &maker;
  SolvedAssignments &solved;
  SolverLimits limits;
  double limit;
  AxisDecisions now;
  /// By axis: seconds of moves along it.
  std::vector<double> moves;
  /// By axis: when it was decided last, and with which share.
  struct Decided {
    int64_t at = -1;
    double share = 0;
  };
  std::vector<Decided> decided;
  /// By axis: when its decisions changed last. Times are numbers of decisions.
  std::vector<int64_t> changedAt;
  int64_t time = 0;
  /// Of the decision that was made last.
  AssignmentSolution last;
  double kernels = 0, peak = 0, memoryPrice = 0;
};

} // namespace

LiveSet Descent::peakSet(const AxisPlanner &planner,
                         const AssignmentSolution &solution, double n,
                         double &bytes) const {
  std::vector<double> copies(model.values.size());
  for (LayoutOfValue copy : solution.copies)
    if (solution.made[copy.value] != kReplicatedLayout)
      copies[copy.value] =
          std::max(copies[copy.value],
                   planner.localBytes(copy.value) / (copy.layout >= 0 ? n : 1));
  return ranges.peakSet(
      [&](int32_t v) {
        return planner.localBytes(v) / (solution.made[v] >= 0 ? n : 1);
      },
      [&](int32_t v) { return copies[v]; },
      [&](int32_t v) { return planner.localBytes(v); }, bytes);
}

bool Descent::decide(int32_t axis, double share) {
  decided[axis] = {++time, share};
  AxisPlanner planner(input, model, maker, now, axis);
  double n = double(planner.get().shards);
  PricedMemory memory(planner.get(), solved, limits, limit * share,
                      [&](const AssignmentSolution &solution, double &bytes) {
                        return peakSet(planner, solution, n, bytes);
                      });
  last = memory.run();
  if (!last.works())
    return false;
  peak = memory.peak();
  memoryPrice = memory.secondsPerByte();
  planner.apply(last, now);
  kernels = planner.kernelSeconds(last);
  moves[axis] = last.seconds - kernels;
  return true;
}

bool Descent::isDecided(int32_t axis, double share) const {
  const Decided &own = decided[axis];
  if (own.at < 0 || (own.share != share && !std::isinf(limit)))
    return false;
  for (size_t other = 0; other < changedAt.size(); ++other)
    if (int32_t(other) != axis && changedAt[other] > own.at)
      return false;
  return true;
}

void Descent::noteChange(int32_t axis, const AxisDecisions &before) {
  auto differs = [&](const auto &a, const auto &b) {
    return llvm::any_of(llvm::zip_equal(a, b), [&](const auto &both) {
      return std::get<0>(both)[axis] != std::get<1>(both)[axis];
    });
  };
  if (differs(before.made, now.made) || differs(before.factors, now.factors))
    changedAt[axis] = time;
}

void Descent::take(PlannedLayouts &result) const {
  result.works = true;
  result.made = now.made;
  result.reduced = now.reduced;
  result.factors = now.factors;
  result.seconds = total();
  result.peak = peak;
  result.secondsPerByte = memoryPrice;
}

void Descent::improve(ArrayRef<int32_t> order, int passes,
                      PlannedLayouts &result) {
  for (int pass = 1; pass < passes; ++pass) {
    double before = result.seconds;
    for (int32_t axis : order) {
      if (isDecided(axis, 1))
        continue;
      AxisDecisions kept = now;
      std::vector<double> keptMoves = moves;
      double keptKernels = kernels;
      bool fits = result.peak <= limit * (1 + 1e-6);
      bool better = decide(axis, 1) && (!fits || total() < result.seconds);
      if (better && (peak <= limit * (1 + 1e-6) || peak < result.peak)) {
        noteChange(axis, kept);
        take(result);
      } else {
        now = std::move(kept);
        moves = std::move(keptMoves);
        kernels = keptKernels;
      }
    }
    if (result.seconds > before * (1 - kLeastGain))
      break;
  }
}

PlannedLayouts Descent::run(ArrayRef<int32_t> order, bool later, int passes) {
  PlannedLayouts result;
  double rest = 1;
  for (int32_t axis : order)
    rest *= double(maker.size(axis));
  for (int32_t axis : order) {
    rest /= double(maker.size(axis));
    AxisDecisions before = now;
    if (!decide(axis, later ? rest : 1)) {
      result.missing = "the solver found no assignment within its limits";
      return result;
    }
    noteChange(axis, before);
  }
  take(result);
  if (order.size() == 1)
    result.bound = last.bound;
  else
    improve(order, passes, result);
  return result;
}

PlannedLayouts Planner::plan(double limit) const {
  PlannedLayouts result;
  if (!solverMissing().empty()) {
    result.missing = solverMissing();
    return result;
  }
  if (input.axes.empty()) {
    result.missing = "the mesh has one device";
    return result;
  }
  if (model.ops.size() > kMostOps) {
    result.missing = "the program has " + std::to_string(model.ops.size()) +
                     " ops that differ, and the planner takes at most " +
                     std::to_string(kMostOps);
    return result;
  }
  bool isSmall = model.ops.size() <= kMostOpsForOrders;
  int passes = effort == 0 && !isSmall ? 1
               : std::isinf(limit)     ? kMostPasses
                                       : kMostPassesWithin;
  SmallVector<int32_t, 4> order = axisOrder();
  auto run = [&](bool later) {
    return Descent(input, model, ranges, maker, solved, limits, limit)
        .run(order, later, passes);
  };
  result = run(true);
  if (order.size() < 2 || std::isinf(limit))
    return result;
  // Which axis makes room is decided by the order, and by who comes first.
  auto offer = [&](PlannedLayouts other) {
    bool fits = result.peak <= limit, otherFits = other.peak <= limit;
    if (other.works && (fits != otherFits ? otherFits
                        : fits            ? other.seconds < result.seconds
                                          : other.peak < result.peak))
      result = std::move(other);
  };
  if (isSmall || effort > 0)
    offer(run(false));
  if (!isSmall)
    return result;
  std::reverse(order.begin(), order.end());
  offer(run(true));
  offer(run(false));
  return result;
}

} // namespace shardwright
