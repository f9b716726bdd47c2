//===- attr_syntax.cc - text of attributes ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace shardwright::vhlo {

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// `name` `=`
static ParseResult parseField(AsmParser &p, StringRef name) {
  return failure(p.parseKeyword(name) || p.parseEqual());
}

/// `[1, ?]`, where `?` means no bound.
static ParseResult parseDims(AsmParser &p, SmallVectorImpl<int64_t> &dims) {
  return p.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    if (succeeded(p.parseOptionalQuestion())) {
      dims.push_back(ShapedType::kDynamic);
      return ParseResult(success());
    }
    return p.parseInteger(dims.emplace_back());
  });
}

static void printDims(AsmPrinter &p, ArrayRef<int64_t> dims) {
  p << '[';
  llvm::interleaveComma(dims, p, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      p << '?';
    else
      p << dim;
  });
  p << ']';
}

/// Parses a type of this dialect by its full name.
static ParseResult parseElement(AsmParser &p, Type &type, Type &builtin) {
  SMLoc loc = p.getCurrentLocation();
  if (p.parseType(type))
    return failure();
  builtin = builtinElement(type);
  if (!builtin)
    return p.emitError(loc) << "expected an element type of vhlo, got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Attribute ArrayV1Attr::parse(AsmParser &p, Type) {
  SmallVector<Attribute> list;
  if (p.parseLess() ||
      p.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return p.parseAttribute(list.emplace_back()); }) ||
      p.parseGreater())
    return {};
  return get(p.getContext(), list);
}
void ArrayV1Attr::print(AsmPrinter &p) const {
  p << "<[";
  llvm::interleaveComma(getValue(), p);
  p << "]>";
}

Attribute BooleanV1Attr::parse(AsmParser &p, Type) {
  bool value = false;
  if (p.parseLess())
    return {};
  if (succeeded(p.parseOptionalKeyword("true")))
    value = true;
  else if (p.parseKeyword("false"))
    return {};
  if (p.parseGreater())
    return {};
  return get(p.getContext(), value);
}
void BooleanV1Attr::print(AsmPrinter &p) const {
  p << (getValue() ? "<true>" : "<false>");
}

Attribute DictionaryV1Attr::parse(AsmParser &p, Type) {
  SmallVector<std::pair<Attribute, Attribute>> entries;
  auto parseEntry = [&]() -> ParseResult {
    auto &[name, value] = entries.emplace_back();
    return failure(p.parseAttribute(name) || p.parseEqual() ||
                   p.parseAttribute(value));
  };
  if (p.parseLess() ||
      p.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseEntry) ||
      p.parseGreater())
    return {};
  return get(p.getContext(), entries);
}
void DictionaryV1Attr::print(AsmPrinter &p) const {
  p << "<{";
  llvm::interleaveComma(getValue(), p, [&](const auto &entry) {
    p << entry.first << " = " << entry.second;
  });
  p << "}>";
}

Attribute FloatV1Attr::parse(AsmParser &p, Type) {
  Type type, builtin;
  // The value precedes its type: parse it as f64, then round.
  double number = 0;
  if (p.parseLess() || p.parseFloat(number) || p.parseColon())
    return {};
  SMLoc loc = p.getCurrentLocation();
  if (parseElement(p, type, builtin) || p.parseGreater())
    return {};
  auto floating = dyn_cast<FloatType>(builtin);
  if (!floating) {
    p.emitError(loc) << "expected a floating point type";
    return {};
  }
  APFloat value(number);
  bool inexact = false;
  value.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &inexact);
  return get(p.getContext(), type, value);
}
void FloatV1Attr::print(AsmPrinter &p) const {
  p << '<' << getValue() << " : " << getType() << '>';
}

// With the builtin type: `<1 : i64>`.
Attribute IntegerV1Attr::parse(AsmParser &p, Type) {
  APInt value;
  Type builtin;
  if (p.parseLess() || p.parseInteger(value) || p.parseColon())
    return {};
  SMLoc loc = p.getCurrentLocation();
  if (p.parseType(builtin) || p.parseGreater())
    return {};
  Type type = vhlo::elementFromBuiltin(builtin);
  if (!type || !isa<IntegerType, IndexType>(builtin)) {
    p.emitError(loc) << "expected an integer type of vhlo";
    return {};
  }
  unsigned width = builtin.isIndex() ? 64 : builtin.getIntOrFloatBitWidth();
  return get(p.getContext(), type, value.sextOrTrunc(width));
}
void IntegerV1Attr::print(AsmPrinter &p) const {
  Type builtin = builtinElement(getType());
  p << '<';
  getValue().print(p.getStream(), !builtin || !builtin.isUnsignedInteger());
  p << " : " << builtin << '>';
}

Attribute StringV1Attr::parse(AsmParser &p, Type) {
  std::string value;
  if (p.parseLess() || p.parseString(&value) || p.parseGreater())
    return {};
  return get(p.getContext(), value);
}
void StringV1Attr::print(AsmPrinter &p) const {
  p << '<';
  p.printString(getValue());
  p << '>';
}

Attribute TensorV1Attr::parse(AsmParser &p, Type) {
  ElementsAttr value;
  SMLoc loc = p.getCurrentLocation();
  if (p.parseLess() || p.parseAttribute(value) || p.parseGreater())
    return {};
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(value)) {
    p.emitError(loc) << "elements of a tensor_v1 must be dense";
    return {};
  }
  return get(p.getContext(), value);
}
void TensorV1Attr::print(AsmPrinter &p) const {
  p << '<' << getElements() << '>';
}

