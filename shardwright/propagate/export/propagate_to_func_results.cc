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

void propagateToFuncResults(func::FuncOp func, bool keepGiven) {
  if (func.isExternal())
    return;
  auto ret = dyn_cast<func::ReturnOp>(func.getBody().back().getTerminator());
  if (!ret)
    return;
  for (auto [i, value] : llvm::enumerate(ret.getOperands()))
    if (!keepGiven || !sdy::getFuncResultSharding(func, i))
      sdy::setFuncResultSharding(func, i, sdy::getSharding(value));
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
      if (func != *main)
        propagateToFuncResults(func);
      else if (shardy >= ShardyVersion::Jaxlib0_12_0)
        propagateToFuncResults(func, /*keepGiven=*/true);
  }
};

} // namespace
} // namespace shardwright
