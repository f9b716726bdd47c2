//===- share_call_bodies.cc - propagate through shared bodies -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/calls/share_call_bodies.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/engine/engine.h"
#include "shardwright/propagate/engine/kept_steps.h"
#include "shardwright/propagate/engine/sharding_groups.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/index/argument_shardings.h"

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

static bool hasGroups(func::FuncOp func) {
  return func.walk([](sdy::ShardingGroupOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool mayShareCallBodies(ModuleOp module, const ModuleContents &contents,
                        const CallsByFunction &calls) {
  if (contents.namedComputations || contents.funcEdges)
    return false;
  if (!contents.calls)
    return bool(sdy::getMainFunc(module));
  auto isPlain = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  auto functions = calls.functions();
  SmallVector<char, 0> called(functions.size());
  for (const auto &[op, callee] : calls.calls()) {
    if (callee < 0)
      return false;
    called[callee] = true;
  }
  size_t inFunctions = 0;
  auto main = module.lookupSymbol<func::FuncOp>(sdy::kMainFuncName);
  if (!main)
    return false;
  int32_t i = 0;
  bool mayShare = true;
  for (const CallsByFunction::Function &function : functions) {
    func::FuncOp func = function.op;
    inFunctions += calls.in(functions[i]).size();
    if (called[i] &&
        (func == main || func.isExternal() || !func.getBody().hasOneBlock() ||
         !isa<func::ReturnOp>(func.front().getTerminator()) ||
         !llvm::all_of(func.getArgumentTypes(), isPlain) ||
         !llvm::all_of(func.getResultTypes(), isPlain) ||
         (contents.groups && hasGroups(func))))
      mayShare = false;
    ++i;
  }
  if (!mayShare || inFunctions != calls.calls().size())
    return false;
  if (!contents.manualComputations)
    return true;
  // Functions called in a manual computation must not use its manual axes,
  // which only the call shows.
  SmallVector<int32_t> inManual;
  calls.forEachCall(
      [&, i = size_t(0)](func::CallOp call, func::FuncOp) mutable {
        if (call->getParentOfType<sdy::ManualComputationOp>())
          inManual.push_back(calls.calls()[i].callee);
        ++i;
      });
  SmallVector<char, 0> seen(functions.size());
  while (!inManual.empty()) {
    int32_t func = inManual.pop_back_val();
    if (std::exchange(seen[func], true))
      continue;
    if (hasShardings(functions[func].op))
      return false;
    for (const CallsByFunction::Call &call : calls.in(functions[func]))
      inManual.push_back(call.callee);
  }
  return true;
}

namespace {

/// The work of flattening and import for functions with several calls: calls
/// and callees get data flow edges.
///
/// Changes within a function are delayed until it is about to be read, since
/// the caches cannot hold all functions.
class Sharer {
public:
  Sharer(ModuleOp module, const ModuleContents &contents, const OpIndex &index,
         const CallsByFunction &callsByFunction, ShardyVersion shardy)
      : module(module), contents(contents), index(index),
        callsByFunction(callsByFunction), shardy(shardy),
        main(sdy::getMainFunc(module)) {}

  /// Gives every function its callees. Fails with a diagnostic on recursion.
  LogicalResult run() {
    FailureOr<SmallVector<int32_t>> callers = callsByFunction.callersFirst();
    if (failed(callers))
      return failure();
    for (const auto &func : callsByFunction.functions())
      functions.push_back({func.op, func.begin, func.end});
    numOriginals = functions.size();
    copies.assign(numOriginals, -1);
    for (const auto &call : callsByFunction.calls())
      calls.push_back({call.op, call.callee});
    for (int32_t func : llvm::reverse(*callers))
      splitFirstCall(func);
    orderCallees(*callers);
    if (contents.constraints || contents.manualComputations)
      asking = index.byFunction(asksForShardings, askingOps);
    return success();
  }

  /// Call this for each function before the graph is built, starting with
  /// functions that are not called.
  void prepareRoots() {
    for (int32_t i = 0; i < numOriginals; ++i)
      if (functions[i].body < 0)
        prepare(i);
  }

  /// Applies sdy-pre-order-funcs to the functions that are not called.
  void orderRoots();

  SharedCalls shared() {
    return {sharedFunctions, roots, rootCalls,
            [this](int32_t body) { prepare(bodies[body]); }};
  }

private:
  struct Function {
    func::FuncOp op;
    /// Its range in `calls`.
    int32_t begin, end;
    /// Index in `bodies`; -1: it is not called.
    int32_t body = -1;
    /// The function that it is a copy of, or -1.
    int32_t original = -1;
  };

  static constexpr auto asksForShardings =
      isNamed<sdy::ShardingConstraintOp, sdy::ManualComputationOp>;

  MutableArrayRef<SharedCall> callsOf(const Function &func) {
    return MutableArrayRef(calls).slice(func.begin, func.end - func.begin);
  }

  void prepare(int32_t number);
  void applyConstraints(const Function &func);
  void applyConstraintsBeforeCalls(const Function &func);
  void splitFirstCall(int32_t func);
  int32_t copyOf(int32_t func);
  void orderCallees(ArrayRef<int32_t> callers);

  /// Moves the uses as an inlined op would: it would be the newest user of its
  /// operands, and take over the call's users one by one.
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

  /// The functions whose returns count as uses when constraints are applied.
  const llvm::DenseSet<Operation *> &bodiesForReturns() const {
    static const llvm::DenseSet<Operation *> none;
    return shardy >= ShardyVersion::Jaxlib0_12_0 ? none : called;
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

  ModuleOp module;
  const ModuleContents &contents;
  const OpIndex &index;
  const CallsByFunction &callsByFunction;
  ShardyVersion shardy;
  func::FuncOp main;
  /// Functions of the module, then copies.
  SmallVector<Function, 0> functions;
  int32_t numOriginals = 0;
  /// `body` is the number of the callee until orderCallees().
  SmallVector<SharedCall, 0> calls;
  /// By function: true after its first call.
  SmallVector<char, 0> kept;
  /// By original: its copy; -1: none.
  SmallVector<int32_t, 0> copies;
  /// Functions that are called, callees first.
  SmallVector<int32_t, 0> bodies;
  SmallVector<SharedFunction, 0> sharedFunctions;
  /// The same functions as a set.
  llvm::DenseSet<Operation *> called;
  SmallVector<OpIndex::InFunction, 0> asking;
  OpIndex::Ops askingOps;
  SmallVector<Operation *, 0> roots;
  SmallVector<SharedCall, 0> rootCalls;
};

/// Imports the function and its ops.
void Sharer::prepare(int32_t number) {
  const Function &func = functions[number];
  bool asks = contents.constraints || contents.manualComputations;
  bool isNew = shardy >= ShardyVersion::Jaxlib0_12_0;
  if (asks && isNew)
    applyConstraintsBeforeCalls(func);
  for (const SharedCall &call : callsOf(func))
    importCall(call.op);
  if (func.body >= 0)
    importBody(func.op);
  for (const SharedCall &call : callsOf(func)) {
    func::CallOp op = call.op;
    addDataFlowEdges(op.getResults(), sdy::getShardings(op));
  }
  if (asks && !isNew)
    applyConstraints(func);
}

/// Since 0.12, Shardy imports calls after it applies constraints, between edges
/// that it adds for that.
void Sharer::applyConstraintsBeforeCalls(const Function &func) {
  func::FuncOp op = func.op;
  if (op != main && !op.isExternal())
    addFuncDataFlowEdges(op.getArguments());
  for (const SharedCall &call : callsOf(func))
    addFuncDataFlowEdges(func::CallOp(call.op).getResults());
  applyConstraints(func);
  sinkFuncDataFlowEdges(op);
}

void Sharer::applyConstraints(const Function &func) {
  bool isCopy = func.original >= 0;
  auto [original, begin, end] =
      asking[isCopy ? func.original : &func - functions.data()];
  if (begin == end)
    return;
  if (!isCopy)
    return applyShardingConstraints(
        index.inFunction(original, asksForShardings), bodiesForReturns(),
        shardy);
  SmallVector<Operation *> ops;
  func::FuncOp(func.op).walk([&](Operation *op) {
    if (asksForShardings(op->getName()))
      ops.push_back(op);
  });
  applyShardingConstraints(ops, bodiesForReturns(), shardy);
}

/// The first call of a function keeps it; all other calls share one copy.
void Sharer::splitFirstCall(int32_t func) {
  kept.resize(numOriginals);
  for (int32_t i = functions[func].begin; i < functions[func].end; ++i) {
    int32_t callee = calls[i].body;
    if (std::exchange(kept[callee], true))
      calls[i].body = copyOf(callee);
  }
}

/// The copy keeps the name, since callers refer to it by number.
int32_t Sharer::copyOf(int32_t func) {
  if (functions[func].original >= 0)
    return func;
  if (copies[func] >= 0)
    return copies[func];
  auto [op, begin, end, body, original] = functions[func];
  func::FuncOp clone = op.clone();
  SmallVector<func::CallOp> callsInClone;
  if (begin != end)
    clone.getBody().walk<WalkOrder::PreOrder>(
        [&](func::CallOp call) { callsInClone.push_back(call); });
  SmallVector<SharedCall> own;
  for (auto [i, call] : llvm::enumerate(callsInClone))
    own.push_back({call, copyOf(calls[begin + i].body)});
  module.push_back(clone);
  int32_t first = calls.size();
  calls.append(own);
  copies[func] = functions.size();
  functions.push_back({clone, first, int32_t(calls.size()), -1, func});
  return copies[func];
}

void Sharer::orderCallees(ArrayRef<int32_t> callers) {
  auto visit = [&](auto &self, int32_t func) -> void {
    // Marked while it is visited, which suffices without recursion.
    if (functions[func].body >= 0)
      return;
    for (const SharedCall &call : callsOf(functions[func]))
      self(self, call.body);
    functions[func].body = bodies.size();
    bodies.push_back(func);
  };
  auto visitCallees = [&](const Function &func) {
    for (const SharedCall &call : callsOf(func))
      visit(visit, call.body);
  };
  for (int32_t func : callers)
    visitCallees(functions[func]);
  for (const Function &copy : ArrayRef(functions).drop_front(numOriginals))
    visitCallees(copy);
  for (SharedCall &call : calls)
    call.body = functions[call.body].body;
  called.reserve(bodies.size());
  for (int32_t func : bodies) {
    sharedFunctions.push_back({functions[func].op, callsOf(functions[func])});
    called.insert(functions[func].op);
  }
}

void Sharer::orderRoots() {
  SmallVector<int32_t> uncalled;
  for (int32_t i = 0; i < numOriginals; ++i)
    if (functions[i].body < 0)
      uncalled.push_back(i);
  SmallVector<int32_t> moved;
  llvm::DenseSet<Operation *> movedOps;
  Block *block = module.getBody();
  for (int32_t i : llvm::reverse(uncalled))
    if (uncalled.size() == 1 || !functions[i].op.isExternal()) {
      functions[i].op->moveBefore(block, block->end());
      moved.push_back(i);
      movedOps.insert(functions[i].op);
    }
  for (Operation *op : index.topLevel())
    if (!called.contains(op) && !movedOps.contains(op))
      roots.push_back(op);
  // Functions that were not moved are declarations.
  for (int32_t i : moved) {
    roots.push_back(functions[i].op);
    llvm::append_range(rootCalls, callsOf(functions[i]));
  }
}

} // namespace

LogicalResult propagateThroughCalls(ModuleOp module,
                                    const ModuleContents &contents,
                                    const OpIndex &index,
                                    const CallsByFunction &calls,
                                    const EngineOptions &options) {
  Sharer sharer(module, contents, index, calls, options.shardy);
  if (failed(sharer.run()))
    return failure();
  sharer.prepareRoots();
  if (contents.groups && failed(importShardingGroups(module)))
    return failure();
  sharer.orderRoots();
  if (contents.groups)
    syncShardingGroups(module);
  KeptSteps own;
  PropagationGraph graph(
      (options.kept ? *options.kept : own).begin(module, ruleOptions(options)));
  SharedCalls shared = sharer.shared();
  if (failed(buildGraph(module, &index, &shared, graph)))
    return failure();
  propagateInGraph(graph, options);
  exportSharedBodies(module, graph, options.shardy);
  return success();
}

} // namespace shardwright
