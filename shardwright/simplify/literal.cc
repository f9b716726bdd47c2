//===- literal.cc - constants as bits ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/literal.h"

#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/simplify/rewrite.h"

#include <cstring>

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace shardwright::simplifier {

std::optional<ElementKind> ElementKind::of(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return ElementKind{Bool, 1};
    if (width > 64)
      return std::nullopt;
    return ElementKind{integer.isUnsigned() ? Unsigned : Signed, width};
  }
  // FloatType is an interface, which is slow to look up.
  if (isa<Float32Type>(type))
    return ElementKind{Float, 32, &APFloat::IEEEsingle()};
  if (isa<BFloat16Type>(type))
    return ElementKind{Float, 16, &APFloat::BFloat()};
  if (auto real = dyn_cast<FloatType>(type)) {
    // f8E8M0FNU has neither sign nor zero, so its arithmetic differs.
    if (real.getWidth() > 64 || isa<Float8E8M0FNUType>(real))
      return std::nullopt;
    return ElementKind{Float, real.getWidth(), &real.getFloatSemantics()};
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    auto part = dyn_cast<FloatType>(complex.getElementType());
    if (!part || part.getWidth() > 64)
      return std::nullopt;
    return ElementKind{Complex, part.getWidth(), &part.getFloatSemantics()};
  }
  return std::nullopt;
}

int64_t ElementKind::extend(uint64_t bits) const {
  if (kind != Signed)
    return int64_t(bits);
  return llvm::SignExtend64(bits, width);
}

APFloat ElementKind::toFloat(uint64_t bits) const {
  return APFloat(*semantics, APInt(width, bits));
}

uint64_t ElementKind::smallest() const {
  return kind == Signed ? 1ull << (width - 1) : 0;
}
uint64_t ElementKind::largest() const {
  return kind == Signed ? mask() >> 1 : mask();
}

uint64_t bitsOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

bool isPlain(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() ||
      llvm::any_of(tensor.getShape(), ShapedType::isDynamic))
    return false;
  // FloatType is an interface, which is slow to look up.
  Type element = tensor.getElementType();
  return isa<Float32Type, BFloat16Type, IntegerType, ComplexType>(element) ||
         isa<FloatType>(element);
}

DenseElementsAttr Literal::attr() const {
  if (kind.kind == ElementKind::Bool) {
    SmallVector<bool> values;
    for (const Element &element : elements)
      values.push_back(element.re);
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  size_t bytes = llvm::divideCeil(kind.width, 8);
  int parts = kind.kind == ElementKind::Complex ? 2 : 1;
  SmallVector<char> raw(elements.size() * bytes * parts);
  char *out = raw.data();
  for (const Element &element : elements) {
    std::memcpy(out, &element.re, bytes);
    if (parts == 2)
      std::memcpy(out + bytes, &element.im, bytes);
    out += bytes * parts;
  }
  return DenseElementsAttr::getFromRawBuffer(type, raw);
}

/// The element of a type other than i1 at `in`, which moves on to the next one.
static Element readElement(const ElementKind &kind, const char *&in) {
  size_t bytes = llvm::divideCeil(kind.width, 8);
  auto read = [&] {
    uint64_t bits = 0;
    std::memcpy(&bits, in, bytes);
    in += bytes;
    return bits & kind.mask();
  };
  Element element;
  element.re = read();
  if (kind.kind == ElementKind::Complex)
    element.im = read();
  return element;
}

std::optional<Literal> Literal::of(Attribute value, int64_t limit) {
  auto dense = dyn_cast_if_present<DenseIntOrFPElementsAttr>(value);
  if (!dense || !isPlain(dense.getType()))
    return std::nullopt;
  auto type = cast<RankedTensorType>(dense.getType());
  std::optional<ElementKind> kind = ElementKind::of(type.getElementType());
  int64_t n = dense.isSplat() ? 1 : type.getNumElements();
  if (!kind || n > limit)
    return std::nullopt;
  Literal literal{
      type, *kind, dense.isSplat() && type.getNumElements() != 0, {}};
  if (type.getNumElements() == 0)
    return literal;
  literal.elements.reserve(n);
  if (kind->kind == ElementKind::Bool) {
    auto values = dense.getValues<bool>();
    for (int64_t i = 0; i < n; ++i)
      literal.elements.push_back({values[i]});
    return literal;
  }
  const char *in = dense.getRawData().data();
  for (int64_t i = 0; i < n; ++i)
    literal.elements.push_back(readElement(*kind, in));
  return literal;
}

ElementsAttr constantValue(Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  if (!constant || isFrozen(constant) ||
      constant.getValue().getType() != constant.getType())
    return {};
  return constant.getValue();
}

std::optional<Literal> Literal::of(Value value, int64_t limit) {
  return of(constantValue(value), limit);
}

std::optional<Element> splatOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    if (isFrozen(op))
      return std::nullopt;
    value = broadcast.getOperand();
  }
  auto dense =
      dyn_cast_if_present<DenseIntOrFPElementsAttr>(constantValue(value));
  if (!dense || !dense.isSplat() || !isPlain(dense.getType()))
    return std::nullopt;
  auto type = cast<RankedTensorType>(dense.getType());
  if (type.getNumElements() == 0)
    return std::nullopt;
  std::optional<ElementKind> kind = ElementKind::of(type.getElementType());
  if (!kind)
    return std::nullopt;
  if (kind->kind == ElementKind::Bool)
    return Element{dense.getSplatValue<bool>()};
  const char *in = dense.getRawData().data();
  return readElement(*kind, in);
}

std::optional<SmallVector<int64_t>> integersOf(Value value) {
  auto dense = dyn_cast_if_present<DenseIntElementsAttr>(constantValue(value));
  if (!dense || dense.getNumElements() > 64)
    return std::nullopt;
  bool isUnsigned = dense.getElementType().isUnsignedInteger() ||
                    dense.getElementType().isInteger(1);
  SmallVector<int64_t> values;
  for (const APInt &integer : dense.getValues<APInt>()) {
    if (isUnsigned && integer.getActiveBits() > 63)
      return std::nullopt;
    values.push_back(isUnsigned ? int64_t(integer.getZExtValue())
                                : integer.getSExtValue());
  }
  return values;
}

} // namespace shardwright::simplifier
