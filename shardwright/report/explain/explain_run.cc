//===- explain_run.cc - propagation with recorded reasons -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain_run.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/shardy/pipelines.h"
#include "shardwright/propagate/passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace shardwright {

Value shardingHolder(Value value) {
  sdy::ShardableDataFlowOpInterface op = sdy::getDataFlowOp(value);
  if (!op)
    return value;
  Value owner = op.getEdgeOwnerFromTarget(value);
  if (!owner)
    return value;
  if (sdy::DataFlowEdgeOp edge = sdy::DataFlowEdgeOp::lookup(owner))
    return edge.getResult();
  return owner;
}

static void forEachValue(ModuleOp module,
                         llvm::function_ref<void(Value)> visit) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      visit(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          visit(argument);
  });
}

/// True for the result of a data flow edge and for the values that it joins.
static bool hasEdge(Value value) {
  return value.getDefiningOp<sdy::DataFlowEdgeOp>() ||
         shardingHolder(value) != value;
}

FailureOr<std::unique_ptr<ExplainRun>>
propagateForExplain(OwningOpRef<ModuleOp> module, const UserValues &user,
                    ShardyVersion shardy) {
  auto run = std::make_unique<ExplainRun>();
  run->module = std::move(module);
  ModuleOp m = *run->module;
  PropagateOptions options;
  options.extraRules = true;
  options.shardy = shardy;
  auto apply = [&](llvm::function_ref<void(OpPassManager &)> add) {
    PassManager pm = PassManager::on<ModuleOp>(m.getContext());
    pm.enableVerifier(false);
    add(pm);
    return pm.run(m);
  };
  int64_t dumpIndex = 1;
  if (failed(apply([&](OpPassManager &pm) {
        addImportPipeline(pm, options, dumpIndex);
        addCallFlattening(pm);
      })))
    return failure();
  // Calls will be replaced by named computations.
  forEachValue(m, [&](Value value) {
    if (sdy::getSharding(value) && !value.getDefiningOp<func::CallOp>())
      run->annotated.insert(value);
  });
  if (failed(apply([&](OpPassManager &pm) {
        addConstraintAndCallImport(pm, options);
        pm.addPass(createPreOrderFuncs());
      })))
    return failure();
  forEachValue(m, [&](Value value) {
    sdy::TensorShardingAttr sharding = sdy::getSharding(value);
    if (!sharding)
      return;
    run->initial[value] = sharding;
    // Constraints set no shardings of values with a data flow edge.
    if (hasEdge(value))
      run->annotated.insert(value);
  });
  if (func::FuncOp main = sdy::getMainFunc(m))
    for (unsigned i = 0, e = main.getNumResults(); i < e; ++i)
      run->initialResults.push_back(sdy::getFuncResultSharding(main, i));

  EngineOptions engine;
  engine.extraRules = true;
  engine.shardy = shardy;
  engine.keepDeadOps = true;
  engine.observer = &run->reasons;
  if (failed(propagateShardings(m, engine)))
    return failure();
  run->values = user.findIn(m);
  return run;
}

} // namespace shardwright
