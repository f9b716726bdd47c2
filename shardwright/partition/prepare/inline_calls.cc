//===- inline_calls.cc - inline all calls ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inlines callees before their callers, so that each inlined body contains no
// calls. The locations of the copies name the call and the callee.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/prepare/inline_calls.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/propagate/import/call_growth.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright {
namespace {

class Inliner {
public:
  explicit Inliner(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run(InlinedOps *found);

private:
  enum class State { Open, Done };
  static bool isJoin(Operation *op) {
    return isa<stablehlo::PadOp, stablehlo::ConcatenateOp>(op);
  }
  static bool isFold(Operation *op) {
    return isa<stablehlo::ReduceOp, stablehlo::ScatterOp>(op);
  }
  LogicalResult flatten(func::FuncOp func);
  struct Found {
    size_t count = 0;
    SmallVector<Operation *> joins, folds, reshapes;
    void note(Operation *op) {
      if (isJoin(op))
        joins.push_back(op);
      else if (isFold(op))
        folds.push_back(op);
      else if (isa<stablehlo::ReshapeOp>(op))
        reshapes.push_back(op);
    }
  };
  LogicalResult inlineCall(func::CallOp call, Found &found);
  void noteNames(Operation *op);
  void eraseUnused();

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<Operation *, State> states;
  /// By function that has been processed.
  llvm::DenseMap<Operation *, Found> foundIn;
  /// Functions that are referenced by anything but calls.
  llvm::DenseSet<StringAttr> named;
  llvm::DenseSet<Attribute> seen;
};

LogicalResult Inliner::run(InlinedOps *found) {
  if (failed(checkCallGrowth(module, mayNameFunctions)))
    return failure();
  // Before bodies are copied; the copies add no references.
  for (Operation &op : *module.getBody())
    op.walk([&](Operation *inner) { noteNames(inner); });
  for (auto func : module.getOps<func::FuncOp>())
    if (failed(flatten(func)))
      return failure();
  eraseUnused();
  if (found) {
    for (auto func : module.getOps<func::FuncOp>()) {
      const Found &in = foundIn[func];
      found->count += in.count;
      found->joins.append(in.joins.begin(), in.joins.end());
      found->folds.append(in.folds.begin(), in.folds.end());
      found->reshapes.append(in.reshapes.begin(), in.reshapes.end());
    }
  }
  return success();
}

LogicalResult Inliner::flatten(func::FuncOp func) {
  auto [it, isNew] = states.try_emplace(func, State::Open);
  if (!isNew)
    return success();
  Found found;
  SmallVector<Operation *> noted;
  func.walk([&](Operation *op) {
    ++found.count;
    if (isa<func::CallOp, stablehlo::ReshapeOp>(op) || isJoin(op) || isFold(op))
      noted.push_back(op);
  });
  for (Operation *op : noted) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call) {
      found.note(op);
      continue;
    }
    if (failed(inlineCall(call, found)))
      return failure();
  }
  foundIn[func] = std::move(found);
  states[func] = State::Done;
  return success();
}

/// Adds the ops that replace the call to `found`.
LogicalResult Inliner::inlineCall(func::CallOp call, Found &found) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee)
    return call.emitError("callee '") << call.getCallee() << "' is not defined";
  if (callee.isDeclaration())
    return call.emitError("callee '")
           << call.getCallee() << "' has no body; calls of functions that are "
           << "only declared are not supported";
  if (!callee.getBody().hasOneBlock())
    return call.emitError("callee '")
           << call.getCallee() << "' has several blocks; only structured "
           << "control flow is supported";
  auto state = states.find(callee);
  if (state != states.end() && state->second == State::Open)
    return call.emitError("recursive call of '")
           << call.getCallee() << "'; recursion is not supported";
  if (failed(flatten(callee)))
    return failure();

  auto note = [&, at = call.getLoc()](Operation *op) {
    op->setLoc(CallSiteLoc::get(op->getLoc(), at));
    ++found.count;
    found.note(op);
  };
  OpBuilder builder(call);
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (copy->getNumRegions() == 0)
      note(copy);
    else
      copy->walk(note);
  }
  Operation *terminator = body.getTerminator();
  for (auto [result, returned] :
       llvm::zip(call.getResults(), terminator->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
  call.erase();
  return success();
}

void Inliner::noteNames(Operation *op) {
  Attribute attributes = mayNameFunctions(op->getName())
                             ? op->getAttrDictionary()
                             : op->getRawDictionaryAttrs();
  if (!seen.insert(attributes).second)
    return;
  attributes.walk(
      [&](SymbolRefAttr symbol) { named.insert(symbol.getRootReference()); });
}

/// Erases private functions that only calls referenced, except the entry.
void Inliner::eraseUnused() {
  func::FuncOp entry = sdy::getMainFunc(module);
  for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (func.isPrivate() && !named.contains(func.getSymNameAttr()) &&
        func != entry)
      func.erase();
}

} // namespace

bool mayNameFunctions(OperationName name) {
  TypeID id = name.getTypeID();
  if (id == TypeID::get<func::CallOp>())
    return false;
  if (id == TypeID::get<stablehlo::CustomCallOp>() ||
      id == TypeID::get<stablehlo::CompositeOp>())
    return true;
  return !isa_and_nonnull<stablehlo::StablehloDialect, chlo::ChloDialect,
                          sdy::SdyDialect>(name.getDialect());
}

LogicalResult inlineCalls(ModuleOp module, InlinedOps *found) {
  return Inliner(module).run(found);
}

} // namespace shardwright
