//===- unflatten_call_graph.cc - merge equal copies of functions ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_UNFLATTENCALLGRAPH
#include "shardwright/propagate/passes.h.inc"

namespace {

struct UnflattenCallGraphPass
    : impl::UnflattenCallGraphBase<UnflattenCallGraphPass> {
  using UnflattenCallGraphBase::UnflattenCallGraphBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::MapVector<Attribute, Group> groups;
    llvm::DenseMap<func::FuncOp, std::pair<Attribute, Attribute>> keys;
    getOperation().walk<WalkOrder::PreOrder>([&](func::CallOp call) {
      auto callee =
          symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr());
      if (!callee)
        return;
      auto &[name, shardings] = keys[callee];
      if (!name) {
        name = nameKey(callee);
        shardings = shardingKey(callee);
      }
      // Without full deduplication, functions with different shardings stay
      // apart.
      Attribute key = dedupFunctionsFully
                          ? name
                          : ArrayAttr::get(&getContext(), {name, shardings});
      groups[key].add(call, shardings);
    });
    for (auto &[key, group] : groups)
      for (func::CallOp call : group.calls)
        call.setCalleeAttr(group.target);
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      func->removeDiscardableAttr(sdy::kOriginalFuncNameAttr);
      func->removeDiscardableAttr(sdy::kFuncManualAxesAttr);
    }
  }

private:
  /// Calls that will share a function: the one with the shardings of the most
  /// calls, the first on ties.
  struct Group {
    SmallVector<func::CallOp> calls;
    FlatSymbolRefAttr target;

    void add(func::CallOp call, Attribute shardings) {
      calls.push_back(call);
      int64_t n = ++numCalls[shardings];
      if (n <= most)
        return;
      most = n;
      if (shardings != best)
        target = call.getCalleeAttr();
      best = shardings;
    }

  private:
    llvm::DenseMap<Attribute, int64_t> numCalls;
    int64_t most = 0;
    Attribute best;
  };

  static Attribute orUnit(Attribute attr, MLIRContext *context) {
    return attr ? attr : Attribute(UnitAttr::get(context));
  }

  Attribute nameKey(func::FuncOp func) {
    return ArrayAttr::get(
        &getContext(),
        {originalName(func),
         orUnit(func->getAttr(sdy::kFuncManualAxesAttr), &getContext())});
  }

  Attribute shardingKey(func::FuncOp func) {
    SmallVector<Attribute> key;
    for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
      key.push_back(
          orUnit(func.getArgAttr(i, sdy::kShardingAttr), &getContext()));
    for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
      key.push_back(
          orUnit(func.getResultAttr(i, sdy::kShardingAttr), &getContext()));
    return ArrayAttr::get(&getContext(), key);
  }
};

} // namespace
} // namespace shardwright
