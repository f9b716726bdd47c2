//===- dialect.cc - the vhlo dialect ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "shardwright/dialect/vhlo/dialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "shardwright/dialect/vhlo/types.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "shardwright/dialect/vhlo/attrs.cpp.inc"

namespace shardwright::vhlo {

void VhloDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
  registerBytecode();
}

void VhloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwright/dialect/vhlo/attrs.cpp.inc"
      >();
}

void VhloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "shardwright/dialect/vhlo/types.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Text: generated code dispatches by mnemonic
//===----------------------------------------------------------------------===//

Attribute VhloDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  if (generatedAttributeParser(parser, &mnemonic, type, attr).has_value())
    return attr;
  for (const EnumInfo &info : enumTable()) {
    if (info.mnemonic != mnemonic)
      continue;
    StringRef name;
    SMLoc nameLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return {};
    std::optional<uint32_t> value = info.valueOf(name);
    if (!value) {
      parser.emitError(nameLoc)
          << "unknown value of " << mnemonic << ": " << name;
      return {};
    }
    return EnumAttr::get(getContext(), info.kind, *value);
  }
  parser.emitError(loc) << "unknown attribute `" << mnemonic
                        << "` in dialect `vhlo`";
  return {};
}

void VhloDialect::printAttribute(Attribute attr,
                                 DialectAsmPrinter &printer) const {
  if (auto e = dyn_cast<EnumAttr>(attr)) {
    const EnumInfo &info = infoOf(e.getKind());
    printer << info.mnemonic << ' ' << info.nameOf(e.getValue());
    return;
  }
  (void)generatedAttributePrinter(attr, printer);
}

Type VhloDialect::parseType(DialectAsmParser &parser) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Type type;
  if (generatedTypeParser(parser, &mnemonic, type).has_value())
    return type;
  for (const PrimitiveInfo &info : primitiveTable())
    if (info.mnemonic == mnemonic)
      return PrimitiveType::get(getContext(), info.kind);
  parser.emitError(loc) << "unknown type `" << mnemonic
                        << "` in dialect `vhlo`";
  return {};
}

void VhloDialect::printType(Type type, DialectAsmPrinter &printer) const {
  if (auto primitive = dyn_cast<PrimitiveType>(type)) {
    printer << infoOf(primitive.getKind()).mnemonic;
    return;
  }
  (void)generatedTypePrinter(type, printer);
}

//===----------------------------------------------------------------------===//
// Tensors as shaped types
//===----------------------------------------------------------------------===//

bool RankedTensorV1Type::hasRank() const { return true; }

ShapedType RankedTensorV1Type::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                                         Type elementType) const {
  return get(getContext(), shape.value_or(getShape()), elementType,
             getEncoding());
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Type builtinElement(Type type) {
  if (auto primitive = dyn_cast<PrimitiveType>(type)) {
    auto make = infoOf(primitive.getKind()).builtin;
    return make ? make(type.getContext()) : Type();
  }
  if (auto complex = dyn_cast<ComplexV1Type>(type)) {
    Type element = builtinElement(complex.getElementType());
    if (element && (isa<FloatType>(element) || isa<IntegerType>(element)))
      return ComplexType::get(element);
  }
  return {};
}

Type elementFromBuiltin(Type type) {
  MLIRContext *context = type.getContext();
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Type element = elementFromBuiltin(complex.getElementType());
    return element ? ComplexV1Type::get(context, element) : Type();
  }
  // Types other than integers have no parameters, so comparison suffices.
  if (isa<IntegerType, FloatType, IndexType, NoneType>(type))
    for (const PrimitiveInfo &info : primitiveTable())
      if (info.builtin && info.builtin(context) == type)
        return PrimitiveType::get(context, info.kind);
  return {};
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

Version sinceWhen(Type type) {
  if (auto primitive = dyn_cast<PrimitiveType>(type))
    return infoOf(primitive.getKind()).since;
  if (isa<UniformQuantizedPerAxisV1Type>(type))
    return {0, 18, 0};
  if (isa<RankedBufferV1Type>(type))
    return {1, 13, 0};
  if (isa<FutureV1Type>(type))
    return {1, 15, 0};
  return kMinimumVersion;
}

Version sinceWhen(Attribute attr) {
  if (auto e = dyn_cast<EnumAttr>(attr))
    return infoOf(e.getKind()).since;
  if (isa<ResultAccuracyV1Attr>(attr))
    return {1, 9, 0};
  if (isa<SubAxisInfoV1Attr, AxisRefV1Attr, ReplicaGroupMeshAxesV1Attr,
          MeshAxisV1Attr, MeshV1Attr>(attr))
    return {1, 16, 0};
  return kMinimumVersion;
}

} // namespace shardwright::vhlo
