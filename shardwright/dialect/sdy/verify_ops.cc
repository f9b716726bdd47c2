//===- verify_ops.cc - verifiers of sdy ops and attributes ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/sdy/unreduced_transition.h"
#include "shardwright/dialect/sdy/verify_sharding.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shardwright::sdy {

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// The value that a ref denotes; null if its index is out of range.
static Value resolve(EdgeValueRefAttr ref, Operation *op) {
  ValueRange values = ref.getType() == EdgeNodeType::OPERAND
                          ? ValueRange(op->getOperands())
                          : ValueRange(op->getResults());
  int64_t i = ref.getIndex();
  return i >= 0 && i < static_cast<int64_t>(values.size()) ? values[i]
                                                           : Value();
}

/// Checks that steps refer to values of the op and to axes of their mesh.
static LogicalResult verifyPropagationEdges(PropagationEdgesAttr edges,
                                            Operation *op) {
  SmallVector<TensorShardingAttr> shardings;
  auto addSharding = [&](EdgeValueRefAttr ref) {
    if (Value value = resolve(ref, op))
      if (TensorShardingAttr sharding = getSharding(value))
        shardings.push_back(sharding);
  };
  for (PropagationOneStepAttr step : edges)
    for (AxisToPropagationDetailsAttr entry : step.getAxisEntries()) {
      addSharding(entry.getSource());
      llvm::for_each(entry.getTargets(), addSharding);
    }
  if (shardings.empty())
    return op->emitOpError(
        "expected propagation edges attr to reference a sharding.");
  Attribute meshOrRef = getCommonMeshOrRef(shardings, op);
  MeshAttr mesh = getMeshAttr(op, meshOrRef);
  if (!mesh)
    return op->emitOpError(
        "expected a common mesh for propagation edges attr.");

  // The sources of an edge op's data flow edge are numbered like operands,
  // although the op has only one operand; Shardy rejects its own output in this
  // case.
  bool isEdgeOp = isa<DataFlowEdgeOp, FuncDataFlowEdgeOp>(op);
  auto verifyRef = [&](EdgeValueRefAttr ref) -> LogicalResult {
    if (isEdgeOp || resolve(ref, op))
      return success();
    bool isOperand = ref.getType() == EdgeNodeType::OPERAND;
    return op->emitOpError("expected a value ref to have ")
           << (isOperand ? "an operand" : "a result") << " index in range [0, "
           << (isOperand ? op->getNumOperands() : op->getNumResults())
           << "), got: " << ref.getIndex();
  };
  for (PropagationOneStepAttr step : edges)
    for (AxisToPropagationDetailsAttr entry : step.getAxisEntries()) {
      if (!mesh.hasAxis(entry.getAxisName().getName()))
        return op->emitOpError("expected axis ref to be in one of the meshes");
      if (failed(verifyRef(entry.getSource())))
        return failure();
      for (EdgeValueRefAttr target : entry.getTargets())
        if (failed(verifyRef(target)))
          return failure();
    }
  return success();
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kShardingAttr) {
    auto shardings = dyn_cast<TensorShardingPerValueAttr>(attr.getValue());
    if (!shardings)
      return op->emitOpError("should have a sharding attribute of type "
                             "TensorShardingPerValueAttr");
    return verifyShardings(shardings, op->getResultTypes(), op, "result");
  }
  if (name == kShardingRuleAttr) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attr.getValue());
    if (!rule)
      return op->emitOpError("should have a sharding rule attribute of type "
                             "OpShardingRuleAttr for attr named '")
             << name << "'";
    return verifyShardingRule(rule, op);
  }
  if (name == kPropagationEdgesAttr) {
    auto edges = dyn_cast<PropagationEdgesAttr>(attr.getValue());
    if (!edges)
      return op->emitOpError("should have a propagation edges attribute of "
                             "type PropagationEdgesAttr for attr named '")
             << name << "'";
    return verifyPropagationEdges(edges, op);
  }
  if (name == kResultPropagationEdgesAttr ||
      name == kBlockArgPropagationEdgesAttr) {
    auto list = dyn_cast<ArrayAttr>(attr.getValue());
    if (!list || !llvm::all_of(list, llvm::IsaPred<PropagationEdgesAttr>))
      return op->emitOpError(
                 "should have a propagation edges attribute of type "
                 "ArrayAttr<PropagationEdgesAttr> for attr named '")
             << kResultPropagationEdgesAttr << "' or '"
             << kBlockArgPropagationEdgesAttr << "'";
  }
  return success();
}

