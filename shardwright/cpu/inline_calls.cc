//===- inline_calls.cc - one function without calls -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/inline_calls.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright::cpu {

FailureOr<func::FuncOp> entryFunction(ModuleOp module) {
  func::FuncOp only;
  int count = 0;
  for (auto f : module.getOps<func::FuncOp>()) {
    only = f;
    ++count;
  }
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    only = main;
  else if (count != 1)
    return module.emitError()
           << "the module has no function @main and " << count << " others";
  if (only.isDeclaration() || !only.getBody().hasOneBlock())
    return only.emitError("the entry function should have a body of one block");
  return only;
}

namespace {
class Inliner {
public:
  explicit Inliner(ModuleOp module) : symbols(module) {}
  LogicalResult run(func::FuncOp function);

private:
  SymbolTable symbols;
  llvm::DenseSet<Operation *> finished, open;
};
} // namespace

// Callees first, so that each body is copied without calls in it.
LogicalResult Inliner::run(func::FuncOp function) {
  if (finished.contains(function))
    return success();
  open.insert(function);
  llvm::SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee)
      return call.emitError() << "function @" << call.getCallee()
                              << " does not exist";
    if (open.contains(callee))
      return call.emitError() << "function @" << call.getCallee()
                              << " calls itself, which is not supported";
    if (callee.isDeclaration() || !callee.getBody().hasOneBlock())
      return call.emitError() << "function @" << call.getCallee()
                              << " should have a body of one block";
    Block &body = callee.getBody().front();
    if (body.getNumArguments() != call.getNumOperands() ||
        body.getTerminator()->getNumOperands() != call.getNumResults())
      return call.emitError() << "the call does not match function @"
                              << call.getCallee();
    if (failed(run(callee)))
      return failure();
    IRMapping map;
    map.map(body.getArguments(), call.getOperands());
    OpBuilder builder(call);
    for (Operation &op : body.without_terminator())
      builder.clone(op, map);
    for (auto [result, value] :
         llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(map.lookupOrDefault(value));
    call.erase();
  }
  open.erase(function);
  finished.insert(function);
  return success();
}

LogicalResult inlineCalls(func::FuncOp function) {
  return Inliner(function->getParentOfType<ModuleOp>()).run(function);
}

} // namespace shardwright::cpu
