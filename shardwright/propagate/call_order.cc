//===- call_order.cc - functions in the order of calls -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/call_order.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace shardwright {

namespace {

/// Depth-first search for a call of a function that is being called.
class CycleFinder {
public:
  explicit CycleFinder(ModuleOp module) : symbols(module) {}

  LogicalResult visit(func::FuncOp func) {
    State &state = states[func];
    if (state == State::Done)
      return success();
    state = State::Open;
    WalkResult result = func.walk([&](func::CallOp call) {
      auto callee =
          symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr());
      if (!callee)
        return WalkResult::advance();
      if (states.lookup(callee) == State::Open) {
        call.emitError("recursive calls are not supported: @")
            << callee.getSymName() << " calls itself";
        return WalkResult::interrupt();
      }
      return failed(visit(callee)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
    });
    states[func] = State::Done;
    return failure(result.wasInterrupted());
  }

private:
  enum class State { New, Open, Done };
  SymbolTable symbols;
  llvm::DenseMap<func::FuncOp, State> states;
};

} // namespace

FailureOr<SmallVector<func::FuncOp>> callersFirst(ModuleOp module) {
  SmallVector<func::FuncOp> order;
  auto funcs = module.getOps<func::FuncOp>();
  if (funcs.empty() || std::next(funcs.begin()) == funcs.end()) {
    order.assign(funcs.begin(), funcs.end());
    // One function can still call itself.
    for (func::FuncOp func : order)
      if (failed(CycleFinder(module).visit(func)))
        return failure();
    return order;
  }
  CycleFinder cycles(module);
  for (func::FuncOp func : funcs)
    if (failed(cycles.visit(func)))
      return failure();
  CallGraph graph(module);
  for (CallGraphNode *node :
       llvm::ReversePostOrderTraversal<const CallGraph *>(&graph))
    if (!node->isExternal())
      if (auto func =
              dyn_cast<func::FuncOp>(node->getCallableRegion()->getParentOp()))
        order.push_back(func);
  return order;
}

FailureOr<SmallVector<func::FuncOp>> calleesFirst(ModuleOp module) {
  FailureOr<SmallVector<func::FuncOp>> order = callersFirst(module);
  if (succeeded(order))
    std::reverse(order->begin(), order->end());
  return order;
}

StringAttr originalName(func::FuncOp func) {
  auto name = func->getAttrOfType<StringAttr>(sdy::kOriginalFuncNameAttr);
  return name ? name : func.getSymNameAttr();
}

func::FuncOp cloneFuncRecursively(func::FuncOp func, SymbolTable &symbols) {
  func::FuncOp clone = func.clone();
  clone->setAttr(sdy::kOriginalFuncNameAttr, originalName(func));
  clone.walk([&](func::CallOp call) {
    if (auto callee =
            symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr()))
      call.setCalleeAttr(FlatSymbolRefAttr::get(
          cloneFuncRecursively(callee, symbols).getSymNameAttr()));
  });
  symbols.insert(clone);
  return clone;
}

} // namespace shardwright
