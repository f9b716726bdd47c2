//===- scan.cc - text and checks of chlo.scan ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "shardwright/dialect/chlo/chlo.h"

using namespace mlir;

namespace shardwright::chlo {

void ScanOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  for (auto [index, argument] : llvm::enumerate(region.getArguments()))
    setName(argument, index < getInputs().size() ? "input" : "carry");
}

// `(%xs) inits (%c) dimension=0  attributes {..} { region } : (..) -> (..)`
void ScanOp::print(OpAsmPrinter &printer) {
  printer << '(' << getInputs() << ") inits (" << getInits()
          << ") dimension=" << getDimension() << ' ';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  IntegerAttr dimension;
  FunctionType type;
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseAttribute(dimension, parser.getBuilder().getI64Type()) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) || parser.parseColon())
    return failure();
  SMLoc typeLoc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  if (type.getNumResults() < inits.size())
    return parser.emitError(typeLoc) << "expected at least " << inits.size()
                                     << " results, one for each init";
  SmallVector<OpAsmParser::UnresolvedOperand> operands(inputs);
  llvm::append_range(operands, inits);
  if (parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  auto &properties = result.getOrAddProperties<Properties>();
  properties.dimension = dimension;
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(inits.size())};
  properties.resultSegmentSizes = {
      static_cast<int32_t>(type.getNumResults() - inits.size()),
      static_cast<int32_t>(inits.size())};
  return success();
}

LogicalResult ScanOp::verify() {
  if (getInputs().empty() && getOutputs().empty())
    return emitOpError("at least one of inputs or outputs must be present");
  if (getInits().size() != getCarries().size())
    return emitOpError("expects as many carries as inits, got ")
           << getCarries().size() << " and " << getInits().size();
  Block &block = getBody().front();
  if (block.getNumArguments() != getNumOperands())
    return emitOpError("expects ")
           << getNumOperands() << " body arguments, got "
           << block.getNumArguments();
  Operation *last = block.getTerminator();
  if (last->getNumOperands() != getNumResults())
    return emitOpError("expects the body to return ")
           << getNumResults() << " values, got " << last->getNumOperands();
  int64_t dimension = getDimension();
  // A slice drops the scan dimension; all scanned values agree on its size.
  std::optional<int64_t> size = getScanDimSize();
  auto checkSlice = [&](Type whole, Type slice,
                        StringRef what) -> LogicalResult {
    auto wholeType = dyn_cast<RankedTensorType>(whole);
    auto sliceType = dyn_cast<RankedTensorType>(slice);
    if (!wholeType || !sliceType)
      return success();
    if (dimension >= wholeType.getRank())
      return emitOpError("scan dimension ")
             << dimension << " is out of range for " << what << " of type "
             << whole;
    SmallVector<int64_t> shape(wholeType.getShape());
    int64_t own = shape[dimension];
    shape.erase(shape.begin() + dimension);
    if (!stablehlo::areCompatible(
            RankedTensorType::get(shape, wholeType.getElementType()),
            sliceType))
      return emitOpError("body ") << what << " of type " << slice
                                  << " does not match a slice of " << whole;
    if (ShapedType::isDynamic(own))
      return success();
    if (size && *size != own)
      return emitOpError("scan dimension sizes differ: ")
             << *size << " and " << own;
    size = own;
    return success();
  };
  for (auto [index, input, argument] : llvm::enumerate(
           getInputs(), block.getArguments().drop_back(getInits().size()))) {
    if (!isa<RankedTensorType>(input.getType()))
      return emitOpError("operand ") << index << " is not ranked";
    if (failed(checkSlice(input.getType(), argument.getType(), "input")))
      return failure();
  }
  for (auto [output, value] : llvm::zip(getOutputs(), last->getOperands()))
    if (failed(checkSlice(output.getType(), value.getType(), "output")))
      return failure();
  for (auto [index, init] : llvm::enumerate(getInits())) {
    Type types[] = {block.getArgument(getInputs().size() + index).getType(),
                    last->getOperand(getOutputs().size() + index).getType(),
                    getCarries()[index].getType()};
    for (Type type : types)
      if (!stablehlo::areCompatible(type, init.getType()))
        return emitOpError("carry ") << index << " has type " << type
                                     << ", its init " << init.getType();
  }
  return success();
}

} // namespace shardwright::chlo
