//===- to_vhlo_values.cc - convert StableHLO values to VHLO ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/vhlo_values.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool ToVhlo::types(TypeRange from, SmallVectorImpl<Type> &to) {
  for (Type part : from)
    if (!to.emplace_back(type(part)))
      return false;
  return true;
}

Type ToVhlo::type(Type type) {
  if (isa<vhlo::VhloDialect>(type.getDialect()))
    return type;
  auto it = typeCache.find(type);
  if (it != typeCache.end())
    return it->second;
  Type result = convert(type);
  if (!result && keepOthers)
    result = type;
  return typeCache[type] = result;
}

Type ToVhlo::convert(Type from) {
  MLIRContext *context = from.getContext();
  if (Type element = vhlo::elementFromBuiltin(from))
    return element;
  // A type cannot be converted if one of its parts cannot.
  auto part = [&](Type inner) -> Type {
    Type result = type(inner);
    return result && isa<vhlo::VhloDialect>(result.getDialect()) ? result
                                                                 : Type();
  };
  return llvm::TypeSwitch<Type, Type>(from)
      .Case([&](RankedTensorType t) -> Type {
        Type element = part(t.getElementType());
        Attribute encoding;
        if (t.getEncoding()) {
          auto bounds =
              dyn_cast<stablehlo::TypeExtensionsAttr>(t.getEncoding());
          if (!bounds)
            return {};
          encoding =
              vhlo::TypeExtensionsV1Attr::get(context, bounds.getBounds());
        }
        return element ? vhlo::RankedTensorV1Type::get(context, t.getShape(),
                                                       element, encoding)
                       : Type();
      })
      .Case([&](UnrankedTensorType t) -> Type {
        Type element = part(t.getElementType());
        return element ? vhlo::UnrankedTensorV1Type::get(context, element)
                       : Type();
      })
      .Case([&](MemRefType t) -> Type {
        Type element = part(t.getElementType());
        if (!element || !t.getLayout().isIdentity() || t.getMemorySpace())
          return {};
        return vhlo::RankedBufferV1Type::get(context, t.getShape(), element);
      })
      .Case([&](FunctionType t) -> Type {
        SmallVector<Type> inputs, outputs;
        if (!types(t.getInputs(), inputs) || !types(t.getResults(), outputs))
          return {};
        return vhlo::FunctionV1Type::get(context, inputs, outputs);
      })
      .Case([&](TupleType t) -> Type {
        SmallVector<Type> parts;
        if (!types(t.getTypes(), parts))
          return {};
        return vhlo::TupleV1Type::get(context, parts);
      })
      .Case([&](stablehlo::FutureType t) -> Type {
        SmallVector<Type> parts;
        if (!types(t.getTypes(), parts))
          return {};
        return vhlo::FutureV1Type::get(context, parts);
      })
      .Case([&](stablehlo::TokenType) -> Type {
        return vhlo::PrimitiveType::get(context, vhlo::PrimitiveKind::Token);
      })
      .Case([&](quant::UniformQuantizedType t) -> Type {
        Type storage = part(t.getStorageType());
        Type expressed = part(t.getExpressedType());
        if (!storage || !expressed)
          return {};
        return vhlo::UniformQuantizedV1Type::get(
            context, t.getFlags(), storage, expressed, APFloat(t.getScale()),
            t.getZeroPoint(), t.getStorageTypeMin(), t.getStorageTypeMax());
      })
      .Case([&](quant::UniformQuantizedPerAxisType t) -> Type {
        Type storage = part(t.getStorageType());
        Type expressed = part(t.getExpressedType());
        if (!storage || !expressed)
          return {};
        SmallVector<APFloat> scales;
        for (double scale : t.getScales())
          scales.push_back(APFloat(scale));
        return vhlo::UniformQuantizedPerAxisV1Type::get(
            context, t.getFlags(), storage, expressed,
            t.getQuantizedDimension(), t.getStorageTypeMin(),
            t.getStorageTypeMax(), scales, t.getZeroPoints());
      })
      .Default([](Type) { return Type(); });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute ToVhlo::attribute(Attribute attr) {
  if (isa<vhlo::VhloDialect>(attr.getDialect()))
    return attr;
  auto it = attrCache.find(attr);
  if (it != attrCache.end())
    return it->second;
  Attribute result = convert(attr);
  if (!result && keepOthers)
    result = attr;
  return attrCache[attr] = result;
}

template <typename EnumAttrT>
static Attribute enumAttr(vhlo::EnumKind kind, EnumAttrT attr) {
  return vhlo::EnumAttr::get(attr.getContext(), kind,
                             static_cast<uint32_t>(attr.getValue()));
}

/// Returns the elements in the form of a TensorV1Attr. A resource whose bytes
/// already have that form is returned without a copy.
static ElementsAttr elementsOf(ElementsAttr attr) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  if (!resource)
    return attr;
  auto type = dyn_cast<RankedTensorType>(resource.getType());
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!type || !blob)
    return {};
  ArrayRef<char> bytes = blob->getData();
  Type element = type.getElementType();
  bool isComplex = isa<ComplexType>(element);
  if (isComplex)
    element = cast<ComplexType>(element).getElementType();
  int64_t bits = element.isIndex()        ? 64
                 : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                          : 0;
  int64_t width = llvm::divideCeil(bits, 8) * (isComplex ? 2 : 1);
  if (static_cast<int64_t>(bytes.size()) != type.getNumElements() * width)
    return {};
  if (bits >= 8)
    return resource;
  // In a resource, elements of less than a byte take a byte each; elsewhere
  // booleans are packed, and the unused bits of other elements are zero.
  if (bits == 1)
    return DenseElementsAttr::get(
        type, llvm::map_to_vector(bytes, [](char b) { return b != 0; }));
  return DenseElementsAttr::getFromRawBuffer(
      type, llvm::map_to_vector(
                bytes, [&](char b) { return char(b & ((1 << bits) - 1)); }));
}

