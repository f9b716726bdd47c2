//===- scf_edges.cc - data flow edges of scf ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/mlir/mlir_rules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace shardwright;

namespace {

Value resultOrNull(Operation *op, int64_t i) {
  return i >= 0 && i < int64_t(op->getNumResults()) ? Value(op->getResult(i))
                                                    : Value();
}

unsigned numberOf(Value owner) {
  if (auto arg = dyn_cast<BlockArgument>(owner))
    return arg.getArgNumber();
  return cast<OpResult>(owner).getResultNumber();
}

/// Result i owns the edge of the initial value, the carried argument and the
/// value that the body yields.
struct ForEdges
    : sdy::ShardableDataFlowOpInterface::ExternalModel<ForEdges, scf::ForOp> {
  ResultRange getOpResultEdgeOwners(Operation *op) const {
    return op->getResults();
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    auto loop = cast<scf::ForOp>(op);
    unsigned i = numberOf(owner);
    return {&loop.getInitArgsMutable()[i],
            &loop.getBody()->getTerminator()->getOpOperand(i)};
  }
  Value getEdgeOwnerFromTarget(Operation *op, Value target) const {
    if (auto arg = dyn_cast<BlockArgument>(target))
      return arg.getOwner()->getParentOp() == op
                 ? resultOrNull(op, int64_t(arg.getArgNumber()) - 1)
                 : Value();
    return target.getDefiningOp() == op ? target : Value();
  }
  Value getEdgeOwnerFromSource(Operation *op, OpOperand &source) const {
    if (source.getOwner() == op)
      return resultOrNull(op, int64_t(source.getOperandNumber()) -
                                  cast<scf::ForOp>(op).getNumControlOperands());
    return resultOrNull(op, source.getOperandNumber());
  }
  SmallVector<Value> getNonEdgeOwnerTargets(Operation *op, Value owner) const {
    return {cast<scf::ForOp>(op).getRegionIterArg(numberOf(owner))};
  }
};

/// Two kinds of edges: argument i of `before` with the initial value and the
/// value that `after` yields; result i with the value that the condition
/// forwards and argument i of `after`.
struct WhileEdges
    : sdy::ShardableDataFlowOpInterface::ExternalModel<WhileEdges,
                                                       scf::WhileOp> {
  ArrayRef<BlockArgument> getBlockArgumentEdgeOwners(Operation *op) const {
    return cast<scf::WhileOp>(op).getBeforeArguments();
  }
  ResultRange getOpResultEdgeOwners(Operation *op) const {
    return op->getResults();
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    auto loop = cast<scf::WhileOp>(op);
    unsigned i = numberOf(owner);
    if (isa<BlockArgument>(owner))
      return {&op->getOpOperand(i), &loop.getYieldOp()->getOpOperand(i)};
    return {&loop.getConditionOp().getArgsMutable()[i]};
  }
  Value getEdgeOwnerFromTarget(Operation *op, Value target) const {
    auto loop = cast<scf::WhileOp>(op);
    if (auto arg = dyn_cast<BlockArgument>(target)) {
      if (arg.getOwner() == loop.getBeforeBody())
        return target;
      return arg.getOwner() == loop.getAfterBody()
                 ? resultOrNull(op, arg.getArgNumber())
                 : Value();
    }
    return target.getDefiningOp() == op ? target : Value();
  }
  Value getEdgeOwnerFromSource(Operation *op, OpOperand &source) const {
    auto loop = cast<scf::WhileOp>(op);
    unsigned i = source.getOperandNumber();
    if (source.getOwner() == loop.getConditionOp())
      // The first operand is the condition, which is no source.
      return resultOrNull(op, int64_t(i) - 1);
    bool flows =
        source.getOwner() == op || source.getOwner() == loop.getYieldOp();
    return flows && i < loop.getBeforeArguments().size()
               ? Value(loop.getBeforeArguments()[i])
               : Value();
  }
  SmallVector<Value> getNonEdgeOwnerTargets(Operation *op, Value owner) const {
    if (isa<BlockArgument>(owner))
      return {};
    return {cast<scf::WhileOp>(op).getAfterArguments()[numberOf(owner)]};
  }
};

/// Result i owns the edge of the values that both branches yield.
struct IfEdges
    : sdy::ShardableDataFlowOpInterface::ExternalModel<IfEdges, scf::IfOp> {
  ResultRange getOpResultEdgeOwners(Operation *op) const {
    return op->getResults();
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    SmallVector<OpOperand *> sources;
    for (Region &region : op->getRegions())
      if (!region.empty())
        sources.push_back(
            &region.front().getTerminator()->getOpOperand(numberOf(owner)));
    return sources;
  }
  Value getEdgeOwnerFromTarget(Operation *op, Value target) const {
    return target.getDefiningOp() == op ? target : Value();
  }
  Value getEdgeOwnerFromSource(Operation *op, OpOperand &source) const {
    return source.getOwner() == op
               ? Value()
               : resultOrNull(op, source.getOperandNumber());
  }
};

} // namespace

void shardwright::attachScfDialectEdges(MLIRContext &context) {
  scf::ForOp::attachInterface<ForEdges>(context);
  scf::WhileOp::attachInterface<WhileEdges>(context);
  scf::IfOp::attachInterface<IfEdges>(context);
}
