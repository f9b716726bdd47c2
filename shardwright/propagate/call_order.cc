//===- call_order.cc - functions in the order of calls -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/call_order.h"

#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {

CallsByFunction::CallsByFunction(ModuleOp module, const OpIndex *index) {
  for (auto func : module.getOps<func::FuncOp>()) {
    funcs.push_back(func);
    funcOf[func.getSymNameAttr()] = func;
    if (!index) {
      func.walk([&](func::CallOp call) { callsIn[func].push_back(call); });
      continue;
    }
    for (Operation *op : index->inFunction(func, isNamed<func::CallOp>))
      callsIn[func].push_back(cast<func::CallOp>(op));
  }
}

ArrayRef<func::CallOp> CallsByFunction::in(func::FuncOp func) const {
  auto it = callsIn.find(func);
  return it == callsIn.end() ? ArrayRef<func::CallOp>() : it->second;
}

func::FuncOp CallsByFunction::calleeOf(func::CallOp call) const {
  return funcOf.lookup(call.getCalleeAttr().getAttr());
}

FailureOr<SmallVector<func::FuncOp>> CallsByFunction::callersFirst() const {
  enum class State { New, Open, Done };
  llvm::DenseMap<Operation *, State> states;
  SmallVector<func::FuncOp> order;
  // A stack of our own: chains of calls may be as long as the module.
  SmallVector<std::pair<func::FuncOp, size_t>> open;
  for (func::FuncOp root : funcs) {
    if (states[root] != State::New)
      continue;
    states[root] = State::Open;
    open.push_back({root, 0});
    while (!open.empty()) {
      auto &[func, next] = open.back();
      ArrayRef<func::CallOp> calls = in(func);
      if (next == calls.size()) {
        states[func] = State::Done;
        // Declarations are not in a call graph.
        if (funcs.size() == 1 || !func.isExternal())
          order.push_back(func);
        open.pop_back();
        continue;
      }
      func::CallOp call = calls[next++];
      func::FuncOp callee = calleeOf(call);
      if (!callee)
        continue;
      State &state = states[callee];
      if (state == State::Open) {
        call.emitError("recursive calls are not supported: @")
            << callee.getSymName() << " calls itself";
        return failure();
      }
      if (state == State::New) {
        state = State::Open;
        open.push_back({callee, 0});
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

FailureOr<SmallVector<func::FuncOp>> callersFirst(ModuleOp module) {
  return CallsByFunction(module).callersFirst();
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
