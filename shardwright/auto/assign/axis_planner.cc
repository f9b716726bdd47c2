//===- axis_planner.cc - the assignment of one axis -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/axis_planner.h"

#include "shardwright/partition/ops/linear_ops.h"

using namespace mlir;

namespace shardwright {

/// Of the time to write a value: what it costs that it is larger than it need
/// be.
constexpr double kHoldingCost = 0.01;

AxisPlanner::AxisPlanner(const PlannerInput &input, const ProgramModel &model,
                         const StrategyMaker &maker,
                         const AxisDecisions &decisions, int32_t axis)
    : input(input), model(model), maker(maker), decisions(decisions),
      axis(axis) {
  problem.shards = maker.size(axis);
  layouts.resize(model.values.size());
  for (size_t v = 0; v < model.values.size(); ++v)
    readValue(int32_t(v));
  for (auto [i, op] : llvm::enumerate(model.ops))
    addOp(op, int32_t(i));
  dropRepeatedWork();
  for (const EdgeClass &edge : model.edges)
    addEdge(edge);
  addMissingMakers();
  roundCosts(problem);
}

void AxisPlanner::readValue(int32_t v) {
  const ValueClass &cls = model.values[v];
  double local = cls.bytes;
  SmallVector<int64_t, 4> parts(cls.type.getRank(), problem.shards);
  for (auto [b, layout] : llvm::enumerate(decisions.made[v]))
    if (int32_t(b) != axis && layout >= 0) {
      local /= double(maker.size(int32_t(b)));
      parts[layout] *= maker.size(int32_t(b));
    }
  bytes.push_back(local);
  AxisRef ref = input.mesh.fullAxis(input.axes[axis]);
  auto meets = [&](AxisRefs list) { return overlaps(ref, list); };
  SmallVector<AxisLayout, 6> &list = layouts[v];
  bool isFree =
      !cls.isReplicated && (!cls.given || (!meets(cls.given->allAxes()) &&
                                           !meets(cls.given->replicated) &&
                                           !meets(cls.given->unreduced)));
  int32_t fixed = -1;
  if (cls.given && !cls.isReplicated)
    for (auto [d, dim] : llvm::enumerate(cls.given->dims))
      if (llvm::is_contained(dim.axes, ref))
        fixed = int32_t(d);
  if (fixed >= 0) {
    list = {AxisLayout(fixed)};
  } else {
    list = {kReplicatedLayout};
    for (int64_t d = 0; isFree && d < cls.type.getRank(); ++d) {
      int64_t rows = cls.type.getDimSize(d), shards = parts[d];
      if (cls.given)
        shards *= cls.given->dims[d].shards();
      if ((cls.given && cls.given->dims[d].isClosed) || rows % shards != 0)
        continue;
      list.push_back(AxisLayout(d));
    }
    if (isFree && !cls.given && !cls.isAtBorder && canAdd(cls.type))
      list.push_back(kPartialLayout);
  }
  double n = double(problem.shards);
  auto seconds = [&](CollectiveKind kind, double bytes) {
    return cls.count * maker.collectiveSeconds(kind, axis, bytes);
  };
  problem.values.push_back({seconds(CollectiveKind::AllGather, local / n),
                            seconds(CollectiveKind::AllToAll, local / n),
                            seconds(CollectiveKind::AllReduce, local),
                            seconds(CollectiveKind::ReduceScatter, local)});
}

bool AxisPlanner::mayBe(int32_t value, AxisLayout layout) const {
  return llvm::is_contained(layouts[value], layout);
}

void AxisPlanner::addStrategies(
    const OpClass &op, const OpStrategy &strategy, double kernel,
    AssignmentChoice &choice, std::vector<std::pair<int32_t, double>> &origin) {
  AssignmentStrategy base;
  for (auto [list, layout] : llvm::zip(op.operands, strategy.operands))
    for (int32_t value : list)
      if (!llvm::is_contained(base.needs, LayoutOfValue{value, layout}))
        base.needs.push_back({value, layout});
  // The layouts that the results get: that of the kernel, or what comes next
  // where they may not stay so.
  SmallVector<AxisLayout, 4> targets;
  bool stays = !strategy.mustReduce;
  for (auto [value, layout] : llvm::zip(op.results, strategy.results))
    stays &= value < 0 || mayBe(value, layout);
  if (stays)
    targets.push_back(-3);
  else
    for (int32_t value : op.results)
      if (value >= 0)
        for (AxisLayout to : layouts[value])
          if (to != kPartialLayout && !llvm::is_contained(targets, to))
            targets.push_back(to);
  for (AxisLayout target : targets) {
    AssignmentStrategy made = base;
    made.seconds = kernel;
    for (auto [value, layout] : llvm::zip(op.results, strategy.results)) {
      if (value < 0)
        continue;
      AxisLayout to = stays                  ? layout
                      : mayBe(value, target) ? target
                                             : layouts[value].front();
      made.seconds += problem.values[value].moveSeconds(layout, to);
      if (!llvm::is_contained(made.makes, LayoutOfValue{value, to}))
        made.makes.push_back({value, to});
    }
    if (made.seconds == LinearProgram::infinity)
      continue;
    choice.strategies.push_back(std::move(made));
    origin.push_back({strategy.factor, kernel});
  }
}

void AxisPlanner::addFixed(const OpClass &op) {
  AxisRef ref = input.mesh.fullAxis(input.axes[axis]);
  auto layoutOf = [&](const TensorSharding &sharding) {
    for (auto [d, dim] : llvm::enumerate(sharding.dims))
      if (overlaps(ref, dim.axes))
        return AxisLayout(d);
    return kReplicatedLayout;
  };
  OpStrategy strategy;
  for (const TensorSharding &sharding : op.fixedOperands)
    strategy.operands.push_back(layoutOf(sharding));
  for (const TensorSharding &sharding : op.fixedResults)
    strategy.results.push_back(layoutOf(sharding));
  addStrategies(op, strategy, 0, problem.choices.emplace_back(),
                origins.emplace_back());
}

void AxisPlanner::addOp(const OpClass &op, int32_t index) {
  if (!op.fixedOperands.empty() || !op.fixedResults.empty())
    return addFixed(op);
  AssignmentChoice &choice = problem.choices.emplace_back();
  std::vector<std::pair<int32_t, double>> &origin = origins.emplace_back();
  const AxisFactors &others = decisions.factors[index];
  for (const OpStrategy &strategy : maker.make(op.op, others, axis)) {
    AxisFactors factors = others;
    factors[axis] = int8_t(strategy.factor);
    double kernel =
        op.count * (maker.kernelSeconds(op.op, factors) + strategy.haloSeconds);
    addStrategies(op, strategy, kernel, choice, origin);
  }
}

void AxisPlanner::dropRepeatedWork() {
  // All devices compute the same from replicated operands. Along another factor
  // they slice these for nothing, and the results can be replicated after it.
  auto isRepeated = [](const std::pair<int32_t, double> &one,
                       const AssignmentStrategy &strategy) {
    return one.first < 0 && llvm::all_of(
                                strategy.needs,
                                [](LayoutOfValue need) {
                                  return need.layout == kReplicatedLayout;
                                });
  };
  for (auto [choice, origin] : llvm::zip(problem.choices, origins)) {
    double least = LinearProgram::infinity;
    for (auto [one, strategy] : llvm::zip(origin, choice.strategies)) {
      double seconds = strategy.seconds;
      for (LayoutOfValue own : strategy.makes)
        seconds += problem.values[own.value].moveSeconds(own.layout,
                                                         kReplicatedLayout);
      if (one.first >= 0)
        least = std::min(least, seconds);
    }
    size_t kept = 0;
    for (size_t w = 0; w < origin.size(); ++w) {
      if (isRepeated(origin[w], choice.strategies[w]) &&
          choice.strategies[w].seconds >= least)
        continue;
      origin[kept] = origin[w];
      std::swap(choice.strategies[kept++], choice.strategies[w]);
    }
    origin.resize(kept);
    choice.strategies.resize(kept);
  }
}

void AxisPlanner::addEdge(const EdgeClass &edge) {
  AssignmentChoice &choice = problem.choices.emplace_back();
  origins.emplace_back();
  const ValueClass &cls = model.values[edge.values.front()];
  auto add = [&](AxisLayout layout) {
    AssignmentStrategy &strategy = choice.strategies.emplace_back();
    // Of layouts of arguments that cost the same, the smaller one. Results that
    // are replicated anyway stay so: their sharding would propagate backwards.
    double part = layout >= 0 ? 1 / double(problem.shards) : 1;
    strategy.seconds = kHoldingCost * cls.count *
                       maker.memorySeconds(bytes[edge.values.front()]) *
                       (cls.isArgument ? part : layout >= 0);
    for (int32_t source : edge.sources)
      strategy.needs.push_back({source, layout});
    for (int32_t value : edge.values)
      strategy.makes.push_back({value, layout});
  };
  for (AxisLayout layout : layouts[edge.values.front()])
    if (llvm::all_of(edge.values,
                     [&](int32_t value) { return mayBe(value, layout); }))
      add(layout);
  // What the user says differs along the edge: it moves somewhere.
  if (choice.strategies.empty()) {
    AssignmentStrategy &strategy = choice.strategies.emplace_back();
    for (int32_t value : edge.values)
      strategy.makes.push_back({value, layouts[value].front()});
    for (int32_t source : edge.sources)
      strategy.needs.push_back({source, kReplicatedLayout});
  }
}

void AxisPlanner::addMissingMakers() {
  std::vector<bool> isMade(model.values.size());
  for (const AssignmentChoice &choice : problem.choices)
    for (const AssignmentStrategy &strategy : choice.strategies)
      for (LayoutOfValue own : strategy.makes)
        isMade[own.value] = true;
  for (size_t v = 0; v < isMade.size(); ++v)
    if (!isMade[v])
      addEdge({{int32_t(v)}, {}});
}

void AxisPlanner::apply(const AssignmentSolution &solution,
                        AxisDecisions &made) const {
  for (size_t v = 0; v < model.values.size(); ++v)
    made.made[v][axis] = made.reduced[v][axis] = solution.made[v];
  // Copies are in the order of values, and of layouts: a scatter to a dimension
  // counts only if the sum is not replicated.
  for (LayoutOfValue copy : solution.copies) {
    AxisLayout &reduced = made.reduced[copy.value][axis];
    if (solution.made[copy.value] == kPartialLayout &&
        reduced == kPartialLayout)
      reduced = copy.layout;
  }
  for (size_t c = 0; c < model.ops.size(); ++c)
    made.factors[c][axis] = int8_t(origins[c][solution.strategies[c]].first);
}

double AxisPlanner::kernelSeconds(const AssignmentSolution &solution) const {
  double seconds = 0;
  for (size_t c = 0; c < model.ops.size(); ++c)
    seconds += origins[c][solution.strategies[c]].second;
  return seconds;
}

} // namespace shardwright