/// Checks `sdy.sharding` on an argument or result of a function.
static LogicalResult verifyFuncSharding(Operation *op, Attribute attr,
                                        Type type, StringRef kind,
                                        unsigned index) {
  auto emitError = [&] {
    return std::move(op->emitOpError() << kind << " " << index << " - ");
  };
  auto sharding = dyn_cast<TensorShardingAttr>(attr);
  if (!sharding)
    return emitError()
           << "should have a sharding attribute of type TensorShardingAttr";
  return verifySharding(sharding, type, op, emitError);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned index,
                                                   NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func || attr.getName() != kShardingAttr)
    return success();
  return verifyFuncSharding(op, attr.getValue(), func.getArgumentTypes()[index],
                            "arg", index);
}

LogicalResult SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                      unsigned index,
                                                      NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func || attr.getName() != kShardingAttr)
    return success();
  return verifyFuncSharding(op, attr.getValue(), func.getResultTypes()[index],
                            "result", index);
}

//===----------------------------------------------------------------------===//
// Ops with one sharding
//===----------------------------------------------------------------------===//

/// Checks a change of layout: unreduced axes may be added and removed, but the
/// kind of those that stay may not change.
template <typename OpT> static LogicalResult verifyLayoutChange(OpT op) {
  if (failed(verifySharding(op.getSharding(), op.getType(), op,
                            [&] { return op.emitOpError(); })))
    return failure();
  Value input = op.getInput();
  while (auto barrier = input.getDefiningOp<PropagationBarrierOp>())
    input = barrier.getInput();
  TensorShardingAttr source = getSharding(input);
  if (!source)
    return success();
  return verifyUnreducedTransition(op, source, op.getSharding(),
                                   AllowedKinds::any(), AllowedKinds::any());
}

LogicalResult ShardingConstraintOp::verify() {
  return verifyLayoutChange(*this);
}

LogicalResult ReshardOp::verify() { return verifyLayoutChange(*this); }

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() == PropagationDirection::BOTH)
    return emitOpError("cannot specify `BOTH` as the direction. Not blocking "
                       "propagation direction makes the op redundant.");
  return success();
}

template <typename OpT> static LogicalResult verifyStaticResult(OpT op) {
  auto type = cast<ShapedType>(op.getResult().getType());
  if (!type.hasStaticShape())
    return op.emitOpError("expected ")
           << OpT::getOperationName()
           << " to have a static-shaped result. type: " << type;
  return success();
}

LogicalResult DataFlowEdgeOp::verify() {
  if (failed(verifyStaticResult(*this)))
    return failure();
  if (!getInput().hasOneUse())
    return emitOpError("expected input of ")
           << getOperationName() << " to have a single user";
  if (Operation *source = getInput().getDefiningOp())
    if (isa_and_nonnull<SdyDialect>(source->getDialect()) &&
        !isa<ShardableDataFlowOpInterface>(source)) {
      InFlightDiagnostic diag =
          emitOpError("expected input of ")
          << getOperationName()
          << " to not be defined by an SdyDialect op (other than an "
          << NamedComputationOp::getOperationName() << ").";
      diag.attachNote(source->getLoc())
          << "sdy op defining the input of the " << getOperationName();
      return diag;
    }
  if (!getShardingAttr())
    return success();
  return verifySharding(getShardingAttr(), getType(), *this,
                        [&] { return emitOpError(); });
}

LogicalResult FuncDataFlowEdgeOp::verify() {
  if (failed(verifyStaticResult(*this)))
    return failure();
  if (!getOperand().hasOneUse())
    return emitOpError("expected operand of ")
           << getOperationName() << " to have a single user";
  if (auto argument = dyn_cast<BlockArgument>(getOperand())) {
    if (!isa_and_nonnull<FunctionOpInterface>(
            argument.getOwner()->getParentOp()))
      return emitOpError("expected operand of ")
             << getOperationName() << " to be a block argument of a func op.";
    return success();
  }
  if (!isa<CallOpInterface>(getOperand().getDefiningOp()))
    return emitOpError("expected operand of ")
           << getOperationName() << " to be a result of call op.";
  return success();
}

//===----------------------------------------------------------------------===//
// Ops with a body
//===----------------------------------------------------------------------===//

LogicalResult NamedComputationOp::verify() {
  if (failed(mlir::detail::verifyInferredResultTypes(*this)))
    return failure();
  if (getBody().getNumArguments() != getOperands().size())
    return emitError("number of block arguments must match the number of "
                     "operands: ")
           << getBody().getNumArguments() << " != " << getOperands().size();
  for (auto [i, argument, operand] :
       llvm::enumerate(getBody().getArgumentTypes(), getOperands().getTypes()))
    if (argument != operand)
      return emitError("expected the type of the ")
             << i
             << "'th block argument to match the type of the corresponding "
                "operand: "
             << argument << " vs " << operand;
  if (getInShardings() &&
      failed(verifyShardings(*getInShardings(), getOperands().getTypes(), *this,
                             "in_shardings")))
    return failure();
  if (getOutShardings())
    return verifyShardings(*getOutShardings(), getResultTypes(), *this,
                           "out_shardings");
  return success();
}

