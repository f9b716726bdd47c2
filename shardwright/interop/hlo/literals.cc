//===- literals.cc - elements of constants --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/literals.h"

#include "shardwright/interop/hlo/message_specs.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::hlo {
namespace {

/// How the elements of a type are written.
enum class Form {
  Varints, ///< integers of `bytes` bytes, one varint each
  Fixed,   ///< a repeated float or double, little-endian
  Raw,     ///< one string of little-endian elements of `bytes` bytes each
};

struct ElementForm {
  int64_t primitive;
  int field;
  Form form;
  int bytes;
  /// Bits of an element; unused bits of its bytes become zero.
  int bits;
};

constexpr ElementForm forms[] = {
    {1, literal_field::preds, Form::Varints, 1, 1},
    {2, literal_field::s8s, Form::Raw, 1, 8},
    {3, literal_field::s16s, Form::Raw, 2, 16},
    {4, literal_field::s32s, Form::Varints, 4, 32},
    {5, literal_field::s64s, Form::Varints, 8, 64},
    {6, literal_field::u8s, Form::Raw, 1, 8},
    {7, literal_field::u16s, Form::Raw, 2, 16},
    {8, literal_field::u32s, Form::Varints, 4, 32},
    {9, literal_field::u64s, Form::Varints, 8, 64},
    {10, literal_field::f16s, Form::Raw, 2, 16},
    {11, literal_field::f32s, Form::Fixed, 4, 32},
    {12, literal_field::f64s, Form::Fixed, 8, 64},
    {15, literal_field::c64s, Form::Fixed, 8, 64},
    {16, literal_field::bf16s, Form::Raw, 2, 16},
    {18, literal_field::c128s, Form::Fixed, 16, 128},
    {19, literal_field::f8e5m2s, Form::Raw, 1, 8},
    {20, literal_field::f8e4m3fns, Form::Raw, 1, 8},
    {21, literal_field::s4s, Form::Raw, 1, 4},
    {22, literal_field::u4s, Form::Raw, 1, 4},
    {23, literal_field::f8e4m3b11fnuzs, Form::Raw, 1, 8},
    {24, literal_field::f8e5m2fnuzs, Form::Raw, 1, 8},
    {25, literal_field::f8e4m3fnuzs, Form::Raw, 1, 8},
    {26, literal_field::s2s, Form::Raw, 1, 2},
    {27, literal_field::u2s, Form::Raw, 1, 2},
    {28, literal_field::f8e4m3s, Form::Raw, 1, 8},
    {29, literal_field::f8e3m4s, Form::Raw, 1, 8},
    {32, literal_field::f4e2m1fns, Form::Raw, 1, 4},
    {33, literal_field::f8e8m0fnus, Form::Raw, 1, 8},
    {35, literal_field::f6e3m2fns, Form::Raw, 1, 6},
    {36, literal_field::f6e2m3fns, Form::Raw, 1, 6},
};

/// The elements in the order in which they are written.
std::string readElements(const ProtoMessage &literal, const ElementForm &form) {
  switch (form.form) {
  case Form::Raw:
    return literal.bytes(form.field).str();
  case Form::Fixed:
    return literal.fixed(form.field);
  case Form::Varints:
    break;
  }
  std::string bytes;
  for (int64_t element : literal.integers(form.field)) {
    uint64_t bits = form.bits == 1 ? element != 0 : uint64_t(element);
    for (int i = 0; i < form.bytes; ++i)
      bytes += char(bits >> (8 * i));
  }
  return bytes;
}

/// Orders elements of `bytes` bytes row-major.
std::string toRowMajor(StringRef elements, const Shape &shape, int bytes) {
  size_t rank = shape.dims.size();
  bool isRowMajor = true;
  for (auto [i, d] : llvm::enumerate(shape.minorToMajor))
    isRowMajor &= d == int64_t(rank - 1 - i);
  if (isRowMajor)
    return elements.str();
  // The distance of neighbours along each dimension, in elements.
  SmallVector<int64_t> strides(rank);
  int64_t stride = 1;
  for (int64_t d : shape.minorToMajor) {
    strides[d] = stride;
    stride *= shape.dims[d];
  }
  std::string ordered;
  ordered.reserve(elements.size());
  SmallVector<int64_t> index(rank, 0);
  int64_t offset = 0;
  for (size_t done = 0; done < elements.size(); done += bytes) {
    ordered += elements.substr(offset * bytes, bytes);
    for (size_t d = rank; d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape.dims[d])
        break;
      offset -= strides[d] * shape.dims[d];
      index[d] = 0;
    }
  }
  return ordered;
}

