//===- call_growth.cc - size of a program after inlining ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/import/call_growth.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace mlir;

namespace shardwright {
namespace {

struct Function {
  func::FuncOp op;
  /// Indices of the callees, one per call.
  SmallVector<int32_t> callees;
  /// Sizes after inlining, valid once `isDone`.
  int64_t ops = 0, depth = 0;
  bool isOpen = false, isDone = false;
};

class Growth {
public:
  Growth(ModuleOp module,
         llvm::function_ref<bool(OperationName)> mayNameFunctions);
  LogicalResult run();

private:
  LogicalResult visit(int32_t root);
  LogicalResult finish(Function &function);

  SmallVector<Function, 0> functions;
  int64_t total = 0;
};

} // namespace

Growth::Growth(ModuleOp module,
               llvm::function_ref<bool(OperationName)> mayNameFunctions) {
  llvm::DenseMap<StringAttr, int32_t> numbers;
  for (auto func : module.getOps<func::FuncOp>()) {
    numbers.try_emplace(func.getSymNameAttr(), functions.size());
    functions.push_back({func});
  }
  if (functions.size() < 2)
    return; // no function can be called
  for (Function &function : functions)
    function.op.walk([&](Operation *op) {
      ++function.ops;
      auto add = [&](SymbolRefAttr symbol) {
        auto it = numbers.find(symbol.getRootReference());
        if (it != numbers.end())
          function.callees.push_back(it->second);
      };
      if (auto call = dyn_cast<func::CallOp>(op))
        add(call.getCalleeAttr());
      else if (mayNameFunctions && mayNameFunctions(op->getName()))
        op->getAttrDictionary().walk(add);
    });
}

/// Requires that all callees are done.
LogicalResult Growth::finish(Function &function) {
  for (int32_t number : function.callees) {
    const Function &callee = functions[number];
    if (!callee.isDone) // recursive
      continue;
    // Cannot overflow: both are bounded by the limits.
    function.ops += callee.ops;
    function.depth = std::max(function.depth, callee.depth + 1);
    if (function.ops > maxInlinedOps)
      break;
  }
  total += function.ops;
  function.isDone = true;
  auto error = [&] { return emitError(function.op.getLoc()); };
  if (function.depth > maxCallDepth)
    return error() << "calls nest deeper than the limit: '@"
                   << function.op.getSymName() << "' begins a chain of "
                   << function.depth << " calls, at most " << maxCallDepth
                   << " are allowed";
  if (total > maxInlinedOps)
    return error() << "the program grows beyond the limit when its calls are "
                      "inlined: up to '@"
                   << function.op.getSymName() << "' there are more than "
                   << maxInlinedOps << " operations";
  return success();
}

LogicalResult Growth::visit(int32_t root) {
  SmallVector<std::pair<int32_t, size_t>> open{{root, 0}};
  while (!open.empty()) {
    auto &[number, next] = open.back();
    Function &function = functions[number];
    function.isOpen = true;
    while (next < function.callees.size() &&
           functions[function.callees[next]].isOpen)
      ++next;
    if (next < function.callees.size()) {
      int32_t callee = function.callees[next++];
      open.push_back({callee, 0});
      continue;
    }
    open.pop_back();
    if (failed(finish(function)))
      return failure();
  }
  return success();
}

LogicalResult Growth::run() {
  for (int32_t i = 0, e = functions.size(); i < e; ++i)
    if (!functions[i].isOpen && failed(visit(i)))
      return failure();
  return success();
}

LogicalResult
checkCallGrowth(ModuleOp module,
                llvm::function_ref<bool(OperationName)> mayNameFunctions) {
  return Growth(module, mayNameFunctions).run();
}

} // namespace shardwright
