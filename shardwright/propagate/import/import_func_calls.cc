//===- import_func_calls.cc - calls become named computations ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/import/add_data_flow_edges.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/index/argument_shardings.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;
using sdy::TensorShardingPerValueAttr;

#define GEN_PASS_DEF_IMPORTFUNCCALLS
#include "shardwright/propagate/passes.h.inc"

namespace {

struct ImportFuncCallsPass : impl::ImportFuncCallsBase<ImportFuncCallsPass> {
  using ImportFuncCallsBase::ImportFuncCallsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // The same pass object may run on several modules.
    imported.clear();
    bodies.clear();
    repeated.clear();
    FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(module);
    if (failed(order))
      return signalPassFailure();
    SymbolTable symbols(module);
    for (func::FuncOp func : *order) {
      WalkResult result = func.walk([&](func::CallOp call) {
        return succeeded(import(call, symbols)) ? WalkResult::advance()
                                                : WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    for (func::FuncOp callee : imported)
      symbols.erase(callee);
    if (addDataFlowEdgesOnNamedComputations)
      module.walk([](sdy::NamedComputationOp op) {
        addDataFlowEdges(
            cast<sdy::ShardableDataFlowOpInterface>(op.getOperation()));
      });
  }

private:
  LogicalResult import(func::CallOp call, SymbolTable &symbols) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr());
    if (!callee)
      return call.emitError("calls @")
             << call.getCallee() << ", which is not a function of the module";
    // External functions have no body. The body of a function that was called
    // before has moved to its first caller.
    bool isFirst = !imported.contains(callee);
    if (isFirst && callee.isExternal())
      return success();
    if (isFirst && !callee.getBody().hasOneBlock())
      return call.emitError("calls @")
             << call.getCallee() << ", which has more than one block";

    OpBuilder builder(call);
    SmallVector<TensorShardingAttr> out = sdy::getShardings(call);
    auto op = sdy::NamedComputationOp::create(
        builder, call.getLoc(), call.getResultTypes(), call.getOperands(),
        originalName(callee), argumentShardings(callee),
        out.empty() ? nullptr
                    : TensorShardingPerValueAttr::get(&getContext(), out));
    for (NamedAttribute attr : call->getDiscardableAttrs())
      if (attr.getName() != sdy::kShardingAttr)
        op->setDiscardableAttr(attr.getName(), attr.getValue());
    if (Attribute thread = callee->getAttr("execution_thread"))
      op->setDiscardableAttr("execution_thread", thread);

    if (isFirst) {
      imported.insert(callee);
      op.getBody().takeBody(callee.getBody());
    } else {
      if (repeated.insert(callee).second)
        callee.emitWarning("function @")
            << callee.getSymName()
            << " has multiple call ops, we need to clone the function body for "
               "each call";
      IRMapping mapping;
      bodies.lookup(callee)->cloneInto(&op.getBody(), mapping);
    }
    bodies.try_emplace(callee, &op.getBody());

    Operation *ret = op.getBody().front().getTerminator();
    if (isa<func::ReturnOp>(ret)) {
      builder.setInsertionPoint(ret);
      sdy::ReturnOp::create(builder, ret->getLoc(), ret->getOperands());
      ret->erase();
    }
    call.replaceAllUsesWith(op.getResults());
    call.erase();
    return success();
  }

  llvm::SetVector<func::FuncOp> imported;
  llvm::DenseSet<func::FuncOp> repeated;
  llvm::DenseMap<func::FuncOp, Region *> bodies;
};

} // namespace
} // namespace shardwright
