//===- ffi.cc - attributes of calls by name -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/ffi.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/trace/primitive.h"

#include <bit>
#include <cmath>
#include <cstdio>

namespace shardwright::frontend::ffi {

Value::Value(Attributes fields)
    : data(std::make_shared<const Attributes>(std::move(fields))) {}

const Attributes *Value::fields() const {
  const auto *found = std::get_if<std::shared_ptr<const Attributes>>(&data);
  return found ? found->get() : nullptr;
}

std::optional<DType> Value::numberType() const {
  if (const auto *real = std::get_if<Real>(&data))
    return real->type;
  if (const auto *integer = std::get_if<Integer>(&data))
    return integer->type;
  return {};
}

/// With as few digits as give the number of this type.
static std::string numberText(double value, DType type) {
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    double read = std::strtod(text, nullptr);
    if (read == value || (type != DType::F64 && static_cast<float>(read) ==
                                                    static_cast<float>(value)))
      break;
  }
  std::string out = text;
  return out.find_first_not_of("-0123456789") == out.npos ? out + ".0" : out;
}

/// `array([1, 2], dtype=int32)`: as numpy prints the array, without the types
/// that it takes for granted.
static std::string numpyText(const Tensor &elements) {
  std::string out = elements.ok() ? elements.repr() : "Array()";
  if (!out.empty())
    out[0] = 'a';
  auto drop = [&](const std::string &part) {
    if (size_t at = out.find(part); at != out.npos)
      out.erase(at, part.size());
  };
  if (elements.size() == 0 && elements.rank() == 1)
    drop(", shape=(0,)");
  DType type = elements.dtype();
  if (elements.size() > 0 && (type == DType::Bool || type == DType::I64 ||
                              type == DType::F64 || type == DType::C128))
    drop(cat(", dtype=", name(type)));
  return out;
}

std::string Value::str() const {
  if (const auto *integer = std::get_if<Integer>(&data))
    return integer->type == DType::Bool
               ? (integer->value ? "True" : "False")
               : cat("np.", name(integer->type), "(", integer->value, ")");
  if (const auto *real = std::get_if<Real>(&data))
    return real->type == DType::F64
               ? numberText(real->value, real->type)
               : cat("np.", name(real->type), "(",
                     numberText(real->value, real->type), ")");
  if (const std::string *words = text())
    return cat("'", *words, "'");
  if (const Tensor *elements = array()) {
    return cat("HashableArray(", numpyText(*elements), ")");
  }
  std::string list;
  for (const auto &[key, value] : *fields())
    list += cat(list.empty() ? "'" : ", '", key, "': ", value.str());
  return cat("FrozenDict({", list, "})");
}

/// Text as MLIR quotes it.
static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    char code[4];
    std::snprintf(code, sizeof(code), "\\%02X", c);
    if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
      out += code;
    else
      out += static_cast<char>(c);
  }
  return out + "\"";
}

/// The elements of an array: their bytes, or a list of booleans.
static Expected<std::string> denseElements(const Tensor &x) {
  if (!x.ok())
    return x.error();
  if (x.isTraced())
    return valueError("an array as attribute of an FFI call must have elements "
                      "where the call is traced, got ",
                      x.str());
  const auto *array = dynamic_cast<const ArrayValue *>(x.handle().get());
  if (!array)
    return valueError(
        "an attribute of an FFI call must be an array with elements, got ",
        x.str());
  Expected<std::shared_ptr<const void>> host = array->host();
  if (!host)
    return host.error();
  std::string type = cat(" : ", mlirType(x.aval())), out;
  if (x.size() == 0)
    return "dense<>" + type;
  if (x.rank() == 1 && x.dtype() == DType::Bool) {
    for (int64_t i = 0; i < x.size(); ++i)
      out += cat(i ? ", " : "",
                 readInt(host->get(), DType::Bool, i) ? "true" : "false");
    return cat("dense<[", out, "]>", type);
  }
  if (bitWidth(x.dtype()) < 8 || isWithoutElements(x.dtype()))
    return notImplemented("an array of ", name(x.dtype()), " and rank ",
                          x.rank(), " cannot be an attribute of an FFI call");
  const auto *bytes = static_cast<const unsigned char *>(host->get());
  for (int64_t i = 0; i < x.size() * byteWidth(x.dtype()); ++i) {
    char hex[3];
    std::snprintf(hex, sizeof(hex), "%02X", bytes[i]);
    out += hex;
  }
  return cat("dense<\"0x", out, "\">", type);
}

Expected<std::string> Value::attribute() const {
  if (const auto *integer = std::get_if<Integer>(&data)) {
    if (integer->type == DType::Bool)
      return std::string(integer->value ? "true" : "false");
    if (!isInteger(integer->type))
      return typeError(
          "an attribute of an FFI call cannot be a number of type ",
          name(integer->type));
    return cat(isUnsigned(integer->type)
                   ? std::to_string(static_cast<uint64_t>(integer->value))
                   : std::to_string(integer->value),
               " : ", mlirName(integer->type));
  }
  if (const auto *real = std::get_if<Real>(&data)) {
    // Exact, also for infinities: the bits.
    char text[40];
    if (real->type == DType::F64)
      std::snprintf(text, sizeof(text), "0x%016llX",
                    static_cast<unsigned long long>(
                        std::bit_cast<uint64_t>(real->value)));
    else if (real->type == DType::F32)
      std::snprintf(text, sizeof(text), "0x%08X",
                    std::bit_cast<uint32_t>(static_cast<float>(real->value)));
    else
      std::snprintf(text, sizeof(text), "%.17e", real->value);
    return cat(text, " : ", mlirName(real->type));
  }
  if (const std::string *words = text())
    return quoted(*words);
  if (const Tensor *elements = array())
    return denseElements(*elements);
  std::string list;
  for (const auto &[key, value] : *fields()) {
    Expected<std::string> field = value.attribute();
    if (!field)
      return field;
    list += cat(list.empty() ? "" : ", ", quoted(key), " = ", *field);
  }
  return cat("{", list, "}");
}

} // namespace shardwright::frontend::ffi