/// The first element, if all are equal to it.
StringRef onlyElement(StringRef elements, int bytes) {
  // Every byte equals the one an element earlier.
  return elements.drop_back(bytes) == elements.drop_front(bytes)
             ? elements.take_front(bytes)
             : elements;
}

llvm::Expected<DenseElementsAttr> readArray(MLIRContext *context,
                                            const ProtoMessage &literal,
                                            const Shape &shape,
                                            const Shape &written) {
  const auto *form = llvm::find_if(
      forms, [&](const ElementForm &f) { return f.primitive == shape.type; });
  if (form == std::end(forms))
    return llvm::createStringError("literals of element type " +
                                   primitiveName(shape.type) +
                                   " are not supported");
  if (!literal.integers(literal_field::sparse_indices).empty() ||
      !shape.isDynamic.empty() || !written.isDynamic.empty())
    return llvm::createStringError(
        "the literal is sparse or dynamic, expected a dense array");
  if (written.type != shape.type || written.dims != shape.dims)
    return llvm::createStringError("the literal has shape " + written.str() +
                                   ", expected " + shape.str());
  std::string elements = readElements(literal, *form);
  int64_t count = 1;
  for (int64_t size : shape.dims)
    count *= size; // checked when the shape was read
  if (count * form->bytes != int64_t(elements.size()))
    return llvm::createStringError(
        "the literal " + Twine(shape.str()) + " has " + Twine(elements.size()) +
        " bytes of elements, expected " + Twine(count * form->bytes));
  auto type = cast<ShapedType>(leafType(context, shape));
  elements = toRowMajor(elements, written, form->bytes);
  StringRef stored = count ? onlyElement(elements, form->bytes) : elements;
  if (form->bits == 1) {
    SmallVector<bool> values;
    for (char byte : stored)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  std::string masked = stored.str();
  if (form->bits < 8)
    for (char &byte : masked)
      byte &= char((1 << form->bits) - 1);
  return DenseElementsAttr::getFromRawBuffer(type, masked);
}

llvm::Error readInto(MLIRContext *context, const ProtoMessage &literal,
                     const Shape &shape,
                     SmallVector<DenseElementsAttr, 1> &arrays) {
  if (shape.isTuple()) {
    SmallVector<ProtoMessage, 0> parts =
        literal.messages(literal_field::tuple_literals);
    if (parts.size() != shape.elements.size())
      return llvm::createStringError(
          "the literal is a tuple of " + Twine(parts.size()) +
          " elements, expected " + Twine(shape.elements.size()));
    for (auto [part, element] : llvm::zip(parts, shape.elements))
      if (llvm::Error e = readInto(context, part, element, arrays))
        return e;
    return llvm::Error::success();
  }
  if (shape.isToken())
    return llvm::createStringError("the literal of a token is not supported");
  llvm::Expected<Shape> written =
      readShape(literal.message(literal_field::shape));
  if (!written)
    return written.takeError();
  llvm::Expected<DenseElementsAttr> array =
      readArray(context, literal, shape, *written);
  if (!array)
    return array.takeError();
  arrays.push_back(*array);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<SmallVector<DenseElementsAttr, 1>>
readLiteral(MLIRContext *context, const ProtoMessage &literal,
            const Shape &shape) {
  SmallVector<DenseElementsAttr, 1> arrays;
  if (llvm::Error e = readInto(context, literal, shape, arrays))
    return std::move(e);
  return arrays;
}

} // namespace shardwright::hlo
