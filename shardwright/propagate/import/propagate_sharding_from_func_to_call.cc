//===- propagate_sharding_from_func_to_call.cc - calls without shardings===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/index/argument_shardings.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_PROPAGATESHARDINGFROMFUNCTOCALL
#include "shardwright/propagate/passes.h.inc"

namespace {

struct PropagateShardingFromFuncToCallPass
    : impl::PropagateShardingFromFuncToCallBase<
          PropagateShardingFromFuncToCallPass> {
  void runOnOperation() override {
    bool hasCalls = getAnalysis<ModuleContents>().calls;
    markAnalysesPreserved<ModuleContents, OpIndex>();
    if (!hasCalls)
      return;
    auto name = StringAttr::get(&getContext(), sdy::kShardingAttr);
    const auto &calls = getAnalysis<CallsByFunction>();
    sdy::MeshLookup meshOf(getOperation());
    calls.forEachCall([&](func::CallOp call, func::FuncOp callee) {
      if (!callee || call->getDiscardableAttr(name) ||
          callee.getNumResults() != call.getNumResults())
        return;
      SmallVector<TensorShardingAttr> shardings;
      for (int64_t i = 0, e = callee.getNumResults(); i < e; ++i)
        shardings.push_back(sdy::getFuncResultSharding(callee, i));
      if (auto all = completeShardings(
              std::move(shardings), call.getResultTypes(),
              [&](TensorShardingAttr s) { return meshOf(s.getMeshOrRef()); }))
        sdy::setShardings(call, all.getShardings());
    });
  }
};

} // namespace
} // namespace shardwright
