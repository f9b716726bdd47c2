//===- ops.cc - sdy ops: text, types, data flow -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace shardwright::sdy {

/// `[<...>, <...>]`: a sharding_per_value without its angle brackets.
static ParseResult parseStrippedShardings(OpAsmParser &p,
                                          TensorShardingPerValueAttr &attr) {
  SmallVector<TensorShardingAttr> shardings;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<TensorShardingAttr> sharding =
        FieldParser<TensorShardingAttr>::parse(p);
    if (failed(sharding))
      return failure();
    shardings.push_back(*sharding);
    return success();
  };
  if (p.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  attr = TensorShardingPerValueAttr::get(p.getContext(), shardings);
  return success();
}

static void printStrippedShardings(OpAsmPrinter &p, Operation *,
                                   TensorShardingPerValueAttr attr) {
  p << '[';
  llvm::interleaveComma(attr.getShardings(), p, [&](TensorShardingAttr s) {
    p.printStrippedAttrOrType(s);
  });
  p << ']';
}

/// `(%a: type, ...) { ... }`: the block's arguments precede the body.
static ParseResult parseRegionWithArguments(OpAsmParser &p, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(p.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                                     /*allowType=*/true) ||
                 p.parseRegion(region, arguments));
}

static void printRegionWithArguments(OpAsmPrinter &p, Operation *,
                                     Region &region) {
  p << '(';
  if (!region.empty())
    llvm::interleaveComma(region.getArguments(), p, [&](BlockArgument arg) {
      p.printRegionArgument(arg);
    });
  p << ") ";
  p.printRegion(region, /*printEntryBlockArgs=*/false);
}

} // namespace shardwright::sdy

#define GET_OP_CLASSES
#include "shardwright/dialect/sdy/sdy_ops.cpp.inc"

#include "shardwright/dialect/sdy/sdy_interfaces.cpp.inc"

