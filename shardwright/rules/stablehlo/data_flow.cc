//===- data_flow.cc - edges of StableHLO's control flow -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

/// Operand i of the region's terminator; null if there is none.
static OpOperand *returned(Region &region, unsigned i) {
  if (region.empty() || region.front().empty())
    return nullptr;
  Operation &terminator = region.front().back();
  return i < terminator.getNumOperands() ? &terminator.getOpOperand(i)
                                         : nullptr;
}

/// Result number of `owner`.
static unsigned resultNumber(Value owner) {
  return cast<OpResult>(owner).getResultNumber();
}

static Value resultOrNull(Operation *op, unsigned i) {
  return i < op->getNumResults() ? Value(op->getResult(i)) : Value();
}

namespace {

/// Result i owns the edge of iteration value i. Sources: operand i and the
/// body's return value; targets: the arguments of both regions.
struct WhileEdges
    : sdy::ShardableDataFlowOpInterface::ExternalModel<WhileEdges,
                                                       stablehlo::WhileOp> {
  ResultRange getOpResultEdgeOwners(Operation *op) const {
    return op->getResults();
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    unsigned i = resultNumber(owner);
    SmallVector<OpOperand *> sources{&op->getOpOperand(i)};
    if (OpOperand *source = returned(cast<stablehlo::WhileOp>(op).getBody(), i))
      sources.push_back(source);
    return sources;
  }
  Value getEdgeOwnerFromTarget(Operation *op, Value target) const {
    if (auto arg = dyn_cast<BlockArgument>(target))
      return arg.getOwner()->getParentOp() == op
                 ? resultOrNull(op, arg.getArgNumber())
                 : Value();
    return target.getDefiningOp() == op ? target : Value();
  }
  Value getEdgeOwnerFromSource(Operation *op, OpOperand &source) const {
    // The return value of the condition has no target.
    Operation *user = source.getOwner();
    bool flows = user == op || user->getParentRegion() ==
                                   &cast<stablehlo::WhileOp>(op).getBody();
    return flows ? resultOrNull(op, source.getOperandNumber()) : Value();
  }
  SmallVector<Value> getNonEdgeOwnerTargets(Operation *op, Value owner) const {
    unsigned i = resultNumber(owner);
    SmallVector<Value> targets;
    for (Region &region : op->getRegions())
      if (!region.empty() && i < region.getNumArguments())
        targets.push_back(region.getArgument(i));
    return targets;
  }
};

/// Result i owns the edge from the return values of the branches.
template <typename OpTy>
struct BranchEdges
    : sdy::ShardableDataFlowOpInterface::ExternalModel<BranchEdges<OpTy>,
                                                       OpTy> {
  ResultRange getOpResultEdgeOwners(Operation *op) const {
    return op->getResults();
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    SmallVector<OpOperand *> sources;
    for (Region &branch : op->getRegions())
      if (OpOperand *source = returned(branch, resultNumber(owner)))
        sources.push_back(source);
    return sources;
  }
  Value getEdgeOwnerFromTarget(Operation *op, Value target) const {
    return target.getDefiningOp() == op ? target : Value();
  }
  Value getEdgeOwnerFromSource(Operation *op, OpOperand &source) const {
    // The index only selects a branch; it is no source.
    return source.getOwner() == op
               ? Value()
               : resultOrNull(op, source.getOperandNumber());
  }
};

struct OptimizationBarrierEdges
    : sdy::ShardableDataFlowOpInterface::ExternalModel<
          OptimizationBarrierEdges, stablehlo::OptimizationBarrierOp> {
  ResultRange getOpResultEdgeOwners(Operation *op) const {
    return op->getResults();
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    return {&op->getOpOperand(resultNumber(owner))};
  }
  Value getEdgeOwnerFromTarget(Operation *op, Value target) const {
    return target.getDefiningOp() == op ? target : Value();
  }
  Value getEdgeOwnerFromSource(Operation *op, OpOperand &source) const {
    return source.getOwner() == op ? resultOrNull(op, source.getOperandNumber())
                                   : Value();
  }
};

} // namespace

void shardwright::attachDataFlowInterfaces(MLIRContext &context) {
  stablehlo::WhileOp::attachInterface<WhileEdges>(context);
  stablehlo::CaseOp::attachInterface<BranchEdges<stablehlo::CaseOp>>(context);
  // Shardy has none for this op: see PropagationTraits::newDataFlow.
  stablehlo::IfOp::attachInterface<BranchEdges<stablehlo::IfOp>>(context);
  stablehlo::OptimizationBarrierOp::attachInterface<OptimizationBarrierEdges>(
      context);
}
