//===- ffi_attributes.cc - attributes of calls of foreign functions -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/ffi_attributes.h"

#include <algorithm>
#include <cstring>

using namespace shardwright;
using namespace shardwright::pjrt;

using Kind = cpu::LibraryAttribute::Kind;

/// xla.PrimitiveType of a number in an attribute; 0: handlers take none.
static int typeOf(ElementType type) {
  switch (type) {
  case ElementType::Pred:
    return 1;
  case ElementType::S8:
    return 2;
  case ElementType::S16:
    return 3;
  case ElementType::S32:
    return 4;
  case ElementType::S64:
    return 5;
  case ElementType::U8:
    return 6;
  case ElementType::U16:
    return 7;
  case ElementType::U32:
    return 8;
  case ElementType::U64:
    return 9;
  case ElementType::F32:
    return 11;
  case ElementType::F64:
    return 12;
  default:
    return 0;
  }
}

/// The numbers as an array of their type.
static std::vector<char> pack(const cpu::LibraryAttribute &a) {
  std::vector<char> out;
  auto append = [&](const void *value, size_t size) {
    const char *begin = static_cast<const char *>(value);
    out.insert(out.end(), begin, begin + size);
  };
  for (int64_t value : a.integers) // little endian: the low bytes come first
    append(&value, byteWidth(a.type));
  for (double value : a.reals) {
    float narrow = value;
    a.type == ElementType::F32 ? append(&narrow, sizeof(narrow))
                               : append(&value, sizeof(value));
  }
  return out;
}

llvm::Error
FfiAttributes::set(llvm::ArrayRef<cpu::LibraryAttribute> attributes) {
  auto unsupported = [](const char *what, llvm::StringRef name) {
    return llvm::createStringError(
        llvm::Twine("INVALID_ARGUMENT: Unsupported ") + what +
        " for attribute: " + name);
  };
  std::vector<const cpu::LibraryAttribute *> sorted;
  for (const cpu::LibraryAttribute &a : attributes)
    sorted.push_back(&a);
  std::sort(sorted.begin(), sorted.end(),
            [](auto *a, auto *b) { return a->name < b->name; });
  for (const cpu::LibraryAttribute *a : sorted) {
    const std::string &name = texts.emplace_back(a->name);
    names.push_back(
        &spans.emplace_back(XLA_FFI_ByteSpan{name.data(), name.size()}));
    if (a->kind == Kind::Text) {
      const std::string &text = texts.emplace_back(a->text);
      types.push_back(XLA_FFI_AttrType_STRING);
      values.push_back(
          &spans.emplace_back(XLA_FFI_ByteSpan{text.data(), text.size()}));
      continue;
    }
    if (a->kind == Kind::Dictionary) {
      FfiAttributes &inner = nested.emplace_back();
      if (llvm::Error e = inner.set(a->fields))
        return e;
      types.push_back(XLA_FFI_AttrType_DICTIONARY);
      values.push_back(&dictionaries.emplace_back(inner.view()));
      continue;
    }
    int type = typeOf(a->type);
    if (type == 0 || (a->isArray && a->type == ElementType::Pred))
      return unsupported(a->isArray ? "array element type"
                         : a->kind == Kind::Reals
                             ? "float attribute bit width"
                             : "integer attribute bit width",
                         a->name);
    std::vector<char> &data = bytes.emplace_back(pack(*a));
    if (a->isArray) {
      types.push_back(XLA_FFI_AttrType_ARRAY);
      values.push_back(&arrays.emplace_back(XLA_FFI_Array{
          type, data.size() / size_t(byteWidth(a->type)), data.data()}));
    } else {
      types.push_back(XLA_FFI_AttrType_SCALAR);
      values.push_back(
          &scalars.emplace_back(XLA_FFI_Scalar{type, data.data()}));
    }
  }
  return llvm::Error::success();
}

XLA_FFI_Attrs FfiAttributes::view() {
  return {sizeof(XLA_FFI_Attrs), nullptr,      int64_t(types.size()),
          types.data(),          names.data(), values.data()};
}
