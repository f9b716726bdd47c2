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

FailureOr<std::unique_ptr<ExplainRun>>
propagateForExplain(OwningOpRef<ModuleOp> module, const UserValues &user) {
  auto run = std::make_unique<ExplainRun>();
  run->module = std::move(module);
  ModuleOp m = *run->module;
  PropagateOptions options;
  options.extraRules = true;
  auto apply = [&](llvm::function_ref<void(OpPassManager &)> add) {
    PassManager pm = PassManager::on<ModuleOp>(m.getContext());
    pm.enableVerifier(false);
    add(pm);
    return pm.run(m);
  };
  int64_t dumpIndex = 1;
  if (failed(apply([&](OpPassManager &pm) {
        addImportPipeline(pm, options, dumpIndex);
        addCallImport(pm);
      })))
    return failure();
  forEachValue(m, [&](Value value) {
    if (sdy::getSharding(value))
      run->annotated.insert(value);
  });
  if (failed(apply([&](OpPassManager &pm) {
        addConstraintImport(pm, options);
        pm.addPass(createPreOrderFuncs());
      })))
    return failure();
  forEachValue(m, [&](Value value) {
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(value))
      run->initial[value] = sharding;
  });
  if (func::FuncOp main = sdy::getMainFunc(m))
    for (unsigned i = 0, e = main.getNumResults(); i < e; ++i)
      run->initialResults.push_back(sdy::getFuncResultSharding(main, i));

  EngineOptions engine;
  engine.extraRules = true;
  engine.keepDeadOps = true;
  engine.observer = &run->reasons;
  if (failed(propagateShardings(m, engine)))
    return failure();
  run->values = user.findIn(m);
  return run;
}

} // namespace shardwright
