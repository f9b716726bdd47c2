//===- call_order.cc - functions in the order of calls -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/call_order.h"

#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {

CallsByFunction::CallsByFunction(ModuleOp module) { build(OpIndex(module)); }

CallsByFunction::CallsByFunction(Operation *, AnalysisManager &analyses) {
  build(analyses.getAnalysis<OpIndex>());
}

void CallsByFunction::build(const OpIndex &index) {
  OpIndex::Ops ops;
  auto ranges = index.byFunction(isNamed<func::CallOp>, ops);
  funcs.reserve(ranges.size());
  numberOf.reserve(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    auto [func, begin, end] = ranges[i];
    funcs.push_back({func, begin, end, func.isExternal()});
    numberOf.try_emplace(func.getSymNameAttr(), i);
  }
  allCalls.reserve(ops.size());
  for (Operation *op : ops) {
    auto call = cast<func::CallOp>(op);
    auto it = numberOf.find(call.getCalleeAttr().getAttr());
    allCalls.push_back({call, it == numberOf.end() ? -1 : it->second});
  }
}

func::FuncOp CallsByFunction::calleeOf(func::CallOp call) const {
  auto it = numberOf.find(call.getCalleeAttr().getAttr());
  return it == numberOf.end() ? nullptr : funcs[it->second].op;
}

FailureOr<SmallVector<int32_t>> CallsByFunction::callersFirst() const {
  enum class State : uint8_t { New, Open, Done };
  SmallVector<State, 0> states(funcs.size(), State::New);
  SmallVector<int32_t> order;
  // Use an explicit stack: chains of calls may be as long as the module.
  SmallVector<std::pair<int32_t, int32_t>> open;
  for (int32_t root = 0, e = funcs.size(); root < e; ++root) {
    if (states[root] != State::New)
      continue;
    states[root] = State::Open;
    open.push_back({root, funcs[root].begin});
    while (!open.empty()) {
      auto &[func, next] = open.back();
      if (next == funcs[func].end) {
        states[func] = State::Done;
        // As in MLIR's call graph, skip declarations.
        if (funcs.size() == 1 || !funcs[func].isExternal)
          order.push_back(func);
        open.pop_back();
        continue;
      }
      const Call &call = allCalls[next++];
      if (call.callee < 0)
        continue;
      State &state = states[call.callee];
      if (state == State::Open) {
        func::CallOp(call.op).emitError("recursive calls are not supported: @")
            << calleeOf(call).getSymName() << " calls itself";
        return failure();
      }
      if (state == State::New) {
        state = State::Open;
        open.push_back({call.callee, funcs[call.callee].begin});
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

FailureOr<SmallVector<func::FuncOp>> callersFirst(ModuleOp module) {
  CallsByFunction calls(module);
  FailureOr<SmallVector<int32_t>> order = calls.callersFirst();
  if (failed(order))
    return failure();
  return llvm::map_to_vector(
      *order, [&](int32_t func) { return calls.functions()[func].op; });
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
