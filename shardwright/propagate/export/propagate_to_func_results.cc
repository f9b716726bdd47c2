//===- propagate_to_func_results.cc - function results as returned -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_PROPAGATETOFUNCRESULTS
#include "shardwright/propagate/passes.h.inc"

void propagateToFuncResults(func::FuncOp func, bool isMain,
                            ShardyVersion shardy) {
  bool isNew = shardy >= ShardyVersion::Jaxlib0_12_0;
  if (func.isExternal() || (isMain && !isNew))
    return;
  auto ret = dyn_cast<func::ReturnOp>(func.getBody().back().getTerminator());
  if (!ret)
    return;
  for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
    if (isMain && sdy::getFuncResultSharding(func, i))
      continue;
    sdy::TensorShardingAttr sharding = sdy::getSharding(value);
    // Few shardings have rank 0, so look up their meshes only.
    if (isNew && sharding && sharding.getRank() == 0)
      if (sdy::MeshAttr mesh = sdy::getMeshAttr(func, sharding);
          mesh && mesh.isMaximal())
        sharding = nullptr;
    sdy::setFuncResultSharding(func, i, sharding);
  }
}

namespace {

struct PropagateToFuncResultsPass
    : impl::PropagateToFuncResultsBase<PropagateToFuncResultsPass> {
  using PropagateToFuncResultsBase::PropagateToFuncResultsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> main = sdy::requireMainFunc(module);
    if (failed(main))
      return signalPassFailure();
    for (auto func : module.getOps<func::FuncOp>())
      propagateToFuncResults(func, /*isMain=*/func == *main, shardy);
  }
};

} // namespace
} // namespace shardwright
