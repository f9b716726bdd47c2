//===- from_vhlo_values.cc - convert VHLO values to StableHLO -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/vhlo_values.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool FromVhlo::types(ArrayRef<Type> from, SmallVectorImpl<Type> &to,
                     EmitError emitError) {
  for (Type part : from)
    if (!to.emplace_back(type(part, emitError)))
      return false;
  return true;
}

Type FromVhlo::type(Type type, EmitError emitError) {
  if (!isa<vhlo::VhloDialect>(type.getDialect()))
    return type;
  auto it = typeCache.find(type);
  if (it != typeCache.end())
    return it->second;
  Type result = convert(type, emitError);
  if (result)
    typeCache[type] = result;
  return result;
}

Type FromVhlo::convert(Type from, EmitError emitError) {
  MLIRContext *context = from.getContext();
  if (Type element = vhlo::builtinElement(from))
    return element;
  auto invalid = [&]() -> Type {
    emitError() << "invalid type " << from;
    return {};
  };
  return llvm::TypeSwitch<Type, Type>(from)
      .Case([&](vhlo::RankedTensorV1Type t) -> Type {
        Type element = type(t.getElementType(), emitError);
        if (!element)
          return {};
        Attribute encoding;
        if (t.getEncoding()) {
          auto bounds = dyn_cast<vhlo::TypeExtensionsV1Attr>(t.getEncoding());
          if (!bounds)
            return invalid();
          encoding =
              stablehlo::TypeExtensionsAttr::get(context, bounds.getBounds());
        }
        return RankedTensorType::getChecked(emitError, t.getShape(), element,
                                            encoding);
      })
      .Case([&](vhlo::UnrankedTensorV1Type t) -> Type {
        Type element = type(t.getElementType(), emitError);
        return element ? UnrankedTensorType::getChecked(emitError, element)
                       : Type();
      })
      .Case([&](vhlo::RankedBufferV1Type t) -> Type {
        Type element = type(t.getElementType(), emitError);
        return element
                   ? MemRefType::getChecked(emitError, t.getShape(), element,
                                            MemRefLayoutAttrInterface(),
                                            Attribute())
                   : Type();
      })
      .Case([&](vhlo::FunctionV1Type t) -> Type {
        SmallVector<Type> inputs, outputs;
        if (!types(t.getInputs(), inputs, emitError) ||
            !types(t.getOutputs(), outputs, emitError))
          return {};
        return FunctionType::get(context, inputs, outputs);
      })
      .Case([&](vhlo::TupleV1Type t) -> Type {
        SmallVector<Type> parts;
        if (!types(t.getTypes(), parts, emitError))
          return {};
        return TupleType::get(context, parts);
      })
      .Case([&](vhlo::FutureV1Type t) -> Type {
        SmallVector<Type> parts;
        if (!types(t.getTypes(), parts, emitError))
          return {};
        return stablehlo::FutureType::get(context, parts);
      })
      .Case([&](vhlo::PrimitiveType t) -> Type {
        if (t.getKind() == vhlo::PrimitiveKind::Token)
          return stablehlo::TokenType::get(context);
        return invalid(); // a witness: no StableHLO op creates one
      })
      .Case([&](vhlo::UniformQuantizedV1Type t) -> Type {
        Type storage = type(t.getStorageType(), emitError);
        Type expressed = type(t.getExpressedType(), emitError);
        if (!storage || !expressed || t.getFlags() > 1 ||
            !isa<IntegerType>(storage) || !isa<FloatType>(expressed))
          return invalid();
        return quant::UniformQuantizedType::getChecked(
            emitError, t.getFlags(), storage, expressed,
            t.getScale().convertToDouble(), t.getZeroPoint(),
            t.getStorageTypeMin(), t.getStorageTypeMax());
      })
      .Case([&](vhlo::UniformQuantizedPerAxisV1Type t) -> Type {
        Type storage = type(t.getStorageType(), emitError);
        Type expressed = type(t.getExpressedType(), emitError);
        if (!storage || !expressed || t.getFlags() > 1 ||
            t.getQuantizedDimension() > INT32_MAX ||
            !isa<IntegerType>(storage) || !isa<FloatType>(expressed))
          return invalid();
        SmallVector<double> scales;
        for (const APFloat &scale : t.getScales())
          scales.push_back(scale.convertToDouble());
        return quant::UniformQuantizedPerAxisType::getChecked(
            emitError, t.getFlags(), storage, expressed, scales,
            t.getZeroPoints(), t.getQuantizedDimension(), t.getStorageTypeMin(),
            t.getStorageTypeMax());
      })
      .Default([&](Type) { return invalid(); });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute FromVhlo::attribute(Attribute attr, EmitError emitError) {
  if (!isa<vhlo::VhloDialect>(attr.getDialect()))
    return attr;
  auto it = attrCache.find(attr);
  if (it != attrCache.end())
    return it->second;
  Attribute result = convert(attr, emitError);
  if (result)
    attrCache[attr] = result;
  return result;
}

static Attribute convertEnum(vhlo::EnumAttr attr) {
  MLIRContext *context = attr.getContext();
  uint32_t value = attr.getValue();
  using K = vhlo::EnumKind;
  switch (attr.getKind()) {
  case K::ComparisonDirection:
    return stablehlo::ComparisonDirectionAttr::get(
        context, static_cast<stablehlo::ComparisonDirection>(value));
  case K::ComparisonType:
    return stablehlo::ComparisonTypeAttr::get(
        context, static_cast<stablehlo::ComparisonType>(value));
  case K::ApiVersion:
    return IntegerAttr::get(IntegerType::get(context, 32), value);
  case K::FftType:
    return stablehlo::FftTypeAttr::get(context,
                                       static_cast<stablehlo::FftType>(value));
  case K::Precision:
    return stablehlo::PrecisionAttr::get(
        context, static_cast<stablehlo::Precision>(value));
  case K::RngAlgorithm:
    return stablehlo::RngAlgorithmAttr::get(
        context, static_cast<stablehlo::RngAlgorithm>(value));
  case K::RngDistribution:
    return stablehlo::RngDistributionAttr::get(
        context, static_cast<stablehlo::RngDistribution>(value));
  case K::Transpose:
    return stablehlo::TransposeAttr::get(
        context, static_cast<stablehlo::Transpose>(value));
  case K::ResultAccuracyMode:
    return stablehlo::ResultAccuracyModeAttr::get(
        context, static_cast<stablehlo::ResultAccuracyMode>(value));
  }
  return {};
}

template <typename T>
bool FromVhlo::list(Attribute from, SmallVectorImpl<T> &to,
                    EmitError emitError) {
  auto array = dyn_cast<vhlo::ArrayV1Attr>(from);
  return array && llvm::all_of(array.getValue(), [&](Attribute part) {
           Attribute result = attribute(part, emitError);
           return bool(to.emplace_back(dyn_cast_or_null<T>(result)));
         });
}

Attribute FromVhlo::convert(Attribute attr, EmitError emitError) {
  MLIRContext *context = attr.getContext();
  auto invalid = [&]() -> Attribute {
    emitError() << "invalid attribute " << attr;
    return {};
  };
  return llvm::TypeSwitch<Attribute, Attribute>(attr)
      .Case([&](vhlo::EnumAttr a) { return convertEnum(a); })
      .Case([&](vhlo::BooleanV1Attr a) -> Attribute {
        return BoolAttr::get(context, a.getValue());
      })
      .Case([&](vhlo::IntegerV1Attr a) -> Attribute {
        Type type = vhlo::builtinElement(a.getType());
        if (!type || !isa<IntegerType, IndexType>(type))
          return invalid();
        return IntegerAttr::get(type, a.getValue());
      })
      .Case([&](vhlo::FloatV1Attr a) -> Attribute {
        Type type = vhlo::builtinElement(a.getType());
        if (!isa_and_nonnull<FloatType>(type))
          return invalid();
        return FloatAttr::get(type, a.getValue());
      })
      .Case([&](vhlo::StringV1Attr a) -> Attribute {
        return StringAttr::get(context, a.getValue());
      })
      .Case([&](vhlo::ArrayV1Attr a) -> Attribute {
        SmallVector<Attribute> parts;
        return list(a, parts, emitError) ? ArrayAttr::get(context, parts)
                                         : Attribute();
      })
      .Case([&](vhlo::DictionaryV1Attr a) -> Attribute {
        NamedAttrList entries;
        for (auto [key, value] : a.getValue()) {
          auto name = dyn_cast<vhlo::StringV1Attr>(key);
          if (!name || name.getValue().empty())
            return invalid();
          Attribute converted = attribute(value, emitError);
          if (!converted)
            return {};
          entries.append(name.getValue(), converted);
        }
        if (entries.findDuplicate())
          return invalid();
        return entries.getDictionary(context);
      })
      .Case([&](vhlo::TypeV1Attr a) -> Attribute {
        Type value = type(a.getValue(), emitError);
        return value ? TypeAttr::get(value) : Attribute();
      })
      .Case([&](vhlo::TensorV1Attr a) -> Attribute { return a.getElements(); })
      .Default([&](Attribute a) { return convertStablehlo(a, emitError); });
}

Attribute FromVhlo::convertStablehlo(Attribute attr, EmitError emitError) {
  MLIRContext *context = attr.getContext();
  auto invalid = [&]() -> Attribute {
    emitError() << "invalid attribute " << attr;
    return {};
  };
  return llvm::TypeSwitch<Attribute, Attribute>(attr)
      .Case([&](vhlo::OutputOperandAliasV1Attr a) -> Attribute {
        return stablehlo::OutputOperandAliasAttr::get(
            context, a.getOutputTupleIndices(), a.getOperandIndex(),
            a.getOperandTupleIndices());
      })
      .Case([&](vhlo::TypeExtensionsV1Attr a) -> Attribute {
        return stablehlo::TypeExtensionsAttr::get(context, a.getBounds());
      })
      .Case([&](vhlo::ResultAccuracyV1Attr a) -> Attribute {
        auto mode = dyn_cast_or_null<stablehlo::ResultAccuracyModeAttr>(
            attribute(a.getMode(), emitError));
        if (!mode)
          return invalid();
        return stablehlo::ResultAccuracyAttr::getChecked(
            emitError, context, a.getAtol(), a.getRtol(), a.getUlps(), mode);
      })
      .Case([&](vhlo::SubAxisInfoV1Attr a) -> Attribute {
        return stablehlo::SubAxisInfoAttr::get(context, a.getPreSize(),
                                               a.getSize());
      })
      .Case([&](vhlo::AxisRefV1Attr a) -> Attribute {
        auto name = dyn_cast<vhlo::StringV1Attr>(a.getName());
        if (!name)
          return invalid();
        stablehlo::SubAxisInfoAttr sub;
        if (a.getSubAxisInfo() &&
            !(sub = dyn_cast_or_null<stablehlo::SubAxisInfoAttr>(
                  attribute(a.getSubAxisInfo(), emitError))))
          return invalid();
        return stablehlo::AxisRefAttr::get(context, name.getValue(), sub);
      })
      .Case([&](vhlo::ReplicaGroupMeshAxesV1Attr a) -> Attribute {
        SmallVector<stablehlo::AxisRefAttr> axes;
        Attribute mesh = attribute(a.getMesh(), emitError);
        if (auto name = dyn_cast_or_null<StringAttr>(mesh))
          mesh = FlatSymbolRefAttr::get(name);
        if (!isa_and_nonnull<FlatSymbolRefAttr, stablehlo::MeshAttr>(mesh) ||
            !list(a.getAxes(), axes, emitError))
          return invalid();
        return stablehlo::ReplicaGroupMeshAxesAttr::getChecked(
            emitError, context, mesh, ArrayRef(axes));
      })
      .Case([&](vhlo::MeshAxisV1Attr a) -> Attribute {
        auto name = dyn_cast<vhlo::StringV1Attr>(a.getName());
        if (!name)
          return invalid();
        return stablehlo::MeshAxisAttr::get(context, name.getValue(),
                                            a.getSize());
      })
      .Case([&](vhlo::MeshV1Attr a) -> Attribute {
        SmallVector<stablehlo::MeshAxisAttr> axes;
        if (!list(a.getAxes(), axes, emitError))
          return invalid();
        DenseIntElementsAttr ids;
        if (a.getDeviceIds() && !(ids = dyn_cast_or_null<DenseIntElementsAttr>(
                                      attribute(a.getDeviceIds(), emitError))))
          return invalid();
        return stablehlo::MeshAttr::get(context, axes, ids);
      })
      .Default([&](Attribute) { return invalid(); });
}

} // namespace shardwright
