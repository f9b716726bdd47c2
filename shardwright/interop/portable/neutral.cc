//===- neutral.cc - values of absent attributes ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/neutral.h"

using namespace mlir;

namespace shardwright {

using vhlo::AttrKind;
using vhlo::EnumKind;
using vhlo::PrimitiveKind;

static Attribute tensor(MLIRContext *context, ArrayRef<int64_t> shape,
                        int64_t value) {
  auto type = RankedTensorType::get(shape, IntegerType::get(context, 64));
  return vhlo::TensorV1Attr::get(
      context, type.getNumElements() == 0
                   ? DenseElementsAttr::get(type, ArrayRef<int64_t>())
                   : DenseElementsAttr::get(type, value));
}

static Attribute integer(MLIRContext *context, int64_t value) {
  return vhlo::IntegerV1Attr::get(
      context, vhlo::PrimitiveType::get(context, PrimitiveKind::I64),
      APInt(64, value, /*isSigned=*/true));
}

static Attribute enumValue(MLIRContext *context, EnumKind kind,
                           uint32_t value) {
  return vhlo::EnumAttr::get(context, kind, value);
}

Attribute neutralValue(MLIRContext *context, AttrKind kind, int64_t windowDims,
                       bool isTyped) {
  auto dictionary = [&] {
    return vhlo::DictionaryV1Attr::get(
        context, ArrayRef<std::pair<Attribute, Attribute>>());
  };
  switch (kind) {
  case AttrKind::Plain:
  case AttrKind::I64s:
  case AttrKind::Symbol:
  case AttrKind::ChannelType:
  case AttrKind::Exploded:
    return {};
  case AttrKind::Symbols:
  case AttrKind::EmptyArray:
    return vhlo::ArrayV1Attr::get(context, ArrayRef<Attribute>());
  case AttrKind::Flag:
  case AttrKind::Unit:
    return vhlo::BooleanV1Attr::get(context, false);
  case AttrKind::Channel:
  // StableHLO's writer uses 64 bits here.
  case AttrKind::CompositeVersion:
    return integer(context, 0);
  case AttrKind::LastDimension:
    return integer(context, -1);
  case AttrKind::ExplodedOrEmpty:
  case AttrKind::EmptyI64s:
  case AttrKind::EmptyTensor:
    return tensor(context, {0}, 0);
  case AttrKind::Algorithm:
    return vhlo::TypeV1Attr::get(
        context, vhlo::PrimitiveType::get(context, PrimitiveKind::None));
  case AttrKind::EmptyString:
    return vhlo::StringV1Attr::get(context, "");
  case AttrKind::EmptyDictionary:
    return dictionary();
  case AttrKind::BackendConfig:
    return isTyped ? Attribute(dictionary())
                   : Attribute(vhlo::StringV1Attr::get(context, ""));
  case AttrKind::Ones:
    return tensor(context, {windowDims}, 1);
  case AttrKind::Zeros:
    return tensor(context, {windowDims, 2}, 0);
  case AttrKind::Falses: {
    auto type =
        RankedTensorType::get({windowDims}, IntegerType::get(context, 1));
    return vhlo::TensorV1Attr::get(
        context, DenseElementsAttr::get(type, SmallVector<bool>(windowDims)));
  }
  case AttrKind::NoComparisonType:
    return enumValue(context, EnumKind::ComparisonType, 0);
  case AttrKind::Precision:
    return vhlo::ArrayV1Attr::get(
        context,
        SmallVector<Attribute>(2, enumValue(context, EnumKind::Precision, 0)));
  case AttrKind::Accuracy:
    return vhlo::ResultAccuracyV1Attr::get(
        context, APFloat(0.0), APFloat(0.0), 0,
        enumValue(context, EnumKind::ResultAccuracyMode, 0));
  case AttrKind::ApiVersion:
    return enumValue(context, EnumKind::ApiVersion, 1);
  }
  return {};
}

/// True if the tensor is not empty and all elements are `value`.
static bool isAll(Attribute attr, int64_t value) {
  auto tensor = dyn_cast<vhlo::TensorV1Attr>(attr);
  if (!tensor || !tensor.getValue() || tensor.getValue().empty() ||
      !isa<IntegerType>(tensor.getValue().getElementType()))
    return false;
  return llvm::all_of(tensor.getValue().getValues<APInt>(),
                      [&](const APInt &element) {
                        return element == APInt(element.getBitWidth(), value);
                      });
}

bool isNeutral(Attribute attr, AttrKind kind) {
  switch (kind) {
  case AttrKind::Ones:
    return isAll(attr, 1);
  case AttrKind::Zeros:
  case AttrKind::Falses:
    return isAll(attr, 0);
  case AttrKind::ExplodedOrEmpty:
  case AttrKind::EmptyI64s:
  case AttrKind::EmptyTensor: {
    auto tensor = dyn_cast<vhlo::TensorV1Attr>(attr);
    return tensor && tensor.getElements().empty();
  }
  case AttrKind::Precision: {
    // Of any length, as in StableHLO's reader.
    auto list = dyn_cast<vhlo::ArrayV1Attr>(attr);
    return list && llvm::all_of(list.getValue(), [&](Attribute element) {
             return element ==
                    enumValue(attr.getContext(), EnumKind::Precision, 0);
           });
  }
  case AttrKind::CompositeVersion: {
    auto number = dyn_cast<vhlo::IntegerV1Attr>(attr);
    return number && number.getValue().isZero();
  }
  case AttrKind::BackendConfig:
    return attr == neutralValue(attr.getContext(), kind, 0, false) ||
           attr == neutralValue(attr.getContext(), kind, 0, true);
  default:
    return attr == neutralValue(attr.getContext(), kind);
  }
}

} // namespace shardwright
