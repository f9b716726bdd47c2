//===- library_op.cc - operations that call C++ code ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/library_op.h"

#include "shardwright/cpu/library/host_call.h"
#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/support/convolution_tiles.h"
#include "shardwright/support/error.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright::cpu {

llvm::Expected<LibraryOp> makeLibraryOp(const LibraryCall &call) {
  if (std::optional<LibraryEntry> entry = findLibraryEntry(call.name))
    return entry->make(call);
  return makeHostCall(call);
}

int64_t scratchCopies(const LibraryOp &op) {
  return op.scratchBytes == 0
             ? 0
             : std::clamp<int64_t>(op.tasks, 1, kMostScratchCopies);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void put(LibraryCall &call, llvm::StringRef name,
         llvm::ArrayRef<int64_t> values) {
  LibraryAttribute attribute;
  attribute.name = name.str();
  attribute.isArray = true;
  attribute.integers.assign(values.begin(), values.end());
  call.attributes.push_back(std::move(attribute));
}

void put(LibraryCall &call, llvm::StringRef name, int64_t value) {
  put(call, name, llvm::ArrayRef(value));
  call.attributes.back().isArray = false;
}

void put(LibraryCall &call, llvm::StringRef name, llvm::StringRef text) {
  LibraryAttribute attribute;
  attribute.name = name.str();
  attribute.kind = LibraryAttribute::Kind::Text;
  attribute.text = text.str();
  call.attributes.push_back(std::move(attribute));
}

static int64_t asInteger(const APInt &value, ElementType type) {
  return isSignedInteger(type)
             ? value.sextOrTrunc(64).getSExtValue()
             : static_cast<int64_t>(value.zextOrTrunc(64).getZExtValue());
}

llvm::Expected<LibraryAttribute> readAttribute(NamedAttribute named) {
  LibraryAttribute out;
  out.name = named.getName().str();
  auto unknown = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << named.getValue();
    return fail("attribute '", out.name, "' = ", text,
                " cannot be passed to a custom call: expected a number, an "
                "array of numbers, a string or a dictionary");
  };
  auto setType = [&](Type type) {
    std::optional<ElementType> known = elementTypeFromMLIR(type);
    if (!known || isComplex(*known))
      return false;
    out.type = *known;
    out.kind = isFloat(*known) ? LibraryAttribute::Kind::Reals
                               : LibraryAttribute::Kind::Integers;
    return true;
  };
  auto real = [](const APFloat &value) {
    APFloat wide = value;
    bool exact;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
    return wide.convertToDouble();
  };
  Attribute value = named.getValue();
  if (auto text = dyn_cast<StringAttr>(value)) {
    out.kind = LibraryAttribute::Kind::Text;
    out.text = text.str();
  } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (!setType(integer.getType()))
      return unknown();
    out.integers.push_back(asInteger(integer.getValue(), out.type));
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    if (!setType(number.getType()))
      return unknown();
    out.reals.push_back(real(number.getValue()));
  } else if (auto array = dyn_cast<DenseArrayAttr>(value)) {
    out.isArray = true;
    if (!setType(array.getElementType()))
      return unknown();
    if (auto x = dyn_cast<DenseI8ArrayAttr>(value))
      out.integers.assign(x.asArrayRef().begin(), x.asArrayRef().end());
    else if (auto x = dyn_cast<DenseI16ArrayAttr>(value))
      out.integers.assign(x.asArrayRef().begin(), x.asArrayRef().end());
    else if (auto x = dyn_cast<DenseI32ArrayAttr>(value))
      out.integers.assign(x.asArrayRef().begin(), x.asArrayRef().end());
    else if (auto x = dyn_cast<DenseI64ArrayAttr>(value))
      out.integers.assign(x.asArrayRef().begin(), x.asArrayRef().end());
    else if (auto x = dyn_cast<DenseBoolArrayAttr>(value))
      out.integers.assign(x.asArrayRef().begin(), x.asArrayRef().end());
    else if (auto x = dyn_cast<DenseF32ArrayAttr>(value))
      out.reals.assign(x.asArrayRef().begin(), x.asArrayRef().end());
    else if (auto x = dyn_cast<DenseF64ArrayAttr>(value))
      out.reals.assign(x.asArrayRef().begin(), x.asArrayRef().end());
    else
      return unknown();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    out.isArray = true;
    if (!setType(dense.getElementType()))
      return unknown();
    if (isFloat(out.type))
      for (const APFloat &x : dense.getValues<APFloat>())
        out.reals.push_back(real(x));
    else
      for (const APInt &x : dense.getValues<APInt>())
        out.integers.push_back(asInteger(x, out.type));
  } else if (auto dictionary = dyn_cast<DictionaryAttr>(value)) {
    out.kind = LibraryAttribute::Kind::Dictionary;
    for (NamedAttribute field : dictionary) {
      llvm::Expected<LibraryAttribute> inner = readAttribute(field);
      if (!inner)
        return inner.takeError();
      out.fields.push_back(std::move(*inner));
    }
  } else {
    return unknown();
  }
  return out;
}

const LibraryAttribute *find(const LibraryCall &call, llvm::StringRef name) {
  for (const LibraryAttribute &attribute : call.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

llvm::Expected<int64_t> getInteger(const LibraryCall &call,
                                   llvm::StringRef name) {
  const LibraryAttribute *attribute = find(call, name);
  if (!attribute || attribute->kind != LibraryAttribute::Kind::Integers ||
      attribute->integers.size() != 1)
    return fail("requires an integer attribute '", name, "'");
  return attribute->integers[0];
}

llvm::ArrayRef<int64_t> getIntegers(const LibraryCall &call,
                                    llvm::StringRef name) {
  const LibraryAttribute *attribute = find(call, name);
  if (!attribute)
    return {};
  return attribute->integers;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::string str(const BufferType &type) {
  std::string text = shardwright::str(type.type).str() + '[';
  for (size_t i = 0; i < type.shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(type.shape[i]);
  return text + ']';
}

llvm::Error checkArity(const LibraryCall &call, size_t inputs, size_t outputs) {
  if (call.inputs.size() == inputs && call.outputs.size() == outputs)
    return llvm::Error::success();
  return fail("requires ", inputs, " operands and ", outputs, " results, got ",
              call.inputs.size(), " and ", call.outputs.size());
}

llvm::Error checkArray(const BufferType &got, ElementType type,
                       llvm::ArrayRef<int64_t> shape, const llvm::Twine &what) {
  if (got.type == type && llvm::ArrayRef<int64_t>(got.shape) == shape)
    return llvm::Error::success();
  return fail(what, " should be ", str(BufferType{type, Shape(shape)}),
              ", got ", str(got));
}

} // namespace shardwright::cpu
