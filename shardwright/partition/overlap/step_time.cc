//===- step_time.cc - predicted time of a step ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/step_time.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/trip_count.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {

StepTime StepTimes::ofRegions(Operation *op) {
  SmallVector<InnerSchedule, 2> inner;
  return ofRegions(op, inner);
}

StepTime StepTimes::ofRegions(Operation *op,
                              SmallVectorImpl<InnerSchedule> &inner) {
  // The block that was recorded last.
  auto recorded = [&] {
    return record ? int32_t(record->blocks.size()) - 1 : -1;
  };
  StepTime sum;
  if (isa<stablehlo::WhileOp>(op)) {
    std::optional<int64_t> trips = knownTripCount(op);
    double times = double(trips.value_or(1)), start = 0;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      StepTime time = ofBlock(region.front());
      inner.push_back({recorded(), start, times});
      start += time.total();
      sum.add(time, times);
    }
    sum.unknownTripCount |= !trips;
  } else if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
    bool unknown = false;
    for (Region &branch : op->getRegions()) {
      if (branch.empty())
        continue;
      StepTime time = ofBlock(branch.front());
      unknown |= time.unknownTripCount;
      if (time.total() <= sum.total())
        continue;
      sum = time;
      inner.assign(1, {recorded()});
    }
    sum.unknownTripCount = unknown;
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || callee.isDeclaration())
      return sum;
    // A recursive call counts as zero.
    auto [it, isNew] = functions.try_emplace(callee);
    if (isNew) {
      StepTime time = ofBlock(callee.getBody().front());
      functions[callee] = {time, recorded()};
    }
    const Function &function = functions[callee];
    sum = function.time;
    if (function.block >= 0)
      inner.push_back({function.block});
  }
  return sum;
}

StepTime StepTimes::ofBlock(Block &block) {
  Timeline timeline;
  llvm::DenseMap<Value, double> arrivals;
  std::vector<ScheduledOp> scheduled;
  auto note = [&](ScheduledOp op) {
    if (record)
      scheduled.push_back(std::move(op));
  };
  auto start = [&](Operation &op, const Transfer &transfer) {
    double arrival = timeline.start(transfer);
    note({.kind = ScheduledOp::Kind::Transfer,
          .op = &op,
          .start = arrival - transfer.seconds,
          .seconds = transfer.seconds,
          .lanes = transfer.lanes});
    return arrival;
  };
  for (Operation &op : block) {
    if (auto async = dyn_cast<stablehlo::AsyncStartOp>(op)) {
      double arrival = timeline.now();
      for (Operation &inner : async.getBody().front())
        if (std::optional<Transfer> transfer = costs.transfer(&inner))
          arrival = std::max(arrival, start(inner, *transfer));
      arrivals[async.getResult()] = arrival;
    } else if (auto done = dyn_cast<stablehlo::AsyncDoneOp>(op)) {
      timeline.wait(arrivals.lookup(done.getOperand()));
    } else if (std::optional<Transfer> transfer = costs.transfer(&op)) {
      timeline.wait(start(op, *transfer));
    } else if (isControlFlow(&op) || isa<func::CallOp>(op)) {
      ScheduledOp run{.kind = ScheduledOp::Kind::Control,
                      .op = &op,
                      .start = timeline.now()};
      StepTime time = ofRegions(&op, run.inner);
      run.seconds = time.total();
      timeline.run(time);
      note(std::move(run));
    } else {
      double seconds = costs.seconds(&op);
      note({.op = &op, .start = timeline.now(), .seconds = seconds});
      timeline.compute(seconds);
    }
  }
  if (record)
    record->blocks.push_back({timeline.spent(), std::move(scheduled)});
  return timeline.spent();
}

std::vector<double> StepSchedule::runs() const {
  std::vector<double> runs(blocks.size(), 0);
  if (main < 0)
    return runs;
  runs[main] = 1;
  for (size_t i = blocks.size(); i-- > 0;)
    for (const ScheduledOp &op : blocks[i].ops)
      for (const InnerSchedule &inner : op.inner)
        runs[inner.block] += runs[i] * inner.times;
  return runs;
}

StepSchedule predictSchedule(ModuleOp local, const Mesh &mesh,
                             const MachineModel &machine) {
  StepSchedule schedule;
  func::FuncOp main = sdy::getMainFunc(local);
  if (!main || main.isDeclaration())
    return schedule;
  KernelPlaces places;
  OpCosts costs(machine, mesh, &places);
  StepTimes(local, costs, &schedule).ofBlock(main.getBody().front());
  schedule.main = int32_t(schedule.blocks.size()) - 1;
  return schedule;
}

StepTime predictStepTime(ModuleOp local, const Mesh &mesh,
                         const MachineModel &machine) {
  func::FuncOp main = sdy::getMainFunc(local);
  if (!main || main.isDeclaration())
    return {};
  KernelPlaces places;
  OpCosts costs(machine, mesh, &places);
  StepTime step = StepTimes(local, costs).ofBlock(main.getBody().front());
  step.compute += machine.stepSeconds;
  return step;
}

} // namespace shardwright
