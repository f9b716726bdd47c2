//===- blame.cc - what a plan's step and memory are spent on --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/blame.h"

#include "shardwright/auto/search/trial_context.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/partition/overlap/peak_memory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Visits the ops that compute or communicate, with the number of times that
/// they run in one step. Each branch counts once.
void visitRuns(Block &block, double times,
               llvm::function_ref<void(Operation *, double)> visit) {
  for (Operation &op : block) {
    if (!isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op)) {
      visit(&op, times);
      continue;
    }
    double each = times;
    if (isa<stablehlo::WhileOp>(op))
      each *= double(knownTripCount(&op).value_or(1));
    for (Region &region : op.getRegions())
      if (!region.empty())
        visitRuns(region.front(), each, visit);
  }
}

/// Visits @main, and functions that it calls as often as it does.
void visitRuns(ModuleOp module,
               llvm::function_ref<void(Operation *, double)> visit) {
  func::FuncOp main = sdy::getMainFunc(module);
  if (!main || main.isDeclaration())
    return;
  llvm::SmallPtrSet<Operation *, 8> active;
  auto enter = [&](auto &self, func::FuncOp func, double times) -> void {
    if (!active.insert(func).second)
      return;
    visitRuns(func.getBody().front(), times, [&](Operation *op, double runs) {
      visit(op, runs);
      auto call = dyn_cast<func::CallOp>(op);
      auto callee =
          call ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : nullptr;
      if (callee && !callee.isDeclaration())
        self(self, callee, runs);
    });
    active.erase(func);
  };
  enter(enter, main, 1);
}

double workSeconds(OpCosts &costs, Operation *op) {
  return isa<func::CallOp>(op) ? 0 : costs.seconds(op);
}

void readHeld(ModuleOp local, Blame &blame) {
  for (const HeldValue &value : predictPeak(local).values) {
    Blame::Held held;
    held.bytes = double(value.bytes);
    if (value.index >= 0) {
      bool isResult = value.kind == MemoryClass::Result;
      held.kind =
          isResult ? Blame::Held::Kind::Result : Blame::Held::Kind::Argument;
      held.number = int32_t(value.index);
    } else {
      SmallVector<int32_t> numbers;
      collectOpNumbers(value.value.getLoc(), numbers);
      if (numbers.empty())
        continue;
      held.number = numbers.front();
    }
    blame.held.push_back(held);
  }
}

} // namespace

std::vector<double> evenShares(ModuleOp imported, const Mesh &mesh,
                               const MachineModel &machine) {
  KernelPlaces places;
  OpCosts costs(machine, mesh, &places);
  llvm::DenseMap<Operation *, int32_t> numberOf;
  for (auto [n, op] : llvm::enumerate(numberedOps(imported)))
    numberOf[op] = n;
  std::vector<double> shares(numberOf.size());
  visitRuns(imported, [&](Operation *op, double times) {
    shares[numberOf.lookup(op)] +=
        times * workSeconds(costs, op) / double(mesh.numDevices());
  });
  return shares;
}

Blame blameOf(ModuleOp local, const Mesh &mesh, const MachineModel &machine,
              ArrayRef<double> shares) {
  KernelPlaces places;
  OpCosts costs(machine, mesh, &places);
  std::vector<double> sent(shares.size()), work(shares.size());
  SmallVector<int32_t> numbers;
  visitRuns(local, [&](Operation *op, double times) {
    std::optional<Transfer> transfer = costs.transfer(op);
    double seconds =
        times * (transfer ? transfer->seconds : workSeconds(costs, op));
    if (seconds == 0)
      return;
    numbers.clear();
    collectOpNumbers(op->getLoc(), numbers);
    // A collective that was combined from several moves the values of each.
    for (int32_t n : numbers)
      if (n >= 0 && n < int32_t(shares.size()))
        (transfer ? sent : work)[n] += seconds / double(numbers.size());
  });
  Blame blame;
  for (size_t n = 0; n < shares.size(); ++n) {
    double seconds = sent[n] + std::max(work[n] - shares[n], 0.0);
    if (seconds > 0)
      blame.ops.push_back({int32_t(n), seconds});
  }
  llvm::sort(blame.ops, [](const Blame::Op &a, const Blame::Op &b) {
    return std::pair(-a.seconds, a.number) < std::pair(-b.seconds, b.number);
  });
  readHeld(local, blame);
  return blame;
}

} // namespace shardwright
