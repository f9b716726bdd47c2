//===- insert_func_call_reshards.cc - reshard results of calls ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/sdy/unreduced_transition.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_INSERTFUNCCALLRESHARDS
#include "shardwright/propagate/passes.h.inc"

namespace {

/// Every dimension empty and closed, on the mesh and of the rank of `like`.
TensorShardingAttr closedLike(TensorShardingAttr like) {
  return TensorShardingAttr::getFullyClosed(like.getContext(), like.getRank(),
                                            like.getMeshOrRef());
}

SmallVector<TensorShardingAttr>
calleeShardings(func::FuncOp callee, ArrayRef<TensorShardingAttr> ofCall) {
  SmallVector<TensorShardingAttr> shardings;
  Attribute mesh;
  for (int64_t i = 0, e = callee.getNumResults(); i < e; ++i) {
    shardings.push_back(sdy::getFuncResultSharding(callee, i));
    if (shardings.back() && !mesh)
      mesh = shardings.back().getMeshOrRef();
  }
  if (!mesh) {
    shardings.clear();
    for (TensorShardingAttr s : ofCall)
      shardings.push_back(closedLike(s));
    return shardings;
  }
  for (auto [s, type] : llvm::zip(shardings, callee.getResultTypes()))
    if (!s)
      s = sdy::TensorShardingPerValueAttr::getFullyOpen(callee.getContext(),
                                                        type, mesh)
              .getSharding(0);
  return shardings;
}

struct InsertFuncCallReshardsPass
    : impl::InsertFuncCallReshardsBase<InsertFuncCallReshardsPass> {
  void runOnOperation() override {
    bool hasCalls = getAnalysis<ModuleContents>().calls;
    markAnalysesPreserved<ModuleContents, OpIndex>();
    if (!hasCalls)
      return;
    const auto &calls = getAnalysis<CallsByFunction>();
    calls.forEachCall([](func::CallOp call, func::FuncOp callee) {
      if (!callee || callee.getNumResults() != call.getNumResults())
        return;
      SmallVector<TensorShardingAttr> ofCall = sdy::getShardings(call);
      SmallVector<TensorShardingAttr> ofCallee =
          calleeShardings(callee, ofCall);
      if (ofCallee.empty())
        return;
      OpBuilder builder(call);
      for (auto [i, result] : llvm::enumerate(call.getResults())) {
        TensorShardingAttr wanted =
            ofCall.empty() ? closedLike(ofCallee[i]) : ofCall[i];
        // Partial sums along axes that only the function states are reduced at
        // their uses.
        if (wanted.isEquivalent(ofCallee[i], /*ignoreUnreducedAxes=*/
                                wanted.getUnreducedAxes().empty()))
          continue;
        builder.setInsertionPointAfter(call);
        auto reshard = sdy::ReshardOp::create(builder, call.getLoc(),
                                              result.getType(), result, wanted);
        result.replaceAllUsesExcept(reshard.getResult(), reshard);
        // One reshard must not change the kind of axes that stay unreduced.
        if (sdy::changesKind(call, ofCallee[i], wanted)) {
          builder.setInsertionPoint(reshard);
          reshard.getInputMutable().assign(
              sdy::ReshardOp::create(builder, call.getLoc(), result.getType(),
                                     result, wanted.withUnreducedAxes({})));
        }
      }
      sdy::setShardings(call, ofCallee);
    });
  }
};

} // namespace
} // namespace shardwright
