//===- verify_unreduced_axes.cc - partial sums that nobody sums up --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass sdy-verify-unreduced-axes: a value that holds partial sums along an axis
// ceases to do so at a reshard, a constraint or a collective, and nowhere else.
// Axes on different meshes are not compared.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace shardwright {

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
  LogicalResult visit(Operation *op);
  LogicalResult visitCall(func::CallOp call);
  LogicalResult visitReturn(Operation *op);
  LogicalResult visitDataFlow(sdy::ShardableDataFlowOpInterface op);
  LogicalResult visitCollective(Operation *op);
  LogicalResult visitStablehloCollective(Operation *op, Region &reducer);
  LogicalResult visitOther(Operation *op);
  LogicalResult mismatch(Operation *op, TensorShardingAttr from,
                         TensorShardingAttr to, StringRef place, size_t index,
                         StringRef more = ".");

  /// The first unreduced axis that `of` has and none of `others` does; null if
  /// there is none. Shardings may be null.
  sdy::AxisRefAttr firstMissing(TensorShardingAttr of,
                                ArrayRef<TensorShardingAttr> others);

  func::FuncOp func;
};

sdy::AxisRefAttr Verifier::firstMissing(TensorShardingAttr of,
                                        ArrayRef<TensorShardingAttr> others) {
  if (!of || of.getUnreducedAxes().empty())
    return nullptr;
  sdy::MeshAttr meshAttr = sdy::getMeshAttr(func, of.getMeshOrRef());
  if (!meshAttr)
    return nullptr;
  Mesh mesh = sdy::meshFromAttr(meshAttr);
  AxisList left = sdy::axesFromAttr(of.getUnreducedAxes(), mesh);
  for (TensorShardingAttr other : others) {
    if (!other)
      continue;
    if (sdy::getMeshAttr(func, other.getMeshOrRef()) != meshAttr)
      return nullptr;
    left = axesWithout(left, sdy::axesFromAttr(other.getUnreducedAxes(), mesh));
  }
  return left.empty() ? nullptr
                      : sdy::axisToAttr(func.getContext(), left[0], mesh);
}

LogicalResult Verifier::mismatch(Operation *op, TensorShardingAttr from,
                                 TensorShardingAttr to, StringRef place,
                                 size_t index, StringRef more) {
  sdy::AxisRefAttr axis = firstMissing(from, {to});
  if (!axis)
    axis = firstMissing(to, {from});
  if (!axis)
    return success();
  return op->emitOpError("has unreduced axes mismatch for '")
         << axis.toString() << "' at " << place << " " << index << more;
}

LogicalResult Verifier::visitCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee || callee.getNumArguments() != call->getNumOperands() ||
      callee.getNumResults() != call->getNumResults())
    return success();
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    if (!mayChangeAxes(operand.getDefiningOp()) &&
        failed(mismatch(
            call, sdy::getSharding(operand),
            callee.getArgAttrOfType<TensorShardingAttr>(i, sdy::kShardingAttr),
            "call argument", i)))
      return failure();
  for (auto [i, result] : llvm::enumerate(call.getResults()))
    if (failed(mismatch(call, sdy::getFuncResultSharding(callee, i),
                        sdy::getSharding(result), "call result", i)))
      return failure();
  return success();
}

LogicalResult Verifier::visitReturn(Operation *op) {
  auto manual = dyn_cast<sdy::ManualComputationOp>(op->getParentOp());
  if (!manual && !isa<func::ReturnOp>(op))
    return success();
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    if (mayChangeAxes(value.getDefiningOp()))
      continue;
    TensorShardingAttr wanted;
    if (!manual) {
      wanted = sdy::getFuncResultSharding(func, i);
    } else if ((wanted = manual.getOutSharding(i))) {
      // Inside, what is unreduced along manual axes is whole.
      SmallVector<sdy::AxisRefAttr> free;
      for (sdy::AxisRefAttr axis : wanted.getUnreducedAxes())
        if (!llvm::is_contained(manual.getManualAxes(), axis.getName()))
          free.push_back(axis);
      wanted = wanted.withUnreducedAxes(free);
    }
    if (failed(mismatch(op, sdy::getSharding(value), wanted, "return value", i,
                        kDropped)))
      return failure();
  }
  return success();
}