static Attribute stringAttr(MLIRContext *context, StringRef text) {
  return vhlo::StringV1Attr::get(context, text);
}

template <typename RangeT>
Attribute ToVhlo::array(MLIRContext *context, RangeT list) {
  SmallVector<Attribute> parts;
  for (Attribute part : list)
    if (!parts.emplace_back(attribute(part)))
      return {};
  return vhlo::ArrayV1Attr::get(context, parts);
}

Attribute ToVhlo::convert(Attribute attr) {
  MLIRContext *context = attr.getContext();
  return llvm::TypeSwitch<Attribute, Attribute>(attr)
      .Case([&](BoolAttr a) -> Attribute {
        return vhlo::BooleanV1Attr::get(context, a.getValue());
      })
      .Case([&](IntegerAttr a) -> Attribute {
        Type type = vhlo::elementFromBuiltin(a.getType());
        return type ? vhlo::IntegerV1Attr::get(context, type, a.getValue())
                    : Attribute();
      })
      .Case([&](FloatAttr a) -> Attribute {
        Type type = vhlo::elementFromBuiltin(a.getType());
        return type ? vhlo::FloatV1Attr::get(context, type, a.getValue())
                    : Attribute();
      })
      .Case([&](StringAttr a) -> Attribute {
        return isa<NoneType>(a.getType()) ? stringAttr(context, a.getValue())
                                          : Attribute();
      })
      .Case([&](FlatSymbolRefAttr a) -> Attribute {
        return stringAttr(context, a.getValue());
      })
      .Case([&](ArrayAttr a) -> Attribute {
        return array(context, a.getValue());
      })
      .Case([&](DictionaryAttr a) -> Attribute {
        SmallVector<std::pair<Attribute, Attribute>> entries;
        for (NamedAttribute entry : a) {
          Attribute value = attribute(entry.getValue());
          if (!value)
            return {};
          entries.emplace_back(stringAttr(context, entry.getName().getValue()),
                               value);
        }
        return vhlo::DictionaryV1Attr::get(context, entries);
      })
      .Case([&](TypeAttr a) -> Attribute {
        Type value = type(a.getValue());
        return value ? vhlo::TypeV1Attr::get(context, value) : Attribute();
      })
      .Case<DenseIntOrFPElementsAttr, DenseResourceElementsAttr>(
          [&](ElementsAttr a) -> Attribute {
            ElementsAttr elements = elementsOf(a);
            auto type = elements
                            ? dyn_cast<RankedTensorType>(elements.getType())
                            : nullptr;
            if (!type || type.getEncoding() ||
                !vhlo::elementFromBuiltin(type.getElementType()))
              return {};
            return vhlo::TensorV1Attr::get(context, elements);
          })
      .Case([&](DenseI64ArrayAttr a) -> Attribute {
        auto type =
            RankedTensorType::get(a.size(), IntegerType::get(context, 64));
        return vhlo::TensorV1Attr::get(
            context, DenseElementsAttr::get(type, a.asArrayRef()));
      })
      .Case([&](DenseBoolArrayAttr a) -> Attribute {
        auto type =
            RankedTensorType::get(a.size(), IntegerType::get(context, 1));
        return vhlo::TensorV1Attr::get(
            context, DenseElementsAttr::get(type, a.asArrayRef()));
      })
      .Default([&](Attribute a) { return convertStablehlo(a); });
}

