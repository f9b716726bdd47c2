//===- import_manual_calls.cc - calls of manual computations --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/round_trip/import_manual_calls.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/round_trip/frontend_attributes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {
namespace {

class ManualCalls {
public:
  explicit ManualCalls(ModuleOp module) : module(module), symbols(module) {}
  LogicalResult run();

private:
  void collect(Operation *root);
  /// The custom calls around a call, and their attributes.
  struct Border {
    stablehlo::CustomCallOp enter, leave; ///< null without operands or results
    sdy::TensorShardingPerValueAttr ins, outs;
    sdy::ManualAxesAttr axes;
  };
  FailureOr<Border> findBorder(func::CallOp call, StringRef name);
  LogicalResult import(func::CallOp call);
  /// Creates the manual computation at `border.leave` with the body of
  /// `callee`, which is moved for the last call and copied otherwise.
  FailureOr<sdy::ManualComputationOp> build(func::CallOp call,
                                            const Border &border,
                                            func::FuncOp callee, StringRef name,
                                            bool isLastCall);
  /// Parses the attribute of `op` or, in older modules, of the call.
  template <typename T>
  FailureOr<T> read(Operation *op, func::CallOp call, StringRef name);

  ModuleOp module;
  SymbolTable symbols;
  SmallVector<func::CallOp> calls;
  llvm::DenseMap<Attribute, int64_t> uses;
};

void ManualCalls::collect(Operation *root) {
  root->walk([&](func::CallOp call) {
    if (!call.getCallee().contains(kManualBody))
      return;
    calls.push_back(call);
    ++uses[call.getCalleeAttr()];
  });
}

template <typename T>
FailureOr<T> ManualCalls::read(Operation *op, func::CallOp call,
                               StringRef name) {
  FailureOr<T> found = op ? takeAs<T>(op, name) : FailureOr<T>(T());
  if (succeeded(found) && !*found)
    found = takeAs<T>(call, name);
  return found;
}

stablehlo::CustomCallOp callTo(Operation *op, StringRef target) {
  auto call = dyn_cast_or_null<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == target ? call
                                                    : stablehlo::CustomCallOp();
}

FailureOr<ManualCalls::Border> ManualCalls::findBorder(func::CallOp call,
                                                       StringRef name) {
  Border border;
  auto &[enter, leave, ins, outs, axes] = border;
  if (call.getNumOperands() != 0) {
    for (Value operand : call.getOperands())
      if (!enter)
        enter = callTo(operand.getDefiningOp(), "xla.sdy.GlobalToLocalShape");
    if (!enter)
      return call.emitError()
             << "expected at least one operand of " << name
             << " to be produced by a xla.sdy.GlobalToLocalShape CustomCallOp";
  }
  if (call.getNumResults() != 0) {
    for (Operation *user : call->getUsers())
      if (!leave)
        leave = callTo(user, "xla.sdy.LocalToGlobalShape");
    if (!leave)
      return call.emitError()
             << "expected the first use of " << name
             << " to be by a xla.sdy.LocalToGlobalShape CustomCallOp";
  }
  auto readIns =
      read<sdy::TensorShardingPerValueAttr>(enter, call, kXlaInShardings);
  auto readOuts =
      read<sdy::TensorShardingPerValueAttr>(leave, call, kXlaOutShardings);
  auto readAxes = read<sdy::ManualAxesAttr>(enter, call, kXlaManualAxes);
  if (succeeded(readAxes) && !*readAxes)
    readAxes = read<sdy::ManualAxesAttr>(leave, call, kXlaManualAxes);
  if (failed(readIns) || failed(readOuts) || failed(readAxes))
    return failure();
  ins = *readIns;
  outs = *readOuts;
  axes =
      *readAxes ? *readAxes : sdy::ManualAxesAttr::get(module.getContext(), {});
  size_t entering = enter ? enter->getNumOperands() : 0,
         leaving = leave ? leave->getNumResults() : 0;
  size_t inCount = ins ? ins.size() : 0, outCount = outs ? outs.size() : 0;
  if (inCount != entering || outCount != leaving ||
      (enter && enter->getNumResults() != entering) ||
      (leave && leave->getNumOperands() != leaving))
    return call.emitError()
           << name << ": " << entering << " values enter with " << inCount
           << " shardings, " << leaving << " leave with " << outCount;
  return border;
}

FailureOr<sdy::ManualComputationOp>
ManualCalls::build(func::CallOp call, const Border &border, func::FuncOp callee,
                   StringRef name, bool isLastCall) {
  MLIRContext *context = module.getContext();
  stablehlo::CustomCallOp enter = border.enter, leave = border.leave;
  // Map each argument to one of the entering values.
  SmallVector<Value> operands;
  SmallVector<sdy::TensorShardingAttr> inShardings;
  for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
    auto result = dyn_cast<OpResult>(operand);
    if (!result || result.getOwner() != enter.getOperation())
      return call.emitError() << "operand " << i << " of " << name
                              << " does not come from the same "
                                 "xla.sdy.GlobalToLocalShape as the others";
    operands.push_back(enter->getOperand(result.getResultNumber()));
    inShardings.push_back(border.ins.getSharding(result.getResultNumber()));
  }
  for (Operation *user : call->getUsers())
    if (user != leave.getOperation())
      return user->emitError() << "uses a value that " << name
                               << " returns before xla.sdy.LocalToGlobalShape, "
                                  "inside of the manual computation";

