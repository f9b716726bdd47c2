//===- conv_dimension_numbers.cc - text of convolution dimensions ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/dialect/stablehlo/text/assembly.h"

using namespace mlir;

namespace shardwright::stablehlo {

namespace {

// Positions of a tensor's two named dimensions and its spatial ones.
struct DimensionRoles {
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;
};

// `[b, 0, 1, f]`: a letter for each named dimension, a number for each spatial
// one, `?` for a dimension without a role.
ParseResult parseRoles(AsmParser &parser, char first, char second,
                       DimensionRoles &roles) {
  SMLoc listLoc = parser.getCurrentLocation();
  SmallVector<std::pair<int64_t, int64_t>> spatial; // number, position
  int64_t position = 0;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t at = position++, number;
    if (succeeded(parser.parseOptionalQuestion()))
      return success();
    OptionalParseResult integer = parser.parseOptionalInteger(number);
    if (integer.has_value()) {
      if (failed(*integer))
        return failure();
      if (number < 0)
        return parser.emitError(loc) << "Unexpected dimension " << number;
      if (llvm::any_of(spatial,
                       [&](auto entry) { return entry.first == number; }))
        return parser.emitError(loc)
               << "Duplicate entries for spatial dimension " << number;
      spatial.push_back({number, at});
      return success();
    }
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    if (keyword.size() == 1 && keyword[0] == first && roles.first < 0)
      roles.first = at;
    else if (keyword.size() == 1 && keyword[0] == second && roles.second < 0)
      roles.second = at;
    else if (roles.first < 0)
      return parser.emitError(loc) << "Unexpected dimension " << keyword
                                   << ", expecting " << Twine(first);
    else
      return parser.emitError(loc) << "Unexpected dimension " << keyword
                                   << ", expecting " << Twine(second);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  if (roles.first < 0 || roles.second < 0)
    return parser.emitError(listLoc)
           << "Expected dimensions " << Twine(roles.first < 0 ? first : second)
           << " not specified";
  llvm::sort(spatial);
  for (auto [index, entry] : llvm::enumerate(spatial)) {
    if (entry.first != static_cast<int64_t>(index))
      return parser.emitError(listLoc)
             << "Expected spatial dimensions " << index << " not specified";
    roles.spatial.push_back(entry.second);
  }
  return success();
}

void printRoles(AsmPrinter &printer, char first, char second, int64_t firstDim,
                int64_t secondDim, ArrayRef<int64_t> spatial) {
  // The raw form may hold any position; print only valid ones.
  constexpr int64_t kMaxRank = 1024;
  int64_t rank = 0;
  auto cover = [&](int64_t dim) {
    rank = std::max(rank, std::min(dim, kMaxRank - 1) + 1);
  };
  cover(firstDim);
  cover(secondDim);
  llvm::for_each(spatial, cover);
  constexpr int64_t kUnnamed = -1, kFirst = -2, kSecond = -3;
  SmallVector<int64_t> roles(rank, kUnnamed);
  auto put = [&](int64_t dim, int64_t role) {
    if (dim >= 0 && dim < static_cast<int64_t>(roles.size()))
      roles[dim] = role;
  };
  for (auto [index, dim] : llvm::enumerate(spatial))
    put(dim, index);
  put(firstDim, kFirst);
  put(secondDim, kSecond);
  printer << '[';
  llvm::interleaveComma(roles, printer, [&](int64_t role) {
    if (role == kFirst)
      printer << Twine(first);
    else if (role == kSecond)
      printer << Twine(second);
    else if (role == kUnnamed)
      printer << '?';
    else
      printer << role;
  });
  printer << ']';
}

} // namespace

ParseResult parseConvolutionDimensions(AsmParser &parser,
                                       ConvDimensionNumbersAttr &numbers) {
  DimensionRoles input, kernel, output;
  if (parseRoles(parser, 'b', 'f', input) || parser.parseKeyword("x") ||
      parseRoles(parser, 'i', 'o', kernel) || parser.parseArrow() ||
      parseRoles(parser, 'b', 'f', output))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial,
      kernel.first, kernel.second, kernel.spatial, output.first, output.second,
      output.spatial);
  return success();
}

void printConvolutionDimensions(AsmPrinter &printer, Operation *,
                                ConvDimensionNumbersAttr numbers) {
  printRoles(printer, 'b', 'f', numbers.getInputBatchDimension(),
             numbers.getInputFeatureDimension(),
             numbers.getInputSpatialDimensions());
  printer << 'x';
  printRoles(printer, 'i', 'o', numbers.getKernelInputFeatureDimension(),
             numbers.getKernelOutputFeatureDimension(),
             numbers.getKernelSpatialDimensions());
  printer << "->";
  printRoles(printer, 'b', 'f', numbers.getOutputBatchDimension(),
             numbers.getOutputFeatureDimension(),
             numbers.getOutputSpatialDimensions());
}

// `raw key = value, ..` lists every field.
static ParseResult parseRaw(AsmParser &parser,
                            ConvDimensionNumbersAttr &numbers) {
  int64_t scalars[6] = {};
  SmallVector<int64_t> lists[3];
  constexpr StringLiteral scalarKeys[6] = {
      "input_batch_dimension",          "input_feature_dimension",
      "kernel_input_feature_dimension", "kernel_output_feature_dimension",
      "output_batch_dimension",         "output_feature_dimension"};
  constexpr StringLiteral listKeys[3] = {"input_spatial_dimensions",
                                         "kernel_spatial_dimensions",
                                         "output_spatial_dimensions"};
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    for (int i = 0; i < 6; ++i)
      if (key == scalarKeys[i])
        return parser.parseInteger(scalars[i]);
    for (int i = 0; i < 3; ++i)
      if (key == listKeys[i]) {
        lists[i].clear();
        return parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square,
            [&]() { return parser.parseInteger(lists[i].emplace_back()); });
      }
    return parser.emitError(loc)
           << "unexpected key `" << key << "` in convolution dimension numbers";
  };
  if (parser.parseCommaSeparatedList(parseField))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), scalars[0], scalars[1], lists[0], scalars[2],
      scalars[3], lists[1], scalars[4], scalars[5], lists[2]);
  return success();
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ConvDimensionNumbersAttr numbers;
  if (parser.parseLess())
    return {};
  ParseResult result = succeeded(parser.parseOptionalKeyword("raw"))
                           ? parseRaw(parser, numbers)
                           : parseConvolutionDimensions(parser, numbers);
  if (result || parser.parseGreater())
    return {};
  return numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printConvolutionDimensions(printer, nullptr, *this);
  printer << '>';
}

} // namespace shardwright::stablehlo