/// What a loop or a branch hands on keeps its axes. Returns of manual
/// computations are looked at where they are.
LogicalResult Verifier::visitDataFlow(sdy::ShardableDataFlowOpInterface op) {
  auto visitOwner = [&](Value owner) -> LogicalResult {
    TensorShardingAttr target = op.getEdgeOwnerSharding(owner);
    if (target)
      target = op.transformTargetSharding(
          owner, target,
          sdy::DataFlowShardingTransformType::kBeforeEdgePropagation);
    for (OpOperand *source : op.getEdgeSources(owner)) {
      if (isa<sdy::ReturnOp>(source->getOwner()) ||
          mayChangeAxes(source->get().getDefiningOp()))
        continue;
      TensorShardingAttr sharding = sdy::getSharding(source->get());
      if (sdy::AxisRefAttr axis = firstMissing(sharding, {target}))
        return op->emitOpError("dropped unreduced axis '")
               << axis.toString() << "'" << kDropped;
    }
    return success();
  };
  for (Value owner : op.getOpResultEdgeOwners())
    if (failed(visitOwner(owner)))
      return failure();
  for (Value owner : op.getBlockArgumentEdgeOwners())
    if (failed(visitOwner(owner)))
      return failure();
  return success();
}

LogicalResult Verifier::visitCollective(Operation *op) {
  if (!sdy::getSharding(op->getOperand(0)))
    return op->emitOpError("operand must be sharded.");
  return verify(op, /*verifyRecursively=*/false);
}

/// Sums up what is unreduced, if it is sums that it makes.
LogicalResult Verifier::visitStablehloCollective(Operation *op,
                                                 Region &reducer) {
  std::optional<ReducerKind> kind = uniformReducer(reducer);
  for (auto [operand, result] :
       llvm::zip(op->getOperands(), op->getResults())) {
    TensorShardingAttr from = sdy::getSharding(operand);
    TensorShardingAttr to = sdy::getSharding(result);
    if (sdy::AxisRefAttr axis = firstMissing(to, {from}))
      return op->emitOpError("cannot add new unreduced axis '")
             << axis.toString() << "'.";
    if (kind != ReducerKind::Add && !mayChangeAxes(operand.getDefiningOp()))
      if (sdy::AxisRefAttr axis = firstMissing(from, {to}))
        return op->emitOpError("dropped unreduced axis '")
               << axis.toString() << "'" << kDropped;
  }
  return success();
}

LogicalResult Verifier::visitOther(Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  SmallVector<TensorShardingAttr> inputs = sdy::getShardings(op->getOperands());
  SmallVector<TensorShardingAttr> outputs = sdy::getShardings(op->getResults());
  for (auto [operand, input] : llvm::zip(op->getOperands(), inputs))
    if (!mayChangeAxes(operand.getDefiningOp()))
      for (TensorShardingAttr output : outputs)
        if (sdy::AxisRefAttr axis = firstMissing(input, {output}))
          return op->emitOpError("dropped unreduced axis '")
                 << axis.toString() << "'" << kDropped;
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  std::optional<ReducerKind> kind = ReducerKind::Add;
  if (reduce)
    kind = uniformReducer(reduce.getBody());
  if (kind == ReducerKind::Add)
    return success();
  for (TensorShardingAttr output : outputs)
    if (firstMissing(output, inputs)) {
      InFlightDiagnostic error =
          op->emitOpError("cannot introduce 'sum' unreduced axes.");
      if (kind)
        error << " Expected '" << stringify(*kind) << "'.";
      return error;
    }
  return success();
}

LogicalResult Verifier::visit(Operation *op) {
  if (mayChangeAxes(op))
    return success();
  if (isa<func::ReturnOp, sdy::ReturnOp>(op))
    return visitReturn(op);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (isa<sdy::AllReduceOp, sdy::ReduceScatterOp>(op))
    return visitCollective(op);
  // They say themselves what they add.
  if (isa<sdy::CollectiveOpInterface>(op))
    return success();
  if (auto flow = dyn_cast<sdy::ShardableDataFlowOpInterface>(op))
    return visitDataFlow(flow);
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
} // namespace shardwright