Attribute TypeV1Attr::parse(AsmParser &p, Type) {
  Type value;
  if (p.parseLess() || p.parseType(value) || p.parseGreater())
    return {};
  return get(p.getContext(), value);
}
void TypeV1Attr::print(AsmPrinter &p) const { p << '<' << getValue() << '>'; }

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

Attribute OutputOperandAliasV1Attr::parse(AsmParser &p, Type) {
  SmallVector<int64_t> outputs, operands;
  int64_t index = 0;
  if (p.parseLess() || parseField(p, "outputTupleIndices") ||
      parseDims(p, outputs) || p.parseComma() ||
      parseField(p, "operandIndex") || p.parseInteger(index) ||
      p.parseComma() || parseField(p, "operandTupleIndices") ||
      parseDims(p, operands) || p.parseGreater())
    return {};
  return get(p.getContext(), outputs, index, operands);
}
void OutputOperandAliasV1Attr::print(AsmPrinter &p) const {
  p << "<outputTupleIndices = ";
  printDims(p, getOutputTupleIndices());
  p << ", operandIndex = " << getOperandIndex() << ", operandTupleIndices = ";
  printDims(p, getOperandTupleIndices());
  p << '>';
}

Attribute TypeExtensionsV1Attr::parse(AsmParser &p, Type) {
  SmallVector<int64_t> bounds;
  if (p.parseLess() || parseField(p, "bounds") || parseDims(p, bounds) ||
      p.parseGreater())
    return {};
  return get(p.getContext(), bounds);
}
void TypeExtensionsV1Attr::print(AsmPrinter &p) const {
  p << "<bounds = ";
  printDims(p, getBounds());
  p << '>';
}

Attribute ResultAccuracyV1Attr::parse(AsmParser &p, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  Attribute mode;
  if (p.parseLess() || parseField(p, "atol") || p.parseFloat(atol) ||
      p.parseComma() || parseField(p, "rtol") || p.parseFloat(rtol) ||
      p.parseComma() || parseField(p, "ulps") || p.parseInteger(ulps) ||
      p.parseComma() || parseField(p, "mode") || p.parseAttribute(mode) ||
      p.parseGreater())
    return {};
  return get(p.getContext(), APFloat(atol), APFloat(rtol), ulps, mode);
}
void ResultAccuracyV1Attr::print(AsmPrinter &p) const {
  p << "<atol = " << getAtol() << ", rtol = " << getRtol()
    << ", ulps = " << getUlps() << ", mode = " << getMode() << '>';
}

Attribute SubAxisInfoV1Attr::parse(AsmParser &p, Type) {
  int64_t preSize = 0, size = 0;
  if (p.parseLess() || parseField(p, "pre_size") || p.parseInteger(preSize) ||
      p.parseComma() || parseField(p, "size") || p.parseInteger(size) ||
      p.parseGreater())
    return {};
  return get(p.getContext(), preSize, size);
}
void SubAxisInfoV1Attr::print(AsmPrinter &p) const {
  p << "<pre_size = " << getPreSize() << ", size = " << getSize() << '>';
}

Attribute AxisRefV1Attr::parse(AsmParser &p, Type) {
  Attribute name, subAxis;
  if (p.parseLess() || parseField(p, "name") || p.parseAttribute(name))
    return {};
  if (succeeded(p.parseOptionalComma()))
    if (parseField(p, "sub_axis_info") || p.parseAttribute(subAxis))
      return {};
  if (p.parseGreater())
    return {};
  return get(p.getContext(), name, subAxis);
}
void AxisRefV1Attr::print(AsmPrinter &p) const {
  p << "<name = " << getName();
  if (getSubAxisInfo())
    p << ", sub_axis_info = " << getSubAxisInfo();
  p << '>';
}

Attribute ReplicaGroupMeshAxesV1Attr::parse(AsmParser &p, Type) {
  Attribute mesh, axes;
  if (p.parseLess() || parseField(p, "mesh") || p.parseAttribute(mesh) ||
      p.parseComma() || parseField(p, "axes") || p.parseAttribute(axes) ||
      p.parseGreater())
    return {};
  return get(p.getContext(), mesh, axes);
}
void ReplicaGroupMeshAxesV1Attr::print(AsmPrinter &p) const {
  p << "<mesh = " << getMesh() << ", axes = " << getAxes() << '>';
}

Attribute MeshAxisV1Attr::parse(AsmParser &p, Type) {
  Attribute name;
  int64_t size = 0;
  if (p.parseLess() || parseField(p, "name") || p.parseAttribute(name) ||
      p.parseComma() || parseField(p, "size") || p.parseInteger(size) ||
      p.parseGreater())
    return {};
  return get(p.getContext(), name, size);
}
void MeshAxisV1Attr::print(AsmPrinter &p) const {
  p << "<name = " << getName() << ", size = " << getSize() << '>';
}

Attribute MeshV1Attr::parse(AsmParser &p, Type) {
  Attribute axes, ids;
  if (p.parseLess() || parseField(p, "axes") || p.parseAttribute(axes))
    return {};
  if (succeeded(p.parseOptionalComma()))
    if (parseField(p, "device_ids") || p.parseAttribute(ids))
      return {};
  if (p.parseGreater())
    return {};
  return get(p.getContext(), axes, ids);
}
void MeshV1Attr::print(AsmPrinter &p) const {
  p << "<axes = " << getAxes();
  if (getDeviceIds())
    p << ", device_ids = " << getDeviceIds();
  p << '>';
}

} // namespace shardwright::vhlo
