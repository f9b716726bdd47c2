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
  StepTime sum;
  if (isa<stablehlo::WhileOp>(op)) {
    std::optional<int64_t> trips = knownTripCount(op);
    for (Region &region : op->getRegions())
      if (!region.empty())
        sum.add(ofBlock(region.front()), double(trips.value_or(1)));
    sum.unknownTripCount |= !trips;
  } else if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
    bool unknown = false;
    for (Region &branch : op->getRegions()) {
      if (branch.empty())
        continue;
      StepTime time = ofBlock(branch.front());
      unknown |= time.unknownTripCount;
      if (time.total() > sum.total())
        sum = time;
    }
    sum.unknownTripCount = unknown;
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || callee.isDeclaration())
      return sum;
    // A recursive call counts as zero.
    auto [it, isNew] = functions.try_emplace(callee);
    if (!isNew)
      return it->second;
    sum = ofBlock(callee.getBody().front());
    functions[callee] = sum;
  }
  return sum;
}

StepTime StepTimes::ofBlock(Block &block) {
  Timeline timeline;
  llvm::DenseMap<Value, double> arrivals;
  for (Operation &op : block) {
    if (auto start = dyn_cast<stablehlo::AsyncStartOp>(op)) {
      double arrival = timeline.now();
      for (Operation &inner : start.getBody().front())
        if (std::optional<Transfer> transfer = costs.transfer(&inner))
          arrival = std::max(arrival, timeline.start(*transfer));
      arrivals[start.getResult()] = arrival;
    } else if (auto done = dyn_cast<stablehlo::AsyncDoneOp>(op)) {
      timeline.wait(arrivals.lookup(done.getOperand()));
    } else if (std::optional<Transfer> transfer = costs.transfer(&op)) {
      timeline.communicate(*transfer);
    } else if (isControlFlow(&op) || isa<func::CallOp>(op)) {
      timeline.run(ofRegions(&op));
    } else {
      timeline.compute(costs.seconds(&op));
    }
  }
  return timeline.spent();
}

StepTime predictStepTime(ModuleOp local, const Mesh &mesh,
                         const MachineModel &machine) {
  func::FuncOp main = sdy::getMainFunc(local);
  if (!main || main.isDeclaration())
    return {};
  OpCosts costs(machine, mesh);
  StepTime step = StepTimes(local, costs).ofBlock(main.getBody().front());
  step.compute += machine.stepSeconds;
  return step;
}

} // namespace shardwright
