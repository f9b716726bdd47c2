//===- type_syntax.cc - text of types -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace shardwright::vhlo {

//===----------------------------------------------------------------------===//
// Lists of types
//===----------------------------------------------------------------------===//

/// `<type, ...>`
static ParseResult parseTypes(AsmParser &p, SmallVectorImpl<Type> &types) {
  return p.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
    return p.parseType(types.emplace_back());
  });
}
static void printTypes(AsmPrinter &p, ArrayRef<Type> types) {
  p << '<';
  llvm::interleaveComma(types, p);
  p << '>';
}

Type TupleV1Type::parse(AsmParser &p) {
  SmallVector<Type> types;
  return parseTypes(p, types) ? Type() : get(p.getContext(), types);
}
void TupleV1Type::print(AsmPrinter &p) const { printTypes(p, getTypes()); }

Type FutureV1Type::parse(AsmParser &p) {
  SmallVector<Type> types;
  return parseTypes(p, types) ? Type() : get(p.getContext(), types);
}
void FutureV1Type::print(AsmPrinter &p) const { printTypes(p, getTypes()); }

Type FunctionV1Type::parse(AsmParser &p) {
  SmallVector<Type> inputs, outputs;
  auto parseInput = [&] { return p.parseType(inputs.emplace_back()); };
  if (p.parseLess() ||
      p.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput) ||
      p.parseArrow())
    return {};
  // One output needs no parentheses.
  if (succeeded(p.parseOptionalLParen())) {
    if (failed(p.parseOptionalRParen()))
      if (p.parseTypeList(outputs) || p.parseRParen())
        return {};
  } else if (p.parseType(outputs.emplace_back())) {
    return {};
  }
  if (p.parseGreater())
    return {};
  return get(p.getContext(), inputs, outputs);
}
void FunctionV1Type::print(AsmPrinter &p) const {
  p << "<(";
  llvm::interleaveComma(getInputs(), p);
  p << ") -> ";
  if (getOutputs().size() == 1) {
    p << getOutputs().front() << '>';
    return;
  }
  p << '(';
  llvm::interleaveComma(getOutputs(), p);
  p << ")>";
}

Type ComplexV1Type::parse(AsmParser &p) {
  Type element;
  if (p.parseLess() || p.parseType(element) || p.parseGreater())
    return {};
  return get(p.getContext(), element);
}
void ComplexV1Type::print(AsmPrinter &p) const {
  p << '<' << getElementType() << '>';
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static void printShape(AsmPrinter &p, ArrayRef<int64_t> shape) {
  for (int64_t dim : shape) {
    if (ShapedType::isDynamic(dim))
      p << '?';
    else
      p << dim;
    p << 'x';
  }
}

Type RankedTensorV1Type::parse(AsmParser &p) {
  SmallVector<int64_t> shape;
  Type element;
  Attribute encoding;
  if (p.parseLess() || p.parseDimensionList(shape) || p.parseType(element))
    return {};
  if (succeeded(p.parseOptionalComma()) && p.parseAttribute(encoding))
    return {};
  if (p.parseGreater())
    return {};
  return get(p.getContext(), shape, element, encoding);
}
void RankedTensorV1Type::print(AsmPrinter &p) const {
  p << '<';
  printShape(p, getShape());
  p << getElementType();
  if (getEncoding())
    p << ", " << getEncoding();
  p << '>';
}

Type RankedBufferV1Type::parse(AsmParser &p) {
  SmallVector<int64_t> shape;
  Type element;
  if (p.parseLess() || p.parseDimensionList(shape) || p.parseType(element) ||
      p.parseGreater())
    return {};
  return get(p.getContext(), shape, element);
}
void RankedBufferV1Type::print(AsmPrinter &p) const {
  p << '<';
  printShape(p, getShape());
  p << getElementType() << '>';
}

Type UnrankedTensorV1Type::parse(AsmParser &p) {
  Type element;
  if (p.parseLess() || p.parseType(element) || p.parseGreater())
    return {};
  return get(p.getContext(), element);
}
void UnrankedTensorV1Type::print(AsmPrinter &p) const {
  p << '<' << getElementType() << '>';
}

//===----------------------------------------------------------------------===//
// Quantized types: <storage:expressed, scale:zero point, min:max, flags>, and
// with an axis <storage:expressed, axis, [scale, ...], [zero point, ...],
// min:max, flags>
//===----------------------------------------------------------------------===//

/// `, min:max, flags>`
static ParseResult parseStorage(AsmParser &p, int64_t &min, int64_t &max,
                                uint64_t &flags) {
  return failure(p.parseComma() || p.parseInteger(min) || p.parseColon() ||
                 p.parseInteger(max) || p.parseComma() ||
                 p.parseInteger(flags) || p.parseGreater());
}

Type UniformQuantizedV1Type::parse(AsmParser &p) {
  Type storage, expressed;
  double scale = 0;
  int64_t zero = 0, min = 0, max = 0;
  uint64_t flags = 0;
  if (p.parseLess() || p.parseType(storage) || p.parseColon() ||
      p.parseType(expressed) || p.parseComma() || p.parseFloat(scale) ||
      p.parseColon() || p.parseInteger(zero) ||
      parseStorage(p, min, max, flags))
    return {};
  return get(p.getContext(), flags, storage, expressed, APFloat(scale), zero,
             min, max);
}
void UniformQuantizedV1Type::print(AsmPrinter &p) const {
  p << '<' << getStorageType() << ':' << getExpressedType() << ", "
    << getScale() << ':' << getZeroPoint() << ", " << getStorageTypeMin() << ':'
    << getStorageTypeMax() << ", " << getFlags() << '>';
}

Type UniformQuantizedPerAxisV1Type::parse(AsmParser &p) {
  Type storage, expressed;
  uint64_t axis = 0, flags = 0;
  SmallVector<APFloat> scales;
  SmallVector<int64_t> zeros;
  int64_t min = 0, max = 0;
  auto parseScale = [&]() -> ParseResult {
    double scale = 0;
    if (p.parseFloat(scale))
      return failure();
    scales.push_back(APFloat(scale));
    return success();
  };
  auto parseZero = [&] { return p.parseInteger(zeros.emplace_back()); };
  if (p.parseLess() || p.parseType(storage) || p.parseColon() ||
      p.parseType(expressed) || p.parseComma() || p.parseInteger(axis) ||
      p.parseComma() ||
      p.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseScale) ||
      p.parseComma() ||
      p.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseZero) ||
      parseStorage(p, min, max, flags))
    return {};
  return get(p.getContext(), flags, storage, expressed, axis, min, max, scales,
             zeros);
}
void UniformQuantizedPerAxisV1Type::print(AsmPrinter &p) const {
  p << '<' << getStorageType() << ':' << getExpressedType() << ", "
    << getQuantizedDimension() << ", [";
  llvm::interleaveComma(getScales(), p,
                        [&](const APFloat &scale) { p << scale; });
  p << "], [";
  llvm::interleaveComma(getZeroPoints(), p);
  p << "], " << getStorageTypeMin() << ':' << getStorageTypeMax() << ", "
    << getFlags() << '>';
}

} // namespace shardwright::vhlo
