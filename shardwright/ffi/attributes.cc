//===- attributes.cc - attributes of FFI calls ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/attributes.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/ffi/ffi.h"
#include "shardwright/ffi/types.h"
#include "shardwright/runtime/custom_call.h"

#include <algorithm>
#include <cstring>

using namespace shardwright;
using namespace shardwright::ffi;

using Kind = cpu::LibraryAttribute::Kind;

/// The xla.PrimitiveType of numbers in an attribute; 0 if FFI does not support
/// it.
static int typeOf(ElementType type) {
  switch (type) {
  case ElementType::Pred:
  case ElementType::S8:
  case ElementType::S16:
  case ElementType::S32:
  case ElementType::S64:
  case ElementType::U8:
  case ElementType::U16:
  case ElementType::U32:
  case ElementType::U64:
  case ElementType::F32:
  case ElementType::F64:
    return *ffiType(type);
  default:
    return 0;
  }
}

/// Packs the numbers as an array of their type.
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
    if (a.name != cpu::apiVersionName && a.name != cpu::operandTokensName &&
        a.name != cpu::resultTokensName)
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

/// Returns why FFI does not support an attribute, or an empty text.
static llvm::StringRef problemOf(mlir::Attribute value) {
  auto number = [](mlir::Type type) -> llvm::StringRef {
    unsigned width = type.getIntOrFloatBitWidth();
    if (type.isF32() || type.isF64() || type.isInteger(1) ||
        (type.isInteger() && width <= 64 && width >= 8 && width % 8 == 0))
      return "";
    return type.isInteger() ? "integer attribute bit width"
                            : "float attribute bit width";
  };
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value))
    return integer.getType().isIndex() ? "attribute type"
                                       : number(integer.getType());
  if (auto real = llvm::dyn_cast<mlir::FloatAttr>(value))
    return number(real.getType());
  mlir::Type element;
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value))
    element = dense.getElementType();
  else if (auto array = llvm::dyn_cast<mlir::DenseArrayAttr>(value))
    element = array.getElementType();
  if (element)
    return !element.isIntOrFloat() || element.isInteger(1) ||
                   !number(element).empty()
               ? "array element type"
               : "";
  return llvm::isa<mlir::StringAttr, mlir::DictionaryAttr>(value)
             ? ""
             : "attribute type";
}

static mlir::LogicalResult check(mlir::Operation *op,
                                 mlir::DictionaryAttr attributes) {
  for (mlir::NamedAttribute a : attributes) {
    if (auto inner = llvm::dyn_cast<mlir::DictionaryAttr>(a.getValue())) {
      if (failed(check(op, inner)))
        return mlir::failure();
    } else if (llvm::StringRef what = problemOf(a.getValue()); !what.empty()) {
      return emitError(op->getLoc())
             << "INVALID_ARGUMENT: Unsupported " << what
             << " for attribute: " << a.getName().getValue();
    }
  }
  return mlir::success();
}

mlir::LogicalResult ffi::checkFfiAttributes(mlir::ModuleOp module) {
  mlir::WalkResult walked = module.walk([](stablehlo::CustomCallOp call) {
    auto attributes =
        call->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");
    if (!attributes)
      attributes = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(
          call.getBackendConfigAttr());
    bool isFine = !attributes || !isTypedTarget(call.getCallTargetName()) ||
                  succeeded(check(call, attributes));
    return isFine ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return mlir::failure(walked.wasInterrupted());
}