/// Checks that manual axes come first in the dimension and divide it; changes
/// `size` to the size in the body.
static LogicalResult verifyManualDim(ManualComputationOp op, MeshAttr mesh,
                                     DimensionShardingAttr dimSharding,
                                     int64_t dim, StringRef kind, int64_t index,
                                     int64_t &manualSize) {
  AxisRefAttr free;
  manualSize = 1;
  for (AxisRefAttr axis : dimSharding.getAxes()) {
    if (!op.isManualAxis(axis.getName())) {
      free = axis;
      continue;
    }
    if (free)
      return op.emitOpError(kind)
             << " sharding at index " << index
             << " must have all manual axes come before free axes in its "
                "dimension sharding at index "
             << dim << ". Saw manual axis " << axis.toString()
             << " after free axis " << free.toString();
    // No overflow: verified sub-axes of one mesh are disjoint, so the product
    // is at most the size of the mesh.
    manualSize *= axis.getSize(mesh);
  }
  return success();
}

/// Checks that the body's values have the local shapes of the global ones.
static LogicalResult verifyManualSide(ManualComputationOp op, StringRef kind,
                                      TypeRange globalTypes,
                                      TypeRange localTypes,
                                      TensorShardingPerValueAttr shardings) {
  if (globalTypes.empty() && localTypes.empty() && shardings.empty())
    return success();
  if (failed(verifyShardings(shardings, globalTypes, op, kind)))
    return failure();
  if (globalTypes.size() != localTypes.size())
    return op.emitOpError("number of op ")
           << kind << "s and region " << kind << "s must match. Op has "
           << globalTypes.size() << " op " << kind << "s and "
           << localTypes.size() << " region " << kind << "s";

  for (auto [i, global, local, sharding] :
       llvm::enumerate(globalTypes, localTypes, shardings)) {
    MeshAttr mesh = getMeshAttr(op, sharding);
    auto tensor = dyn_cast<RankedTensorType>(global);
    SmallVector<int64_t> shape;
    if (tensor)
      llvm::append_range(shape, tensor.getShape());
    for (auto [dim, dimSharding] :
         llvm::enumerate(sharding.getDimShardings())) {
      int64_t manualSize = 1;
      if (failed(
              verifyManualDim(op, mesh, dimSharding, dim, kind, i, manualSize)))
        return failure();
      if (!tensor || ShapedType::isDynamic(shape[dim]))
        continue;
      if (shape[dim] % manualSize != 0)
        return op.emitOpError(kind)
               << " dimension size " << shape[dim]
               << " is not divisible by the manual axes size " << manualSize;
      shape[dim] /= manualSize;
    }
    if (!tensor)
      continue;
    RankedTensorType expected = tensor.clone(shape);
    if (expected != local)
      return op.emitOpError(kind)
             << " shape, corresponding sharding, and region " << kind
             << " shape at index " << i << " must match. Expected local shape "
             << expected << ", actual local shape " << local;
  }
  return success();
}

LogicalResult ManualComputationOp::verify() {
  if (failed(verifyManualSide(*this, "operand", getOperandTypes(),
                              getBody().getArgumentTypes(),
                              getInShardings())) ||
      failed(verifyManualSide(*this, "result", getResultTypes(),
                              getBody().front().back().getOperandTypes(),
                              getOutShardings())))
    return failure();
  if (getManualAxes().empty())
    return success();

  SmallVector<TensorShardingAttr> shardings(getInShardings().getShardings());
  llvm::append_range(shardings, getOutShardings());
  if (!shardings.empty()) {
    Attribute meshOrRef = getCommonMeshOrRef(shardings, *this);
    if (!meshOrRef)
      return emitOpError("all in and out shardings must be bound to the same "
                         "mesh or an empty mesh.");
    MeshAttr mesh = getMeshAttr(*this, meshOrRef);
    for (StringAttr axis : getManualAxes())
      if (!mesh.hasAxis(axis.getValue()))
        return emitOpError("unknown manual axis: ") << axis;
  }
  SmallVector<StringRef> names = llvm::map_to_vector(
      getManualAxes(), [](StringAttr axis) { return axis.getValue(); });
  return verifyNotManual(names, *this, [&] { return emitOpError(); });
}

} // namespace shardwright::sdy
