//===- add_func_data_flow_edges.cc - edge ops between calls and callees ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_ADDFUNCDATAFLOWEDGES
#include "shardwright/propagate/passes.h.inc"

void addFuncDataFlowEdges(ValueRange values) {
  if (values.empty())
    return;
  OpBuilder builder(values.front().getContext());
  builder.setInsertionPointAfterValue(values.front());
  for (Value value : values) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type || !type.hasStaticShape())
      continue;
    sdy::TensorShardingAttr sharding = sdy::getSharding(value);
    auto edge =
        sdy::FuncDataFlowEdgeOp::create(builder, value.getLoc(), type, value);
    if (sharding)
      sdy::setSharding(edge.getResult(), sharding);
    value.replaceAllUsesExcept(edge.getResult(), edge);
  }
}

namespace {

struct AddFuncDataFlowEdgesPass
    : impl::AddFuncDataFlowEdgesBase<AddFuncDataFlowEdgesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> main = sdy::requireMainFunc(module);
    if (failed(main))
      return signalPassFailure();
    for (auto func : module.getOps<func::FuncOp>())
      if (func != *main && !func.isExternal())
        addFuncDataFlowEdges(func.getArguments());
    module.walk(
        [](func::CallOp call) { addFuncDataFlowEdges(call.getResults()); });
  }
};

} // namespace
} // namespace shardwright
