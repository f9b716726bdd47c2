//===- ops_text.cc - custom text of constant, reduce and while ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/reduction.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/dialect/stablehlo/text/assembly.h"

using namespace mlir;

namespace shardwright::stablehlo {

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

void ConstantOp::build(OpBuilder &, OperationState &state, Attribute value) {
  auto elements = cast<ElementsAttr>(value);
  state.getOrAddProperties<Properties>().value = elements;
  state.addTypes(elements.getType());
}

void ConstantOp::getAsmResultNames(
    function_ref<void(Value, StringRef)> setName) {
  Type element = getElementTypeOrSelf(getType());
  setName(getResult(), isa<IntegerType>(element) ? "c" : "cst");
}

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  // The value may replace the result only if their types are equal.
  return getValue().getType() == getType() ? OpFoldResult(getValueAttr())
                                           : OpFoldResult();
}

// `{discardable} dense<..> : type`, or the generic form `() <{value = ..}> : ()
// -> type`.
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseRParen())
      return failure();
    if (succeeded(parser.parseOptionalLess())) {
      DictionaryAttr dictionary;
      if (parser.parseAttribute(dictionary) || parser.parseGreater())
        return failure();
      result.propertiesAttr = dictionary;
    }
    FunctionType type;
    if (parser.parseOptionalAttrDict(result.attributes) ||
        parser.parseColonType(type))
      return failure();
    result.addTypes(type.getResults());
    return success();
  }
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value))
    return failure();
  properties.value = value;
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() != getType()) {
    printer << "() <{value = " << getValueAttr() << "}>";
    printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
    printer << " : ";
    printer.printFunctionalType(*this);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  printer.printAttribute(getValueAttr());
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

// The only op of the region, if it is a commutative StableHLO op on the two
// arguments in order; null otherwise.
static Operation *innerOpOfCompactForm(ReduceOp op) {
  if (!op.getBody().hasOneBlock() || op.getInputs().empty())
    return nullptr;
  Block &block = op.getBody().front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation &inner = block.front(), &last = block.back();
  if (!isa<ReturnOp>(last) || inner.getDialect() != op->getDialect() ||
      !inner.hasTrait<OpTrait::IsCommutative>() ||
      inner.getNumOperands() != 2 || inner.getNumResults() != 1 ||
      inner.getNumRegions() != 0)
    return nullptr;
  auto input = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  if (!input)
    return nullptr;
  auto scalar = RankedTensorType::get({}, input.getElementType());
  if (inner.getResult(0).getType() != scalar ||
      inner.getOperand(0).getType() != scalar ||
      inner.getOperand(1).getType() != scalar)
    return nullptr;
  if (inner.getOperand(0) != block.getArgument(0) ||
      inner.getOperand(1) != block.getArgument(1))
    return nullptr;
  if (last.getNumOperands() != 1 || last.getOperand(0) != inner.getResult(0))
    return nullptr;
  return &inner;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  size_t pairs = getInputs().size();
  printer << '(';
  for (size_t i = 0; i < pairs; ++i)
    printer << (i ? ", (" : "") << getInputs()[i]
            << " init: " << getInitValues()[i] << ')';
  if (pairs == 0)
    printer << ')';
  Operation *inner = innerOpOfCompactForm(*this);
  if (inner)
    printer << " applies " << inner->getName().getStringRef();
  printer << " across dimensions = ";
  printDenseI64Array(printer, *this, getDimensionsAttr());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (inner)
    return;
  printer.printNewline();
  printer << " reducer";
  // Pairs of an element and its accumulator; the block lists all elements
  // first.
  Block &block = getBody().front();
  size_t half = block.getNumArguments() / 2;
  for (size_t i = 0; i < half; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + half));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  auto parsePair = [&]() -> ParseResult {
    if (parser.parseLParen())
      return failure();
    // No pairs: `()`.
    if (inputs.empty() && succeeded(parser.parseOptionalRParen()))
      return success();
    return failure(parser.parseOperand(inputs.emplace_back()) ||
                   parser.parseKeyword("init") || parser.parseColon() ||
                   parser.parseOperand(inits.emplace_back()) ||
                   parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parsePair))
    return failure();

  std::optional<OperationName> inner;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    SMLoc nameLoc = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    if (!name->isRegistered() || !name->hasTrait<OpTrait::IsCommutative>() ||
        name->getDialectNamespace() != StablehloDialect::getDialectNamespace())
      return parser.emitError(nameLoc)
             << "expected the inner-op to be a commutative binary-op from the "
                "stablehlo dialect, with zero region, producing single result";
    inner = *name;
  }
  DenseI64ArrayAttr dimensions;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() || parseDenseI64Array(parser, dimensions))
    return failure();
  NamedAttrList attributes;
  if (parser.parseOptionalAttrDict(attributes) || parser.parseColon())
    return failure();
  SMLoc typeLoc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  result.attributes = std::move(attributes);
  result.getOrAddProperties<Properties>().dimensions = dimensions;

  SmallVector<OpAsmParser::UnresolvedOperand> operands(inputs);
  llvm::append_range(operands, inits);
  if (parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());

  Region &body = *result.addRegion();
  if (!inner) {
    SmallVector<OpAsmParser::Argument> elements, accumulators;
    if (parser.parseKeyword("reducer"))
      return failure();
    while (succeeded(parser.parseOptionalLParen()))
      if (parser.parseArgument(elements.emplace_back(), /*allowType=*/true) ||
          parser.parseComma() ||
          parser.parseArgument(accumulators.emplace_back(),
                               /*allowType=*/true) ||
          parser.parseRParen())
        return failure();
    llvm::append_range(elements, accumulators);
    return parser.parseRegion(body, elements);
  }

  if (type.getNumInputs() != 2)
    return parser.emitError(
        typeLoc, "expected one input and one init value in the compact form");
  auto input = dyn_cast<RankedTensorType>(type.getInput(0));
  if (!input)
    return parser.emitError(typeLoc,
                            "expected a ranked tensor as the input of reduce");
  auto scalar = RankedTensorType::get({}, input.getElementType());
  Location at = parser.getEncodedSourceLoc(loc);
  OpBuilder builder(parser.getContext());
  Block *block = builder.createBlock(&body, {}, {scalar, scalar}, {at, at});
  OperationState state(at, *inner);
  state.addOperands(block->getArguments());
  state.addTypes(scalar);
  Operation *op = builder.create(state);
  ReturnOp::create(builder, at, op->getResults());
  // A `loc(..)` after the op also applies to the inner ops; the parser sets it
  // on the op.
  return success();
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperands()),
                        printer, [&](auto pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = ";
                          printer.printOperand(std::get<1>(pair));
                        });
  printer << ')';
  if (getNumOperands()) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  // The body's arguments have the names of the condition's.
  if (getBody().getNumArguments() == getCond().getNumArguments())
    printer.shadowRegionArgs(getBody(), ValueRange(getCond().getArguments()));
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parsePair))
    return failure();
  SmallVector<Type> types;
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  result.addTypes(types);
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  if (parser.parseKeyword("cond") ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseKeyword("do") ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  return success();
}

void ReturnOp::build(OpBuilder &, OperationState &) {}

} // namespace shardwright::stablehlo
