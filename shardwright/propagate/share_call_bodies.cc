//===- share_call_bodies.cc - calls that propagate as if inlined ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/share_call_bodies.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/call_order.h"
#include "shardwright/propagate/engine.h"
#include "shardwright/propagate/import_steps.h"
#include "shardwright/propagate/sharding_groups.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {

static bool hasShardings(func::FuncOp func) {
  auto name = StringAttr::get(func.getContext(), sdy::kShardingAttr);
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    if (func.getArgAttr(i, name))
      return true;
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    if (func.getResultAttr(i, name))
      return true;
  return func
      .walk([&](Operation *op) {
        return op->getDiscardableAttr(name) ||
                       isa<sdy::ShardingConstraintOp, sdy::ManualComputationOp>(
                           op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mayShareCallBodies(ModuleOp module, const ModuleContents &contents,
                        const OpIndex &index) {
  if (contents.namedComputations || contents.funcEdges)
    return false;
  if (!contents.calls)
    return bool(sdy::getMainFunc(module));
  auto isPlain = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  CallsByFunction calls(module, &index);
  llvm::DenseSet<Operation *> called;
  SmallVector<func::FuncOp> inManual;
  for (auto func : module.getOps<func::FuncOp>())
    for (func::CallOp call : calls.in(func)) {
      func::FuncOp callee = calls.calleeOf(call);
      if (!callee)
        return false;
      if (contents.manualComputations &&
          call->getParentOfType<sdy::ManualComputationOp>())
        inManual.push_back(callee);
      if (called.insert(callee).second &&
          (callee.isExternal() || !callee.getBody().hasOneBlock() ||
           !isa<func::ReturnOp>(callee.front().getTerminator()) ||
           !llvm::all_of(callee.getArgumentTypes(), isPlain) ||
           !llvm::all_of(callee.getResultTypes(), isPlain)))
        return false;
    }
  auto main = module.lookupSymbol<func::FuncOp>(sdy::kMainFuncName);
  if (!main || called.contains(main))
    return false;
  if (contents.groups)
    for (auto func : module.getOps<func::FuncOp>())
      if (called.contains(func) && func.walk([](sdy::ShardingGroupOp) {
                                         return WalkResult::interrupt();
                                       })
                                       .wasInterrupted())
        return false;
  // What is within a manual computation may not use its axes, which is only
  // seen there.
  llvm::DenseSet<Operation *> seen;
  while (!inManual.empty()) {
    func::FuncOp func = inManual.pop_back_val();
    if (!seen.insert(func).second)
      continue;
    if (hasShardings(func))
      return false;
    for (func::CallOp call : calls.in(func))
      inManual.push_back(calls.calleeOf(call));
  }
  return true;
}

namespace {

/// What flattening and import do, on functions that are called from several
/// places: calls and the functions that they call get data flow edges.
///
/// What is done within a function waits until the function is about to be read:
/// the caches do not hold all of them.
class Sharer {
public:
  Sharer(ModuleOp module, const ModuleContents &contents, const OpIndex &index,
         OpOrder &order)
      : module(module), contents(contents), index(index), order(order),
        symbols(module), callsByFunction(module, &index) {}

  /// Gives every function its callees. Fails with a diagnostic on recursion.
  /// Returns the functions that are called, callees first.
  FailureOr<SmallVector<func::FuncOp>> run() {
    FailureOr<SmallVector<func::FuncOp>> callers =
        callsByFunction.callersFirst();
    if (failed(callers))
      return failure();
    for (func::FuncOp func : llvm::reverse(*callers))
      splitFirstCall(func);
    for (func::FuncOp func : *callers)
      llvm::append_range(calls, callsByFunction.in(func));
    for (auto &[copy, callsInCopy] : copiesMade)
      llvm::append_range(calls, callsInCopy);
    SmallVector<func::FuncOp> result = calledFunctions();
    called.insert(result.begin(), result.end());
    return result;
  }

  /// The rest, of what is in `func`.
  void prepare(func::FuncOp func) {
    ArrayRef<func::CallOp> own = callsIn(func);
    for (func::CallOp call : own)
      importCall(call);
    if (called.contains(func))
      importBody(func);
    for (func::CallOp call : own)
      addDataFlowEdges(call.getResults(), sdy::getShardings(call));
    if (!contents.constraints && !contents.manualComputations)
      return;
    if (!isCopy.contains(func))
      return applyShardingConstraints(index.inFunction(func, asksForShardings),
                                      called);
    SmallVector<Operation *> asking;
    func.walk([&](Operation *op) {
      if (asksForShardings(op->getName()))
        asking.push_back(op);
    });
    applyShardingConstraints(asking, called);
  }

  const llvm::DenseSet<Operation *> &calledSet() const { return called; }

private:
  static constexpr auto asksForShardings =
      isNamed<sdy::ShardingConstraintOp, sdy::ManualComputationOp>;

  ArrayRef<func::CallOp> callsIn(func::FuncOp func) const {
    auto it = callsInCopy.find(func);
    return it == callsInCopy.end() ? callsByFunction.in(func) : it->second;
  }

  func::FuncOp calleeOf(func::CallOp call) const {
    return symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr());
  }

  /// The first call of a function keeps it; all others share one copy.
  void splitFirstCall(func::FuncOp func) {
    for (func::CallOp call : callsByFunction.in(func)) {
      func::FuncOp callee = calleeOf(call);
      if (!kept.insert(callee).second)
        call.setCalleeAttr(FlatSymbolRefAttr::get(copyOf(callee)));
    }
  }

  func::FuncOp copyOf(func::FuncOp func) {
    if (isCopy.contains(func))
      return func;
    func::FuncOp &copy = copies[func];
    if (copy)
      return copy;
    func::FuncOp clone = func.clone();
    clone->setAttr(sdy::kOriginalFuncNameAttr, originalName(func));
    SmallVector<func::CallOp> callsInClone;
    if (!callsByFunction.in(func).empty())
      clone.walk([&](func::CallOp call) {
        call.setCalleeAttr(FlatSymbolRefAttr::get(copyOf(calleeOf(call))));
        callsInClone.push_back(call);
      });
    symbols.insert(clone);
    order.addFunction(clone);
    clone.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { order.add(op); });
    copiesMade.push_back({clone, std::move(callsInClone)});
    isCopy.insert(clone);
    return copies[func] = clone;
  }

  /// An op in the place of the call would be the newest user of its operands,
  /// and take over its users one by one.
  void importCall(func::CallOp call) {
    renewUses(call);
    for (Value result : call.getResults())
      for (OpOperand *use : usesOf(result))
        use->set(result);
  }

  void importBody(func::FuncOp func) {
    renewUses(func.front().getTerminator());
    SmallVector<sdy::TensorShardingAttr> in;
    if (sdy::TensorShardingPerValueAttr list = argumentShardings(func))
      in = llvm::to_vector(list.getShardings());
    addDataFlowEdges(func.getArguments(), in);
  }

  static void renewUses(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(operand.get());
  }

  static SmallVector<OpOperand *> usesOf(Value value) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
    return uses;
  }

  /// Callees first.
  SmallVector<func::FuncOp> calledFunctions() {
    llvm::SetVector<Operation *> called;
    for (auto &[copy, list] : copiesMade)
      callsInCopy[copy] = list;
    auto visit = [&](auto &self, func::FuncOp func) -> void {
      if (called.contains(func))
        return;
      for (func::CallOp call : callsIn(func))
        self(self, calleeOf(call));
      called.insert(func);
    };
    for (func::CallOp call : calls)
      visit(visit, calleeOf(call));
    SmallVector<func::FuncOp> result;
    for (Operation *op : called)
      result.push_back(cast<func::FuncOp>(op));
    return result;
  }

  ModuleOp module;
  const ModuleContents &contents;
  const OpIndex &index;
  OpOrder &order;
  SymbolTable symbols;
  CallsByFunction callsByFunction;
  llvm::DenseSet<Operation *> kept, isCopy;
  SmallVector<std::pair<func::FuncOp, SmallVector<func::CallOp>>> copiesMade;
  llvm::DenseMap<Operation *, func::FuncOp> copies;
  llvm::DenseMap<Operation *, ArrayRef<func::CallOp>> callsInCopy;
  SmallVector<func::CallOp> calls;
  llvm::DenseSet<Operation *> called;
};

/// sdy-pre-order-funcs on what would be left, functions that nothing calls.
void preOrderRoots(ModuleOp module, const llvm::DenseSet<Operation *> &called) {
  SmallVector<func::FuncOp> roots;
  for (auto func : module.getOps<func::FuncOp>())
    if (!called.contains(func))
      roots.push_back(func);
  Block *body = module.getBody();
  for (func::FuncOp func : llvm::reverse(roots))
    if (roots.size() == 1 || !func.isExternal())
      func->moveBefore(body, body->end());
}

} // namespace

LogicalResult propagateThroughCalls(ModuleOp module,
                                    const ModuleContents &contents,
                                    const OpIndex &index, OpOrder &order,
                                    const EngineOptions &options) {
  Sharer sharer(module, contents, index, order);
  FailureOr<SmallVector<func::FuncOp>> shared = sharer.run();
  if (failed(shared))
    return failure();
  const llvm::DenseSet<Operation *> &bodies = sharer.calledSet();
  for (auto func : module.getOps<func::FuncOp>())
    if (!bodies.contains(func))
      sharer.prepare(func);
  if (contents.groups && failed(importShardingGroups(module)))
    return failure();
  preOrderRoots(module, bodies);
  if (contents.groups)
    syncShardingGroups(module);
  PropagationGraph graph(module);
  auto prepare = [&](func::FuncOp func) { sharer.prepare(func); };
  if (failed(buildGraph(
          module,
          {options.conservative, options.extraRules, &order, &index, prepare},
          *shared, graph)))
    return failure();
  propagateInGraph(graph, options);
  exportSharedBodies(module, graph, order);
  return success();
}

} // namespace shardwright
