//===- step_operations.cc - operations of a step --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/step_operations.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_work.h"
#include "shardwright/partition/ops/trip_count.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;

namespace shardwright {
namespace {

class Counter {
public:
  explicit Counter(ModuleOp module) : module(module) {}

  double ofBlock(Block &block) {
    double sum = 0;
    for (Operation &op : block)
      sum += ofOp(op);
    return sum;
  }

private:
  double ofOp(Operation &op);
  double ofManual(sdy::ManualComputationOp manual);

  ModuleOp module;
  llvm::DenseMap<Operation *, double> functions;
};

double Counter::ofManual(sdy::ManualComputationOp manual) {
  double shards = 1;
  for (sdy::MeshOp mesh : module.getOps<sdy::MeshOp>()) {
    double product = 1;
    for (sdy::MeshAxisAttr axis : mesh.getMesh().getAxes())
      for (StringAttr manualAxis : manual.getManualAxes())
        if (manualAxis.getValue() == axis.getName())
          product *= double(axis.getSize());
    shards = std::max(shards, product);
  }
  return shards * ofBlock(manual.getBody().front());
}

double Counter::ofOp(Operation &op) {
  double sum = 0;
  if (isa<stablehlo::WhileOp>(op)) {
    for (Region &region : op.getRegions())
      if (!region.empty())
        sum += ofBlock(region.front());
    return sum * double(knownTripCount(&op).value_or(1));
  }
  if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
    for (Region &branch : op.getRegions())
      if (!branch.empty())
        sum = std::max(sum, ofBlock(branch.front()));
    return sum;
  }
  if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
    return ofManual(manual);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || callee.isDeclaration())
      return 0;
    // A recursive call counts as zero.
    auto [it, isNew] = functions.try_emplace(callee, 0);
    if (!isNew)
      return it->second;
    return functions[callee] = ofBlock(callee.getBody().front());
  }
  return countOperations(&op);
}

} // namespace

double countStepOperations(ModuleOp imported) {
  func::FuncOp main = sdy::getMainFunc(imported);
  return main && !main.isDeclaration()
             ? Counter(imported).ofBlock(main.getBody().front())
             : 0;
}

} // namespace shardwright
