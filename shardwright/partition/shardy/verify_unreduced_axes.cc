//===- verify_unreduced_axes.cc - check that partial sums are reduced -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass sdy-verify-unreduced-axes, with the checks of jaxlib 0.12: only
// reshards, constraints and reductions remove unreduced axes from a value. Each
// op is checked by its own operands and results, which must be on one mesh, and
// what functions, manual and named computations return by their results. What
// branches and bodies of loops return is not checked: such values are reduced
// where they are returned (insert_explicit_reshards.cc). A barrier does not
// change the value.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/passes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/sdy/unreduced_transition.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;

namespace shardwright {

using sdy::AllowedKinds;
using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_VERIFYUNREDUCEDAXES
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

constexpr StringLiteral kDropped =
    " without a blessed operation (e.g., sdy.reshard). This is an invalid "
    "transition from unreduced to reduced.";

/// A reshard or a constraint, which may change unreduced axes.
bool mayChangeAxes(Operation *op) {
  return isa_and_nonnull<sdy::ReshardOp, sdy::ShardingConstraintOp>(op);
}

Value behindBarriers(Value value) {
  while (auto barrier = value.getDefiningOp<sdy::PropagationBarrierOp>())
    value = barrier.getInput();
  return value;
}

TensorShardingAttr shardingOf(Value value) {
  return sdy::getSharding(behindBarriers(value));
}

/// Null if the value comes from a reshard or a constraint, whose users may have
/// any axes.
TensorShardingAttr shardingToKeep(Value value) {
  value = behindBarriers(value);
  return mayChangeAxes(value.getDefiningOp()) ? TensorShardingAttr()
                                              : sdy::getSharding(value);
}

/// The kind of partial values that the reducer makes or combines.
AllowedKinds kindOf(Region &reducer) {
  std::optional<ReducerKind> kind = uniformReducer(reducer);
  std::optional<ReductionKind> named;
  if (kind)
    named = reductionKindOf(*kind);
  return named ? AllowedKinds::only(sdy::kindToAttr(*named))
               : AllowedKinds::none();
}

class Verifier {
public:
  explicit Verifier(func::FuncOp func) : func(func) {}

  LogicalResult run() {
    return failure(func.getBody()
                       .walk([&](Operation *op) {
                         return failed(visit(op)) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
                       })
                       .wasInterrupted());
  }

private:
  using Shardings = SmallVector<TensorShardingAttr>;

  LogicalResult visit(Operation *op);
  LogicalResult visitCall(func::CallOp call);
  LogicalResult visitReturn(Operation *op);
  LogicalResult visitCollective(Operation *op);
  LogicalResult visitStablehloCollective(Operation *op, Region &reducer);
  LogicalResult visitOther(Operation *op);
  LogicalResult checkEqual(Operation *op, TensorShardingAttr from,
                           TensorShardingAttr to, StringRef place, size_t index,
                           StringRef more = ".");

  func::FuncOp func;
};

/// Checks that both name the same unreduced axes, whatever their meshes; null
/// has none.
LogicalResult Verifier::checkEqual(Operation *op, TensorShardingAttr from,
                                   TensorShardingAttr to, StringRef place,
                                   size_t index, StringRef more) {
  auto axesOf = [](TensorShardingAttr sharding) {
    return sharding ? sharding.getUnreducedAxes()
                    : ArrayRef<sdy::AxisRefAttr>();
  };
  std::set<StringRef> names;
  for (auto [one, other] : {std::pair(from, to), std::pair(to, from)})
    for (sdy::AxisRefAttr axis : axesOf(one))
      if (!llvm::is_contained(axesOf(other), axis))
        names.insert(axis.getName());
  if (names.empty())
    return success();
  return op->emitOpError("has unreduced axes mismatch for '")
         << llvm::join(names, ", ") << "' at " << place << " " << index << more;
}

LogicalResult Verifier::visitCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee || callee.getNumArguments() != call->getNumOperands() ||
      callee.getNumResults() != call->getNumResults())
    return success();
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    if (!mayChangeAxes(behindBarriers(operand).getDefiningOp()) &&
        failed(checkEqual(
            call, shardingOf(operand),
            callee.getArgAttrOfType<TensorShardingAttr>(i, sdy::kShardingAttr),
            "call argument", i)))
      return failure();
  for (auto [i, result] : llvm::enumerate(call.getResults()))
    if (failed(checkEqual(call, sdy::getFuncResultSharding(callee, i),
                          sdy::getSharding(result), "call result", i)))
      return failure();
  return success();
}