  OpBuilder builder(call);
  if (leave)
    builder.setInsertionPoint(leave); // operands are above, uses below
  auto computation = sdy::ManualComputationOp::create(
      builder, call.getLoc(),
      leave ? TypeRange(leave->getResultTypes()) : TypeRange(), operands,
      sdy::TensorShardingPerValueAttr::get(context, inShardings),
      border.outs ? border.outs
                  : sdy::TensorShardingPerValueAttr::get(context, {}),
      border.axes);
  if (isLastCall) {
    computation.getBody().takeBody(callee.getBody());
  } else {
    IRMapping mapping;
    callee.getBody().cloneInto(&computation.getBody(), mapping);
  }
  Operation *ret = computation.getBody().front().getTerminator();
  SmallVector<Value> returned;
  if (leave)
    for (Value operand : leave->getOperands()) {
      auto result = dyn_cast<OpResult>(operand);
      if (!result || result.getOwner() != call.getOperation())
        return leave.emitError() << "expected all operands from " << name;
      returned.push_back(ret->getOperand(result.getResultNumber()));
    }
  builder.setInsertionPoint(ret);
  sdy::ReturnOp::create(builder, ret->getLoc(), returned);
  ret->erase();
  return computation;
}

LogicalResult ManualCalls::import(func::CallOp call) {
  std::string name = ("@" + call.getCallee()).str();
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || !callee.getBody().hasOneBlock())
    return call.emitError() << name << " has no body of one block";
  FailureOr<Border> border = findBorder(call, name);
  if (failed(border))
    return failure();
  bool isLastCall = uses[call.getCalleeAttr()] == 1;
  FailureOr<sdy::ManualComputationOp> computation =
      build(call, *border, callee, name, isLastCall);
  if (failed(computation))
    return failure();
  --uses[call.getCalleeAttr()];
  if (stablehlo::CustomCallOp leave = border->leave) {
    leave->replaceAllUsesWith((*computation)->getResults());
    leave->erase();
  }
  call.erase();
  if (border->enter && border->enter->use_empty())
    border->enter->erase();
  if (isLastCall)
    symbols.erase(callee);
  else
    collect(*computation);
  return success();
}

LogicalResult ManualCalls::run() {
  collect(module);
  for (size_t i = 0; i < calls.size(); ++i)
    if (failed(import(calls[i])))
      return failure();
  return success();
}

} // namespace

LogicalResult importManualCalls(ModuleOp module) {
  return ManualCalls(module).run();
}

} // namespace shardwright
