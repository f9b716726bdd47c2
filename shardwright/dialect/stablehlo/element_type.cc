//===- element_type.cc - element types of tensors -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/element_type.h"

#include "mlir/IR/BuiltinTypes.h"

namespace shardwright {

std::optional<ElementType> elementTypeFromMLIR(mlir::Type type) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    if (integer.isSigned())
      return std::nullopt;
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return isUnsigned ? std::nullopt : std::optional(ElementType::Pred);
    case 2:
      return isUnsigned ? ElementType::U2 : ElementType::S2;
    case 4:
      return isUnsigned ? ElementType::U4 : ElementType::S4;
    case 8:
      return isUnsigned ? ElementType::U8 : ElementType::S8;
    case 16:
      return isUnsigned ? ElementType::U16 : ElementType::S16;
    case 32:
      return isUnsigned ? ElementType::U32 : ElementType::S32;
    case 64:
      return isUnsigned ? ElementType::U64 : ElementType::S64;
    default:
      return std::nullopt;
    }
  }
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return ElementType::C64;
    if (complex.getElementType().isF64())
      return ElementType::C128;
    return std::nullopt;
  }
  if (mlir::isa<mlir::Float4E2M1FNType>(type))
    return ElementType::F4E2M1FN;
  if (mlir::isa<mlir::Float6E2M3FNType>(type))
    return ElementType::F6E2M3FN;
  if (mlir::isa<mlir::Float6E3M2FNType>(type))
    return ElementType::F6E3M2FN;
  if (mlir::isa<mlir::Float8E3M4Type>(type))
    return ElementType::F8E3M4;
  if (mlir::isa<mlir::Float8E4M3Type>(type))
    return ElementType::F8E4M3;
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return ElementType::F8E4M3FN;
  if (mlir::isa<mlir::Float8E4M3FNUZType>(type))
    return ElementType::F8E4M3FNUZ;
  if (mlir::isa<mlir::Float8E4M3B11FNUZType>(type))
    return ElementType::F8E4M3B11FNUZ;
  if (mlir::isa<mlir::Float8E5M2Type>(type))
    return ElementType::F8E5M2;
  if (mlir::isa<mlir::Float8E5M2FNUZType>(type))
    return ElementType::F8E5M2FNUZ;
  if (mlir::isa<mlir::Float8E8M0FNUType>(type))
    return ElementType::F8E8M0FNU;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  return std::nullopt;
}

} // namespace shardwright
