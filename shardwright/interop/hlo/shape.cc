//===- shape.cc - shapes of HLO values ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/shape.h"

#include "shardwright/dialect/stablehlo/dialect.h"
#include "shardwright/interop/hlo/message_specs.h"
#include "shardwright/mesh/nesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright::hlo {
namespace {

using Make = Type (*)(MLIRContext *);

template <unsigned width> Type signless(MLIRContext *context) {
  return IntegerType::get(context, width);
}
template <unsigned width> Type unsignedInt(MLIRContext *context) {
  return IntegerType::get(context, width, IntegerType::Unsigned);
}
template <typename T> Type floating(MLIRContext *context) {
  return T::get(context);
}
template <typename T> Type complexOf(MLIRContext *context) {
  return ComplexType::get(T::get(context));
}

struct Primitive {
  int64_t number;
  llvm::StringLiteral name;
  Make make; ///< null for what is not an element type
};

constexpr Primitive primitives[] = {
    {1, "pred", signless<1>},
    {2, "s8", signless<8>},
    {3, "s16", signless<16>},
    {4, "s32", signless<32>},
    {5, "s64", signless<64>},
    {6, "u8", unsignedInt<8>},
    {7, "u16", unsignedInt<16>},
    {8, "u32", unsignedInt<32>},
    {9, "u64", unsignedInt<64>},
    {10, "f16", floating<Float16Type>},
    {11, "f32", floating<Float32Type>},
    {12, "f64", floating<Float64Type>},
    {kTuple, "tuple", nullptr},
    {kOpaque, "opaque", nullptr},
    {15, "c64", complexOf<Float32Type>},
    {16, "bf16", floating<BFloat16Type>},
    {kToken, "token", nullptr},
    {18, "c128", complexOf<Float64Type>},
    {19, "f8e5m2", floating<Float8E5M2Type>},
    {20, "f8e4m3fn", floating<Float8E4M3FNType>},
    {21, "s4", signless<4>},
    {22, "u4", unsignedInt<4>},
    {23, "f8e4m3b11fnuz", floating<Float8E4M3B11FNUZType>},
    {24, "f8e5m2fnuz", floating<Float8E5M2FNUZType>},
    {25, "f8e4m3fnuz", floating<Float8E4M3FNUZType>},
    {26, "s2", signless<2>},
    {27, "u2", unsignedInt<2>},
    {28, "f8e4m3", floating<Float8E4M3Type>},
    {29, "f8e3m4", floating<Float8E3M4Type>},
    {30, "s1", nullptr},
    {31, "u1", nullptr},
    {32, "f4e2m1fn", floating<Float4E2M1FNType>},
    {33, "f8e8m0fnu", floating<Float8E8M0FNUType>},
    {kBuffer, "buffer", nullptr},
    {35, "f6e3m2fn", floating<Float6E3M2FNType>},
    {36, "f6e2m3fn", floating<Float6E2M3FNType>},
};

const Primitive *findPrimitive(int64_t number) {
  const auto *found = llvm::find_if(
      primitives, [&](const Primitive &p) { return p.number == number; });
  return found == std::end(primitives) ? nullptr : found;
}

llvm::Error shapeError(const Twine &what) {
  return llvm::createStringError(what);
}

/// Checks the sizes of an array.
llvm::Error checkDims(const Shape &shape) {
  if (int64_t(shape.dims.size()) > maxRank)
    return shapeError("a shape has " + Twine(shape.dims.size()) +
                      " dimensions, at most " + Twine(maxRank) +
                      " are supported");
  // Bits of the widest element, so that later sizes in bits do not overflow.
  int64_t bits = 128;
  for (auto [d, size] : llvm::enumerate(shape.dims)) {
    if (size == kUnbounded && d < shape.isDynamic.size() && shape.isDynamic[d])
      continue;
    if (size < 0)
      return shapeError("dimension " + Twine(d) + " of a shape has size " +
                        Twine(size) + ", expected one that is not negative");
    if (size > 0 && __builtin_mul_overflow(bits, size, &bits))
      return shapeError("the size of " + Twine(shape.str()) +
                        " does not fit 64 bits");
  }
  return llvm::Error::success();
}

llvm::Error readLayout(const ProtoMessage &message, Shape &shape) {
  for (int64_t level : message.integers(layout_field::dim_level_types))
    if (level != 0)
      return shapeError("the layout of " + Twine(shape.str()) +
                        " is sparse, expected dense dimensions");
  llvm::append_range(shape.minorToMajor,
                     message.integers(layout_field::minor_to_major));
  size_t rank = shape.dims.size();
  // Shapes before layout assignment may have none.
  if (shape.minorToMajor.empty())
    return llvm::Error::success();
  SmallVector<bool> seen(rank, false);
  bool fits = shape.minorToMajor.size() == rank;
  for (int64_t d : shape.minorToMajor) {
    fits = fits && d >= 0 && d < int64_t(rank) && !seen[d];
    if (fits)
      seen[d] = true;
  }
  if (!fits)
    return shapeError("the layout of " + Twine(shape.str()) +
                      " is not a permutation of its " + Twine(rank) +
                      " dimensions");
  return llvm::Error::success();
}

} // namespace