namespace shardwright::sdy {

bool detail::hasTokenElement(Type type) {
  Type element = cast<ShapedType>(type).getElementType();
  return element.getAbstractType().getName() == "stablehlo.token";
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

// Two forms, as for stablehlo.constant: `constant {attrs} VALUE` and the older
// `constant() {value = VALUE, attrs} : () -> TYPE`.
ParseResult ConstantOp::parse(OpAsmParser &p, OperationState &result) {
  StringAttr valueName = getValueAttrName(result.name);
  if (succeeded(p.parseOptionalLParen())) {
    if (p.parseRParen() || p.parseOptionalAttrDict(result.attributes) ||
        p.parseColon() || p.parseLParen() || p.parseRParen() || p.parseArrow())
      return failure();
    Type type;
    if (p.parseType(type))
      return failure();
    result.addTypes(type);
    return success();
  }
  ElementsAttr value;
  if (p.parseOptionalAttrDict(result.attributes))
    return failure();
  if (result.attributes.get(valueName))
    return p.emitError(p.getNameLoc())
           << "attribute 'value' occurs more than once in the attribute list";
  if (p.parseAttribute(value, valueName, result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &p) {
  p.printOptionalAttrDict((*this)->getAttrs(), getValueAttrName().getValue());
  p << ' ' << getValue();
}

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &types) {
  ConstantOpAdaptor adaptor(operands, attributes, properties, regions);
  if (!properties.as<Properties *>() || !adaptor.getValueAttr())
    return emitOptionalError(location, "requires attribute 'value'");
  types.push_back(adaptor.getValue().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// ManualComputationOp
//===----------------------------------------------------------------------===//

ReturnOp ManualComputationOp::getTerminator() {
  return cast<ReturnOp>(getBody().front().getTerminator());
}

bool ManualComputationOp::isManualAxis(StringRef name) {
  return llvm::any_of(getManualAxes(),
                      [&](StringAttr axis) { return axis.getValue() == name; });
}

static SmallVector<AxisRefAttr> freeAxes(ManualComputationOp op,
                                         ArrayRef<AxisRefAttr> axes) {
  return llvm::filter_to_vector(
      axes, [&](AxisRefAttr axis) { return !op.isManualAxis(axis.getName()); });
}

/// The part of a global sharding that applies in the body.
static TensorShardingAttr withoutManualAxes(ManualComputationOp op,
                                            TensorShardingAttr sharding) {
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : sharding.getDimShardings()) {
    SmallVector<AxisRefAttr> axes = freeAxes(op, dim.getAxes());
    // A closed dimension without axes must not have a priority.
    std::optional<int64_t> priority = dim.getPriority();
    if (axes.empty() && dim.getIsClosed())
      priority = std::nullopt;
    dims.push_back(DimensionShardingAttr::get(op.getContext(), axes,
                                              dim.getIsClosed(), priority));
  }
  return TensorShardingAttr::get(op.getContext(), sharding.getMeshOrRef(), dims,
                                 freeAxes(op, sharding.getReplicatedAxes()), {},
                                 ReductionOp::SUM)
      .withUnreducedAxes(freeAxes(op, sharding.getUnreducedAxes()),
                         sharding.getReductionOp());
}

/// The global sharding: the manual axes of `outer`, then the free axes of
/// `inner`.
static TensorShardingAttr withManualAxes(ManualComputationOp op,
                                         TensorShardingAttr outer,
                                         TensorShardingAttr inner) {
  // A maximal sharding has rank 0 and no axes.
  if (outer.getRank() != inner.getRank())
    return inner;
  SmallVector<DimensionShardingAttr> dims;
  for (auto [outerDim, innerDim] :
       llvm::zip_equal(outer.getDimShardings(), inner.getDimShardings())) {
    SmallVector<AxisRefAttr> axes =
        llvm::filter_to_vector(outerDim.getAxes(), [&](AxisRefAttr axis) {
          return op.isManualAxis(axis.getName());
        });
    llvm::append_range(axes, innerDim.getAxes());
    dims.push_back(DimensionShardingAttr::get(
        op.getContext(), axes, innerDim.getIsClosed(), innerDim.getPriority()));
  }
  return outer.withDimShardings(dims);
}

TensorShardingAttr
ManualComputationOp::getInShardingWithoutManualAxes(int64_t operand) {
  return withoutManualAxes(*this, getInSharding(operand));
}

TensorShardingAttr
ManualComputationOp::getOutShardingWithoutManualAxes(int64_t result) {
  return withoutManualAxes(*this, getOutSharding(result));
}

void ManualComputationOp::setInSharding(int64_t operand,
                                        TensorShardingAttr sharding) {
  setInShardingsAttr(getInShardings().withSharding(operand, sharding));
}

void ManualComputationOp::setOutSharding(int64_t result,
                                         TensorShardingAttr sharding) {
  setOutShardingsAttr(getOutShardings().withSharding(result, sharding));
}

void ManualComputationOp::setInShardingAddingManualAxes(
    int64_t operand, TensorShardingAttr sharding) {
  setInSharding(operand,
                withManualAxes(*this, getInSharding(operand), sharding));
}

void ManualComputationOp::setOutShardingAddingManualAxes(
    int64_t result, TensorShardingAttr sharding) {
  setOutSharding(result,
                 withManualAxes(*this, getOutSharding(result), sharding));
}

ArrayRef<BlockArgument> ManualComputationOp::getBlockArgumentEdgeOwners() {
  return getBody().getArguments();
}

ResultRange ManualComputationOp::getOpResultEdgeOwners() {
  return getOperation()->getResults();
}

SmallVector<TensorShardingAttr>
ManualComputationOp::getBlockArgumentEdgeOwnerShardings() {
  SmallVector<TensorShardingAttr> shardings;
  for (TensorShardingAttr sharding : getInShardings())
    shardings.push_back(withoutManualAxes(*this, sharding));
  return shardings;
}

void ManualComputationOp::setBlockArgumentEdgeOwnerShardings(
    ArrayRef<TensorShardingAttr> shardings) {
  SmallVector<TensorShardingAttr> global;
  for (auto [outer, inner] : llvm::zip_equal(getInShardings(), shardings))
    global.push_back(withManualAxes(*this, outer, inner));
  setInShardingsAttr(TensorShardingPerValueAttr::get(getContext(), global));
}

SmallVector<TensorShardingAttr>
ManualComputationOp::getOpResultEdgeOwnerShardings() {
  return llvm::to_vector(getOutShardings().getShardings());
}

void ManualComputationOp::setOpResultEdgeOwnerShardings(
    ArrayRef<TensorShardingAttr> shardings) {
  setOutShardingsAttr(TensorShardingPerValueAttr::get(getContext(), shardings));
}

/// Edges of an op with one region: operand i -> block argument i, and
/// terminator operand i -> result i.
template <typename OpT>
static SmallVector<OpOperand *> regionEdgeSources(OpT op, Value owner) {
  if (auto result = dyn_cast<OpResult>(owner))
    return {&op.getTerminator()->getOpOperand(result.getResultNumber())};
  unsigned i = cast<BlockArgument>(owner).getArgNumber();
  return {&op->getOpOperand(i)};
}

template <typename OpT>
static Value regionEdgeOwner(OpT op, OpOperand &source) {
  unsigned i = source.getOperandNumber();
  if (source.getOwner() == op.getOperation())
    return op.getBody().getArgument(i);
  return op->getResult(i);
}

SmallVector<OpOperand *> ManualComputationOp::getEdgeSources(Value owner) {
  return regionEdgeSources(*this, owner);
}

Value ManualComputationOp::getEdgeOwnerFromTarget(Value target) {
  return target; // every target is the owner of its edge
}

Value ManualComputationOp::getEdgeOwnerFromSource(OpOperand &source) {
  return regionEdgeOwner(*this, source);
}

// The edge of a block argument stores the sharding inside the body while its
// source is outside; the edge of a result stores the sharding outside while its
// source is in the body.
TensorShardingAttr ManualComputationOp::transformTargetSharding(
    Value target, TensorShardingAttr sharding,
    DataFlowShardingTransformType type) {
  bool before = type == DataFlowShardingTransformType::kBeforeEdgePropagation;
  if (auto argument = dyn_cast<BlockArgument>(target)) {
    TensorShardingAttr outer = getInSharding(argument.getArgNumber());
    return before ? withManualAxes(*this, outer, sharding)
                  : withoutManualAxes(*this, sharding);
  }
  TensorShardingAttr outer =
      getOutSharding(cast<OpResult>(target).getResultNumber());
  return before ? withoutManualAxes(*this, sharding)
                : withManualAxes(*this, outer, sharding);
}

bool ManualComputationOp::shouldKeepEdgeOwnerShardingsDivisible() {
  return true;
}

//===----------------------------------------------------------------------===//
// NamedComputationOp
//===----------------------------------------------------------------------===//

LogicalResult NamedComputationOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  if (regions.size() != 1 || regions[0]->empty())
    return emitOptionalError(location, "expected a region with one block");
  Block &body = regions[0]->front();
  if (!body.mightHaveTerminator())
    return emitOptionalError(location, "expected a terminator");
  llvm::append_range(types, body.getTerminator()->getOperandTypes());
  return success();
}

ReturnOp NamedComputationOp::getTerminator() {
  return cast<ReturnOp>(getBody().front().getTerminator());
}

ArrayRef<BlockArgument> NamedComputationOp::getBlockArgumentEdgeOwners() {
  return getBody().getArguments();
}

ResultRange NamedComputationOp::getOpResultEdgeOwners() {
  return getOperation()->getResults();
}

static SmallVector<TensorShardingAttr>
toVector(std::optional<TensorShardingPerValueAttr> shardings) {
  if (!shardings)
    return {};
  return llvm::to_vector(shardings->getShardings());
}

SmallVector<TensorShardingAttr>
NamedComputationOp::getBlockArgumentEdgeOwnerShardings() {
  return toVector(getInShardings());
}

void NamedComputationOp::setBlockArgumentEdgeOwnerShardings(
    ArrayRef<TensorShardingAttr> shardings) {
  setInShardingsAttr(TensorShardingPerValueAttr::get(getContext(), shardings));
}

SmallVector<TensorShardingAttr>
NamedComputationOp::getOpResultEdgeOwnerShardings() {
  return toVector(getOutShardings());
}

void NamedComputationOp::setOpResultEdgeOwnerShardings(
    ArrayRef<TensorShardingAttr> shardings) {
  setOutShardingsAttr(TensorShardingPerValueAttr::get(getContext(), shardings));
}

SmallVector<OpOperand *> NamedComputationOp::getEdgeSources(Value owner) {
  return regionEdgeSources(*this, owner);
}

Value NamedComputationOp::getEdgeOwnerFromTarget(Value target) {
  return target;
}

Value NamedComputationOp::getEdgeOwnerFromSource(OpOperand &source) {
  return regionEdgeOwner(*this, source);
}

//===----------------------------------------------------------------------===//
// DataFlowEdgeOp
//===----------------------------------------------------------------------===//

DataFlowEdgeOp DataFlowEdgeOp::lookup(Value owner) {
  if (!owner || !owner.hasOneUse())
    return nullptr;
  return dyn_cast<DataFlowEdgeOp>(*owner.user_begin());
}

TensorShardingAttr
DataFlowEdgeOp::transformTargetSharding(TensorShardingAttr sharding,
                                        DataFlowShardingTransformType type) {
  ShardableDataFlowOpInterface op = getDataFlowOp(getInput());
  if (!sharding || !op)
    return sharding;
  return op.transformTargetSharding(getInput(), sharding, type);
}

SmallVector<OpOperand *> DataFlowEdgeOp::getSources() {
  ShardableDataFlowOpInterface op = getDataFlowOp(getInput());
  return op ? op.getEdgeSources(getInput()) : SmallVector<OpOperand *>();
}

SmallVector<Value> DataFlowEdgeOp::getNonOwnerTargets() {
  ShardableDataFlowOpInterface op = getDataFlowOp(getInput());
  return op ? op.getNonEdgeOwnerTargets(getInput()) : SmallVector<Value>();
}

} // namespace shardwright::sdy
