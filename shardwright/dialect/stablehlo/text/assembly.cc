//===- assembly.cc - shared parsers and printers --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/text/assembly.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright::stablehlo {

//===----------------------------------------------------------------------===//
// Lists of integers
//===----------------------------------------------------------------------===//

static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    return parser.parseInteger(values.emplace_back());
  });
}

static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

ParseResult parseOperandsAndComma(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (!result.has_value())
      break;
    if (failed(*result) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
  if (operands.empty())
    (void)parser.parseOptionalComma();
  return success();
}

void printOperandsAndComma(OpAsmPrinter &printer, Operation *,
                           OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  printer << ',';
}

ParseResult parseDenseI64Array(AsmParser &parser, DenseI64ArrayAttr &attr) {
  SmallVector<int64_t> values;
  if (parseIntegers(parser, values))
    return failure();
  attr = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

void printDenseI64Array(OpAsmPrinter &printer, Operation *,
                        DenseI64ArrayAttr attr) {
  printIntegers(printer, attr);
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &start,
                             DenseI64ArrayAttr &limit,
                             DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> starts, limits, steps;
  auto parseRange = [&]() -> ParseResult {
    steps.push_back(1);
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limits.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalColon()))
      return parser.parseInteger(steps.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  start = parser.getBuilder().getDenseI64ArrayAttr(starts);
  limit = parser.getBuilder().getDenseI64ArrayAttr(limits);
  strides = parser.getBuilder().getDenseI64ArrayAttr(steps);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *,
                      DenseI64ArrayAttr start, DenseI64ArrayAttr limit,
                      DenseI64ArrayAttr strides) {
  printer << '[';
  // Lists of different lengths fail the verifier; print the common part.
  llvm::interleaveComma(
      llvm::zip(start.asArrayRef(), limit.asArrayRef(), strides.asArrayRef()),
      printer, [&](auto range) {
        auto [from, to, step] = range;
        printer << from << ':' << to;
        if (step != 1)
          printer << ':' << step;
      });
  printer << ']';
}

ParseResult parseExponentMantissa(AsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  int32_t exponentBits, mantissaBits;
  auto [left, right] = keyword.split('m');
  if (!left.consume_front("e") || left.getAsInteger(10, exponentBits) ||
      right.getAsInteger(10, mantissaBits))
    return parser.emitError(loc)
           << "expected exponent mantissa bits, like 'e5m10', got: '" << keyword
           << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printExponentMantissa(AsmPrinter &printer, Operation *,
                           IntegerAttr exponent, IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

ParseResult parseDotDimensionNumbers(AsmParser &parser,
                                     DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  auto parsePair = [&](SmallVectorImpl<int64_t> &lhs,
                       SmallVectorImpl<int64_t> &rhs) {
    return ParseResult(
        failure(parser.parseEqual() || parseIntegers(parser, lhs) ||
                parser.parseKeyword("x") || parseIntegers(parser, rhs)));
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parsePair(lhsBatching, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parsePair(lhsContracting, rhsContracting))
    return failure();
  numbers =
      DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching,
                                   rhsBatching, lhsContracting, rhsContracting);
  return success();
}

void printDotDimensionNumbers(AsmPrinter &printer, Operation *,
                              DotDimensionNumbersAttr numbers) {
  auto printPair = [&](StringRef key, ArrayRef<int64_t> lhs,
                       ArrayRef<int64_t> rhs) {
    printer << key << " = ";
    printIntegers(printer, lhs);
    printer << " x ";
    printIntegers(printer, rhs);
  };
  if (!numbers.getLhsBatchingDimensions().empty() ||
      !numbers.getRhsBatchingDimensions().empty()) {
    printPair("batching_dims", numbers.getLhsBatchingDimensions(),
              numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printPair("contracting_dims", numbers.getLhsContractingDimensions(),
            numbers.getRhsContractingDimensions());
}

static ParseResult parsePrecisionList(OpAsmParser &parser,
                                      ArrayAttr &precision) {
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Precision> value = symbolizePrecision(keyword);
    if (!value)
      return parser.emitError(loc)
             << "expected a precision (DEFAULT, HIGH or HIGHEST), got '"
             << keyword << "'";
    values.push_back(PrecisionAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return parsePrecisionList(parser, precision);
}

void printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                          ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](Attribute value) {
    printer << stringifyPrecision(cast<PrecisionAttr>(value).getValue());
  });
  printer << ']';
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser,
                                             ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm) {
  auto parseAlgorithm = [&]() -> ParseResult {
    if (parser.parseKeyword("algorithm") || parser.parseEqual())
      return failure();
    return parser.parseCustomAttributeWithFallback(algorithm, Type{});
  };
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("algorithm"))) {
    if (parser.parseEqual())
      return failure();
    return parser.parseCustomAttributeWithFallback(algorithm, Type{});
  }
  if (parsePrecisionList(parser, precision))
    return failure();
  return succeeded(parser.parseOptionalComma()) ? parseAlgorithm()
                                                : ParseResult(success());
}

void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                      ArrayAttr precision,
                                      DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (algorithm) {
    printer << ", algorithm = ";
    printer.printStrippedAttrOrType(algorithm);
  }
}

//===----------------------------------------------------------------------===//
// Windows and calls
//===----------------------------------------------------------------------===//

ParseResult parseWindowAttributes(OpAsmParser &parser,
                                  DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding,
                                  DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation,
                                  DenseBoolArrayAttr &reversal) {
  SmallVector<StringRef> seen;
  auto parsePadding = [&]() -> ParseResult {
    SmallVector<int64_t> values;
    auto parsePair = [&]() -> ParseResult {
      SMLoc loc = parser.getCurrentLocation();
      size_t before = values.size();
      if (parseIntegers(parser, values))
        return failure();
      if (values.size() - before != 2)
        return parser.emitError(loc)
               << "Expected array with 2 elements, got "
               << values.size() - before << " elements instead";
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
      return failure();
    auto type =
        RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2},
                              parser.getBuilder().getI64Type());
    padding = DenseIntElementsAttr::get(type, values);
    return success();
  };
  auto parseReversal = [&]() -> ParseResult {
    SmallVector<bool> values;
    auto parseBool = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalKeyword("true"))) {
        values.push_back(true);
        return success();
      }
      if (succeeded(parser.parseOptionalKeyword("false"))) {
        values.push_back(false);
        return success();
      }
      int64_t value;
      if (parser.parseInteger(value))
        return failure();
      values.push_back(value != 0);
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBool))
      return failure();
    reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
    return success();
  };
  StringRef key;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&key)))
    return success();
  while (true) {
    if (llvm::is_contained(seen, key))
      return parser.emitError(loc) << "Unexpected keyword " << key;
    seen.push_back(key);
    if (parser.parseEqual())
      return failure();
    ParseResult result = failure();
    if (key == "stride")
      result = parseDenseI64Array(parser, strides);
    else if (key == "lhs_dilate")
      result = parseDenseI64Array(parser, lhsDilation);
    else if (key == "rhs_dilate")
      result = parseDenseI64Array(parser, rhsDilation);
    else if (key == "pad")
      result = parsePadding();
    else if (key == "reverse")
      result = parseReversal();
    else
      return parser.emitError(loc) << "Unexpected keyword " << key;
    if (result)
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key))
      return failure();
  }
}

void printWindowAttributes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding,
                           DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation,
                           DenseBoolArrayAttr reversal) {
  StringRef separator;
  auto start = [&](StringRef key) {
    printer << separator << key << " = ";
    separator = ", ";
  };
  if (strides) {
    start("stride");
    printIntegers(printer, strides);
  }
  if (padding) {
    start("pad");
    SmallVector<int64_t> values(padding.getValues<int64_t>());
    printer << '[';
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      printer << (i ? ", " : "") << '[' << values[i] << ", " << values[i + 1]
              << ']';
    printer << ']';
  }
  if (lhsDilation) {
    start("lhs_dilate");
    printIntegers(printer, lhsDilation);
  }
  if (rhsDilation) {
    start("rhs_dilate");
    printIntegers(printer, rhsDilation);
  }
  if (reversal) {
    start("reverse");
    printer << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) {
      printer << (value ? "true" : "false");
    });
    printer << ']';
  }
}

ParseResult parseCustomCallTarget(AsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(AsmPrinter &printer, Operation *,
                           StringAttr target) {
  printer.printSymbolName(target.getValue());
}

} // namespace shardwright::stablehlo