Attribute ToVhlo::convertStablehlo(Attribute attr) {
  MLIRContext *context = attr.getContext();
  using K = vhlo::EnumKind;
  return llvm::TypeSwitch<Attribute, Attribute>(attr)
      .Case([&](stablehlo::ComparisonDirectionAttr a) {
        return enumAttr(K::ComparisonDirection, a);
      })
      .Case([&](stablehlo::ComparisonTypeAttr a) {
        return enumAttr(K::ComparisonType, a);
      })
      .Case([&](stablehlo::FftTypeAttr a) { return enumAttr(K::FftType, a); })
      .Case(
          [&](stablehlo::PrecisionAttr a) { return enumAttr(K::Precision, a); })
      .Case([&](stablehlo::RngAlgorithmAttr a) {
        return enumAttr(K::RngAlgorithm, a);
      })
      .Case([&](stablehlo::RngDistributionAttr a) {
        return enumAttr(K::RngDistribution, a);
      })
      .Case(
          [&](stablehlo::TransposeAttr a) { return enumAttr(K::Transpose, a); })
      .Case([&](stablehlo::ResultAccuracyModeAttr a) {
        return enumAttr(K::ResultAccuracyMode, a);
      })
      .Case([&](stablehlo::OutputOperandAliasAttr a) -> Attribute {
        return vhlo::OutputOperandAliasV1Attr::get(
            context, a.getOutputTupleIndices(), a.getOperandIndex(),
            a.getOperandTupleIndices());
      })
      .Case([&](stablehlo::TypeExtensionsAttr a) -> Attribute {
        return vhlo::TypeExtensionsV1Attr::get(context, a.getBounds());
      })
      .Case([&](stablehlo::ResultAccuracyAttr a) -> Attribute {
        return vhlo::ResultAccuracyV1Attr::get(context, a.getAtol(),
                                               a.getRtol(), a.getUlps(),
                                               attribute(a.getMode()));
      })
      .Case([&](stablehlo::SubAxisInfoAttr a) -> Attribute {
        return vhlo::SubAxisInfoV1Attr::get(context, a.getPreSize(),
                                            a.getSize());
      })
      .Case([&](stablehlo::AxisRefAttr a) -> Attribute {
        stablehlo::SubAxisInfoAttr sub = a.getSubAxisInfo();
        return vhlo::AxisRefV1Attr::get(context,
                                        stringAttr(context, a.getName()),
                                        sub ? attribute(sub) : Attribute());
      })
      .Case([&](stablehlo::ReplicaGroupMeshAxesAttr a) -> Attribute {
        Attribute mesh = attribute(a.getMesh());
        return mesh ? vhlo::ReplicaGroupMeshAxesV1Attr::get(
                          context, mesh, array(context, a.getAxes()))
                    : Attribute();
      })
      .Case([&](stablehlo::MeshAxisAttr a) -> Attribute {
        return vhlo::MeshAxisV1Attr::get(
            context, stringAttr(context, a.getName()), a.getSize());
      })
      .Case([&](stablehlo::MeshAttr a) -> Attribute {
        Attribute ids;
        if (a.getDeviceIds() && !(ids = attribute(a.getDeviceIds())))
          return {};
        return vhlo::MeshV1Attr::get(context, array(context, a.getAxes()), ids);
      })
      .Default([](Attribute) { return Attribute(); });
}

} // namespace shardwright
