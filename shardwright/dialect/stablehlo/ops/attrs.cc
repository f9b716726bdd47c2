//===- attrs.cc - text of the structured attributes ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/dialect/stablehlo/dialect.h"
#include "shardwright/dialect/stablehlo/text/field_list.h"

using namespace mlir;

namespace shardwright::stablehlo {

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, batching, indicesBatching, map;
  int64_t indexVectorDim = 0;
  Field fields[] = {{"update_window_dims", &window},
                    {"inserted_window_dims", &inserted},
                    {"input_batching_dims", &batching},
                    {"scatter_indices_batching_dims", &indicesBatching},
                    {"scatter_dims_to_operand_dims", &map},
                    {"index_vector_dim", nullptr, &indexVectorDim}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), window, inserted, batching, indicesBatching,
             map, indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .list("update_window_dims", getUpdateWindowDims())
      .list("inserted_window_dims", getInsertedWindowDims())
      .list("input_batching_dims", getInputBatchingDims())
      .list("scatter_indices_batching_dims", getScatterIndicesBatchingDims())
      .list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims())
      .number("index_vector_dim", getIndexVectorDim());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, batching, indicesBatching, map;
  int64_t indexVectorDim = 0;
  Field fields[] = {{"offset_dims", &offset},
                    {"collapsed_slice_dims", &collapsed},
                    {"operand_batching_dims", &batching},
                    {"start_indices_batching_dims", &indicesBatching},
                    {"start_index_map", &map},
                    {"index_vector_dim", nullptr, &indexVectorDim}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), offset, collapsed, batching, indicesBatching,
             map, indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .list("offset_dims", getOffsetDims())
      .list("collapsed_slice_dims", getCollapsedSliceDims())
      .list("operand_batching_dims", getOperandBatchingDims())
      .list("start_indices_batching_dims", getStartIndicesBatchingDims())
      .list("start_index_map", getStartIndexMap())
      .number("index_vector_dim", getIndexVectorDim());
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  Field fields[] = {{"lhs_batching_dimensions", &lhsBatching},
                    {"rhs_batching_dimensions", &rhsBatching},
                    {"lhs_contracting_dimensions", &lhsContracting},
                    {"rhs_contracting_dimensions", &rhsContracting}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting,
             rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .list("lhs_batching_dimensions", getLhsBatchingDimensions())
      .list("rhs_batching_dimensions", getRhsBatchingDimensions())
      .list("lhs_contracting_dimensions", getLhsContractingDimensions())
      .list("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> outputIndices, operandIndices;
  int64_t operandIndex = 0;
  if (parser.parseLess() || parser.parseKeyword("output_tuple_indices") ||
      parser.parseEqual() || parseIntList(parser, outputIndices) ||
      parser.parseComma() || parser.parseKeyword("operand_index") ||
      parser.parseEqual() || parser.parseInteger(operandIndex) ||
      parser.parseComma() || parser.parseKeyword("operand_tuple_indices") ||
      parser.parseEqual() || parseIntList(parser, operandIndices) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), outputIndices, operandIndex, operandIndices);
}

void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  printer << "<output_tuple_indices = [";
  llvm::interleaveComma(getOutputTupleIndices(), printer);
  printer << "], operand_index = " << getOperandIndex()
          << ", operand_tuple_indices = [";
  llvm::interleaveComma(getOperandTupleIndices(), printer);
  printer << "]>";
}

//===----------------------------------------------------------------------===//
// Result accuracy
//===----------------------------------------------------------------------===//

ResultAccuracyAttr defaultResultAccuracy(MLIRContext *context,
                                         ResultAccuracyMode mode) {
  return ResultAccuracyAttr::get(context, APFloat(0.0), APFloat(0.0), 0,
                                 ResultAccuracyModeAttr::get(context, mode));
}

LogicalResult
ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           APFloat atol, APFloat rtol, int64_t ulps,
                           ResultAccuracyModeAttr mode) {
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "Negative tolerance";
  if (mode.getValue() != ResultAccuracyMode::TOLERANCE &&
      (!atol.isZero() || !rtol.isZero() || ulps != 0))
    return emitError() << "Invalid tolerances for ResultAccuracyAttr with mode "
                       << stringifyResultAccuracyMode(mode.getValue())
                       << ", must be all zero.";
  return success();
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  SMLoc loc = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    SMLoc keyLoc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key == "atol")
      return parser.parseFloat(atol);
    if (key == "rtol")
      return parser.parseFloat(rtol);
    if (key == "ulps")
      return parser.parseInteger(ulps);
    if (key == "mode")
      return parser.parseAttribute(mode);
    return parser.emitError(keyLoc)
           << "expected one of: `atol`, `rtol`, `ulps`, `mode`";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  if (!mode) {
    parser.emitError(loc) << "result accuracy needs a mode";
    return {};
  }
  auto emitError = [&]() { return parser.emitError(loc); };
  return getChecked(function_ref<InFlightDiagnostic()>(emitError),
                    parser.getContext(), APFloat(atol), APFloat(rtol), ulps,
                    mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  if (!getAtol().isZero())
    fields.start("atol") << getAtol();
  if (!getRtol().isZero())
    fields.start("rtol") << getRtol();
  fields.number("ulps", getUlps());
  fields.start("mode") << getMode();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

ParseResult parseBounds(AsmParser &parser, AsmParser::Delimiter delimiter,
                        SmallVectorImpl<int64_t> &bounds) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      bounds.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(bounds.emplace_back());
  });
}

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  if (parseBounds(parser, AsmParser::Delimiter::LessGreater, bounds))
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << '>';
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  // The parser calls this even if it found no element type.
  if (!elementType)
    return emitError() << "bounds need an element type";
  if (getBounds().size() != shape.size())
    return emitError() << "Bounds length is " << getBounds().size()
                       << ", expected to be equal to rank(" << shape.size()
                       << ") of the tensor "
                       << RankedTensorType::get(shape, elementType);
  for (auto [dim, size, bound] : llvm::enumerate(shape, getBounds())) {
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size))
      return emitError()
             << "Static dimension " << dim << " cannot have a bound, use "
             << "ShapedType::kDynamic to indicate a missing bound in tensor "
             << RankedTensorType::get(shape, elementType);
    if (!ShapedType::isDynamic(bound) && bound < 0)
      return emitError() << "Bound of dimension " << dim
                         << " must not be negative, got " << bound;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Type> types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return emitError() << "future element type must be a ranked tensor, but "
                            "got "
                         << type;
  return success();
}

} // namespace shardwright::stablehlo