/// Checks the values that a function, a manual or a named computation returns;
/// a result without a sharding accepts any axes.
LogicalResult Verifier::visitReturn(Operation *op) {
  Operation *parent = op->getParentOp();
  auto manual = dyn_cast<sdy::ManualComputationOp>(parent);
  bool isFunc = isa<func::FuncOp>(parent);
  // Types of what functions return are verified for func.return only.
  size_t numResults = isFunc ? func.getNumResults() : parent->getNumResults();
  for (auto [i, value] :
       llvm::enumerate(op->getOperands().take_front(numResults))) {
    if (mayChangeAxes(behindBarriers(value).getDefiningOp()))
      continue;
    TensorShardingAttr wanted = isFunc ? sdy::getFuncResultSharding(func, i)
                                : manual
                                    ? manual.getOutSharding(i)
                                    : sdy::getSharding(parent->getResult(i));
    if (!wanted)
      continue;
    if (manual) {
      // Inside, a value that is unreduced along manual axes counts as reduced
      // along them.
      SmallVector<sdy::AxisRefAttr> free;
      for (sdy::AxisRefAttr axis : wanted.getUnreducedAxes())
        if (!llvm::is_contained(manual.getManualAxes(), axis.getName()))
          free.push_back(axis);
      wanted = wanted.withUnreducedAxes(free);
    }
    if (failed(checkEqual(op, shardingOf(value), wanted, "return value", i,
                          kDropped)))
      return failure();
  }
  return success();
}

LogicalResult Verifier::visitCollective(Operation *op) {
  if (!shardingOf(op->getOperand(0)))
    return op->emitOpError("operand must be sharded.");
  return verify(op, /*verifyRecursively=*/false);
}

/// Checks a collective, which reduces its operand if its reducer has a kind.
LogicalResult Verifier::visitStablehloCollective(Operation *op,
                                                 Region &reducer) {
  TensorShardingAttr to = sdy::getSharding(op->getResult(0));
  if (!shardingOf(op->getOperand(0)) && !to)
    return success();
  return verifyUnreducedTransition(op, shardingToKeep(op->getOperand(0)), to,
                                   /*introduced=*/AllowedKinds::none(),
                                   kindOf(reducer));
}

LogicalResult Verifier::visitOther(Operation *op) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  ValueRange operands =
      reduce ? ValueRange(reduce.getInputs()) : ValueRange(op->getOperands());
  AllowedKinds introduced = AllowedKinds::any();
  if (reduce)
    introduced = kindOf(reduce.getBody());
  else if (isa<stablehlo::DotOp, stablehlo::DotGeneralOp>(op))
    introduced = AllowedKinds::only(sdy::ReductionOp::SUM);
  return verifyUnreducedTransition(
      op, llvm::map_to_vector(operands, shardingToKeep),
      sdy::getShardings(op->getResults()), introduced,
      /*removed=*/AllowedKinds::none());
}

LogicalResult Verifier::visit(Operation *op) {
  if (mayChangeAxes(op))
    return verify(op, /*verifyRecursively=*/false);
  if (isa<func::ReturnOp, sdy::ReturnOp>(op))
    return visitReturn(op);
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      isa<sdy::PropagationBarrierOp>(op))
    return success();
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (isa<sdy::AllReduceOp, sdy::ReduceScatterOp>(op))
    return visitCollective(op);
  if (auto reduce = dyn_cast<stablehlo::AllReduceOp>(op))
    return visitStablehloCollective(op, reduce.getComputation());
  if (auto scatter = dyn_cast<stablehlo::ReduceScatterOp>(op))
    return visitStablehloCollective(op, scatter.getComputation());
  return visitOther(op);
}

struct VerifyUnreducedAxesPass
    : impl::VerifyUnreducedAxesBase<VerifyUnreducedAxesPass> {
  using VerifyUnreducedAxesBase::VerifyUnreducedAxesBase;

  void runOnOperation() override {
    if (failed(Verifier(getOperation()).run()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

LogicalResult verifyUnreducedAxes(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>())
    if (failed(Verifier(func).run()))
      return failure();
  return success();
}

} // namespace shardwright
