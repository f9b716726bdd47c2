//===- control_flow_interfaces.cc - control flow interfaces of regions ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data flow between `if`, `case`, `while` and their regions, for passes that
// handle control flow by interfaces: sccp, remove-dead-values,
// loop-invariant-code-motion. Ops that apply a region to elements (such as
// reduce and sort) pass it other values than their operands, so they have none.
//
// The interfaces are attached, not declared by the ops: StableHLO's verifiers,
// with their own messages, already cover what MLIR would verify for the
// interfaces.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/control_flow.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace shardwright::stablehlo {
namespace {

using Successors = SmallVectorImpl<RegionSuccessor>;

/// Common to all three ops.
template <typename Model, typename OpT>
struct RegionBranchModel : RegionBranchOpInterface::ExternalModel<Model, OpT> {
  /// MLIR's name for the overload that takes a region.
  void getSuccessorRegions_3(Operation *op, Region &region,
                             Successors &successors) const {
    auto end = cast<RegionBranchTerminatorOpInterface>(region.front().back());
    static_cast<const Model *>(this)->getSuccessorRegions(
        op, RegionBranchPoint(end), successors);
  }
  void getPredecessorValues(Operation *op, RegionSuccessor successor, int index,
                            SmallVectorImpl<Value> &values) const {
    auto branch = cast<RegionBranchOpInterface>(op);
    SmallVector<RegionBranchPoint> predecessors;
    branch.getPredecessors(successor, predecessors);
    for (RegionBranchPoint predecessor : predecessors)
      values.push_back(
          branch.getSuccessorOperands(predecessor, successor)[index]);
  }
  bool areTypesCompatible(Operation *, Type from, Type to) const {
    return areCompatible(from, to);
  }
};

/// `if` and `case`: from the op to one region, from there to the results.
template <typename OpT>
struct BranchModel : RegionBranchModel<BranchModel<OpT>, OpT> {
  void getSuccessorRegions(Operation *op, RegionBranchPoint point,
                           Successors &successors) const {
    if (point.isParent())
      for (Region &region : op->getRegions())
        successors.emplace_back(&region);
    else
      successors.emplace_back(op, op->getResults());
  }

  void getEntrySuccessorRegions(Operation *op, ArrayRef<Attribute> operands,
                                Successors &successors) const {
    if (std::optional<unsigned> taken = branchTaken(op, operands))
      successors.emplace_back(&op->getRegion(*taken));
    else
      getSuccessorRegions(op, RegionBranchPoint::parent(), successors);
  }

  void
  getRegionInvocationBounds(Operation *op, ArrayRef<Attribute> operands,
                            SmallVectorImpl<InvocationBounds> &bounds) const {
    std::optional<unsigned> taken = branchTaken(op, operands);
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      bounds.emplace_back(/*lb=*/taken == i, /*ub=*/!taken || taken == i);
  }

  OperandRange getEntrySuccessorOperands(Operation *op, RegionSuccessor) const {
    return op->getOperands().take_front(0); // the regions see values directly
  }

private:
  /// The region that is entered, if the operand is a known constant. An index
  /// out of range selects the last branch.
  static std::optional<unsigned> branchTaken(Operation *op,
                                             ArrayRef<Attribute> operands) {
    auto known = dyn_cast_if_present<DenseIntElementsAttr>(operands[0]);
    unsigned regions = op->getNumRegions();
    if (!known || !known.isSplat() || regions == 0)
      return std::nullopt;
    APInt value = known.getSplatValue<APInt>();
    if (isa<IfOp>(op))
      return value.isZero() ? 1 : 0;
    return value.ult(regions) ? value.getZExtValue() : regions - 1;
  }
};

/// `while`: condition, body and results receive the same values, which are the
/// operands or the body's return values. The condition itself returns only the
/// predicate, so the interface cannot express that it precedes the other two:
/// for data flow they are alternatives.
struct WhileModel : RegionBranchModel<WhileModel, WhileOp> {
  void getSuccessorRegions(Operation *op, RegionBranchPoint point,
                           Successors &successors) const {
    auto loop = cast<WhileOp>(op);
    Operation *end = point.getTerminatorPredecessorOrNull();
    if (end && end->getParentRegion() == &loop.getCond())
      return;
    for (Region *region : {&loop.getCond(), &loop.getBody()})
      successors.emplace_back(region, region->getArguments());
    successors.emplace_back(op, op->getResults());
  }

  void getEntrySuccessorRegions(Operation *op, ArrayRef<Attribute>,
                                Successors &successors) const {
    getSuccessorRegions(op, RegionBranchPoint::parent(), successors);
  }

  OperandRange getEntrySuccessorOperands(Operation *op, RegionSuccessor) const {
    return op->getOperands();
  }

  void
  getRegionInvocationBounds(Operation *, ArrayRef<Attribute>,
                            SmallVectorImpl<InvocationBounds> &bounds) const {
    bounds.emplace_back(1, std::nullopt);
    bounds.emplace_back(0, std::nullopt);
  }
};

/// The predicate of a loop has no successor.
struct ReturnModel
    : RegionBranchTerminatorOpInterface::ExternalModel<ReturnModel, ReturnOp> {
  MutableOperandRange getMutableSuccessorOperands(Operation *op,
                                                  RegionSuccessor) const {
    auto loop = dyn_cast<WhileOp>(op->getParentOp());
    bool isPredicate = loop && op->getParentRegion() == &loop.getCond();
    return isPredicate ? MutableOperandRange(op, /*start=*/0, /*length=*/0)
                       : MutableOperandRange(op);
  }

  void getSuccessorRegions(Operation *op, ArrayRef<Attribute>,
                           Successors &successors) const {
    auto end = cast<RegionBranchTerminatorOpInterface>(op);
    if (auto parent = dyn_cast<RegionBranchOpInterface>(op->getParentOp()))
      parent.getSuccessorRegions(RegionBranchPoint(end), successors);
  }
};

struct LoopModel : LoopLikeOpInterface::ExternalModel<LoopModel, WhileOp> {
  SmallVector<Region *> getLoopRegions(Operation *op) const {
    auto loop = cast<WhileOp>(op);
    return {&loop.getCond(), &loop.getBody()};
  }
};

} // namespace

void attachControlFlowInterfaces(MLIRContext *context) {
  IfOp::attachInterface<BranchModel<IfOp>>(*context);
  CaseOp::attachInterface<BranchModel<CaseOp>>(*context);
  WhileOp::attachInterface<WhileModel, LoopModel>(*context);
  ReturnOp::attachInterface<ReturnModel>(*context);
}

} // namespace shardwright::stablehlo
