//===- verify_unreduced_axes.cc - partial sums that nobody sums up --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass sdy-verify-unreduced-axes: a value that holds partial sums along an axis
// ceases to do so at a reshard, a constraint or a collective, and nowhere else.
// Axes on different meshes are not compared; a value behind a barrier is the
// value before it.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/data_flow_edges.h"
#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

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

Value behindBarriers(Value value) {
  while (auto barrier = value.getDefiningOp<sdy::PropagationBarrierOp>())
    value = barrier.getInput();
  return value;
}

TensorShardingAttr shardingOf(Value value) {
  return sdy::getSharding(behindBarriers(value));
}

/// Null if it is what a reshard or a constraint says: any use of that is right.
TensorShardingAttr shardingToKeep(Value value) {
  value = behindBarriers(value);
  return mayChangeAxes(value.getDefiningOp()) ? TensorShardingAttr()
                                              : sdy::getSharding(value);
}

/// The kinds that partial values may have, as the dialect calls them.
std::optional<StringRef> kindOf(Region &reducer) {
  std::optional<ReducerKind> kind = uniformReducer(reducer);
  if (kind == ReducerKind::Add)
    return "sum";
  if (kind == ReducerKind::Max)
    return "max";
  if (kind == ReducerKind::Min)
    return "min";
  return std::nullopt;
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
  LogicalResult visitDataFlow(sdy::ShardableDataFlowOpInterface op);
  LogicalResult visitCollective(Operation *op);
  LogicalResult visitStablehloCollective(Operation *op, Region &reducer);
  LogicalResult visitOther(Operation *op);
  LogicalResult checkTransition(Operation *op, const Shardings &from,
                                const Shardings &to,
                                std::optional<StringRef> introduced,
                                std::optional<StringRef> removed);
  LogicalResult checkEqual(Operation *op, TensorShardingAttr from,
                           TensorShardingAttr to, StringRef place, size_t index,
                           StringRef more = ".");

  func::FuncOp func;
};

/// Between all of `from` and all of `to` (entries may be null), only axes of
/// the kind that may be introduced (none: of no kind) come, and only such of
/// the kind that may be removed go.
LogicalResult Verifier::checkTransition(Operation *op, const Shardings &from,
                                        const Shardings &to,
                                        std::optional<StringRef> introduced,
                                        std::optional<StringRef> removed) {
  sdy::MeshAttr meshAttr;
  for (const Shardings *list : {&from, &to})
    for (TensorShardingAttr sharding : *list)
      if (sharding) {
        sdy::MeshAttr own = sdy::getMeshAttr(func, sharding.getMeshOrRef());
        if (!own || (meshAttr && own != meshAttr))
          return success();
        meshAttr = own;
      }
  if (!meshAttr)
    return success();
  Mesh mesh = sdy::meshFromAttr(meshAttr);
  auto unreduced = [&](const Shardings &list) {
    AxisList axes;
    for (TensorShardingAttr sharding : list)
      if (sharding)
        axes.append(sdy::axesFromAttr(sharding.getUnreducedAxes(), mesh));
    return axes;
  };
  AxisList before = unreduced(from), after = unreduced(to);
  auto nameOf = [&](AxisRef axis) { return mesh.axes()[axis.axis].name; };
  // All that is unreduced is sums.
  constexpr StringLiteral own("sum");
  if (AxisList axes = withoutAxes(after, before);
      !axes.empty() && introduced != StringRef(own)) {
    if (!introduced)
      return op->emitOpError("cannot add new unreduced axis '")
             << nameOf(axes[0]) << "'.";
    return op->emitOpError("cannot introduce '")
           << own << "' unreduced axes. Expected '" << *introduced << "'.";
  }
  if (AxisList axes = withoutAxes(before, after);
      !axes.empty() && removed != StringRef(own)) {
    if (!removed)
      return op->emitOpError("dropped unreduced axis '")
             << nameOf(axes[0]) << "'" << kDropped;
    return op->emitOpError("cannot reduce '")
           << own << "' unreduced axes. Expected '" << *removed << "'.";
  }
  return success();
}

/// Both have the same axes; null ones have none.
LogicalResult Verifier::checkEqual(Operation *op, TensorShardingAttr from,
                                   TensorShardingAttr to, StringRef place,
                                   size_t index, StringRef more) {
  if (from && to &&
      sdy::getMeshAttr(func, from.getMeshOrRef()) !=
          sdy::getMeshAttr(func, to.getMeshOrRef()))
    return success();
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

/// What is returned has the axes that the result says; a result without a
/// sharding takes any.
LogicalResult Verifier::visitReturn(Operation *op) {
  Operation *parent = op->getParentOp();
  auto manual = dyn_cast<sdy::ManualComputationOp>(parent);
  bool isFunc = isa<func::ReturnOp>(op);
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    if (mayChangeAxes(behindBarriers(value).getDefiningOp()))
      continue;
    TensorShardingAttr wanted = isFunc ? sdy::getFuncResultSharding(func, i)
                                : manual
                                    ? manual.getOutSharding(i)
                                    : sdy::getSharding(parent->getResult(i));
    if (!wanted)
      continue;
    if (manual) {
      // Inside, what is unreduced along manual axes is whole.
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

/// What a loop or a branch hands on keeps its axes. Returns of manual and named
/// computations are looked at where they are.
LogicalResult Verifier::visitDataFlow(sdy::ShardableDataFlowOpInterface op) {
  LogicalResult kept =
      forEachEdgeSource(op, [&](OpOperand &source, TensorShardingAttr target) {
        if (isa<sdy::ReturnOp>(source.getOwner()))
          return success();
        return checkTransition(op, {shardingToKeep(source.get())}, {target},
                               "sum", std::nullopt);
      });
  if (failed(kept))
    return failure();
  // Nor does a manual computation sum up, whatever is in it.
  return isa<sdy::ManualComputationOp>(op) ? visitOther(op) : success();
}

LogicalResult Verifier::visitCollective(Operation *op) {
  if (!shardingOf(op->getOperand(0)))
    return op->emitOpError("operand must be sharded.");
  return verify(op, /*verifyRecursively=*/false);
}

/// Sums up what is unreduced, if it is sums that it makes.
LogicalResult Verifier::visitStablehloCollective(Operation *op,
                                                 Region &reducer) {
  TensorShardingAttr to = sdy::getSharding(op->getResult(0));
  if (!shardingOf(op->getOperand(0)) && !to)
    return success();
  return checkTransition(op, {shardingToKeep(op->getOperand(0))}, {to},
                         /*introduced=*/std::nullopt, kindOf(reducer));
}

LogicalResult Verifier::visitOther(Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  ValueRange operands =
      reduce ? ValueRange(reduce.getInputs()) : ValueRange(op->getOperands());
  return checkTransition(op, llvm::map_to_vector(operands, shardingToKeep),
                         sdy::getShardings(op->getResults()),
                         reduce ? kindOf(reduce.getBody())
                                : std::optional<StringRef>("sum"),
                         /*removed=*/std::nullopt);
}

LogicalResult Verifier::visit(Operation *op) {
  if (mayChangeAxes(op))
    return verify(op, /*verifyRecursively=*/false);
  if (isa<func::ReturnOp, sdy::ReturnOp>(op) ||
      (isa<stablehlo::ReturnOp>(op) && isa<stablehlo::IfOp>(op->getParentOp())))
    return visitReturn(op);
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      isa<sdy::PropagationBarrierOp>(op))
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
