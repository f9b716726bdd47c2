//===- flatten_call_graph.cc - one callee per call ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/import/call_growth.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/passes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_FLATTENCALLGRAPH
#include "shardwright/propagate/passes.h.inc"

namespace {

struct FlattenCallGraphPass : impl::FlattenCallGraphBase<FlattenCallGraphPass> {
  void runOnOperation() override {
    if (failed(checkCallGrowth(getOperation())))
      return signalPassFailure();
    FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(getOperation());
    if (failed(order))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    llvm::DenseSet<func::FuncOp> called;
    for (func::FuncOp func : *order)
      func.walk([&](func::CallOp call) {
        auto callee =
            symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr());
        // The first call keeps the function, the others get copies.
        if (!callee || called.insert(callee).second)
          return;
        call.setCalleeAttr(FlatSymbolRefAttr::get(
            cloneFuncRecursively(callee, symbols).getSymNameAttr()));
      });
  }
};

} // namespace
} // namespace shardwright