void Shape::appendLeaves(SmallVectorImpl<const Shape *> &leaves) const {
  if (!isTuple()) {
    leaves.push_back(this);
    return;
  }
  for (const Shape &element : elements)
    element.appendLeaves(leaves);
}

std::optional<int64_t> Shape::leafAt(ArrayRef<int64_t> index) const {
  int64_t before = 0;
  const Shape *at = this;
  for (int64_t i : index) {
    if (!at->isTuple() || i < 0 || i >= int64_t(at->elements.size()))
      return std::nullopt;
    before += at->firstLeaf[i];
    at = &at->elements[i];
  }
  if (at->isTuple())
    return std::nullopt;
  return before;
}

std::string Shape::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isTuple()) {
    os << '(';
    llvm::interleaveComma(elements, os,
                          [&](const Shape &element) { os << element.str(); });
    os << ')';
    return text;
  }
  os << primitiveName(type);
  if (isToken())
    return text + "[]";
  os << '[';
  for (auto [d, size] : llvm::enumerate(dims))
    if (size == kUnbounded)
      os << (d ? ",?" : "?");
    else
      os << (d ? "," : "") << (d < isDynamic.size() && isDynamic[d] ? "<=" : "")
         << size;
  os << ']';
  return text;
}

llvm::Expected<Shape> readShape(const ProtoMessage &message) {
  Shape shape;
  shape.type = message.integer(shape_field::element_type);
  const Primitive *primitive = findPrimitive(shape.type);
  if (!primitive)
    return shapeError("a shape has element type " + Twine(shape.type) +
                      ", which xla.PrimitiveType does not have");
  if (shape.isTuple()) {
    shape.leafCount = 0;
    for (const ProtoMessage &element :
         message.messages(shape_field::tuple_shapes)) {
      llvm::Expected<Shape> read = readShape(element);
      if (!read)
        return read.takeError();
      shape.firstLeaf.push_back(shape.leafCount);
      shape.leafCount += read->leafCount;
      shape.elements.push_back(std::move(*read));
    }
    return shape;
  }
  if (shape.isToken())
    return shape;
  if (!primitive->make)
    return shapeError("a shape has element type '" + primitive->name +
                      "', which StableHLO does not have");
  llvm::append_range(shape.dims, message.integers(shape_field::dimensions));
  SmallVector<int64_t> dynamic =
      message.integers(shape_field::is_dynamic_dimension);
  if (!dynamic.empty() && dynamic.size() != shape.dims.size())
    return shapeError("a shape says of " + Twine(dynamic.size()) +
                      " dimensions whether they are dynamic, expected " +
                      Twine(shape.dims.size()));
  if (llvm::any_of(dynamic, [](int64_t d) { return d != 0; }))
    for (int64_t d : dynamic)
      shape.isDynamic.push_back(d != 0);
  if (llvm::Error e = checkDims(shape))
    return std::move(e);
  if (llvm::Error e = readLayout(message.message(shape_field::layout), shape))
    return std::move(e);
  return shape;
}

Type elementType(MLIRContext *context, int64_t primitive) {
  const Primitive *found = findPrimitive(primitive);
  return found && found->make ? found->make(context) : Type();
}

StringRef primitiveName(int64_t primitive) {
  const Primitive *found = findPrimitive(primitive);
  return found ? StringRef(found->name) : "invalid";
}

Type leafType(MLIRContext *context, const Shape &leaf) {
  if (leaf.isToken())
    return stablehlo::TokenType::get(context);
  Type element = elementType(context, leaf.type);
  if (leaf.isDynamic.empty())
    return RankedTensorType::get(leaf.dims, element);
  SmallVector<int64_t> dims(leaf.dims.begin(), leaf.dims.end()),
      bounds(leaf.dims.size(), ShapedType::kDynamic);
  bool hasBound = false;
  for (auto [d, isDynamic] : llvm::enumerate(leaf.isDynamic)) {
    if (!isDynamic)
      continue;
    if (dims[d] != kUnbounded) {
      bounds[d] = dims[d];
      hasBound = true;
    }
    dims[d] = ShapedType::kDynamic;
  }
  return RankedTensorType::get(
      dims, element,
      hasBound ? stablehlo::TypeExtensionsAttr::get(context, bounds)
               : stablehlo::TypeExtensionsAttr());
}

SmallVector<Type> leafTypes(MLIRContext *context, const Shape &shape) {
  SmallVector<const Shape *> leaves;
  shape.appendLeaves(leaves);
  SmallVector<Type> types;
  for (const Shape *leaf : leaves)
    types.push_back(leafType(context, *leaf));
  return types;
}

} // namespace shardwright::hlo
