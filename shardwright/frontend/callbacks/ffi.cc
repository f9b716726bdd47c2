//===- ffi.cc - attributes and functions of calls by name -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/ffi.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/trace/primitive.h"
#include "shardwright/runtime/custom_call.h"

#include "llvm/Support/Error.h"

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

static std::string numberText(double value) {
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  std::string out = text;
  return out.find_first_not_of("-0123456789") == out.npos ? out + ".0" : out;
}

std::string Value::str() const {
  if (const auto *integer = std::get_if<Integer>(&data))
    return integer->type == DType::Bool
               ? (integer->value ? "True" : "False")
               : cat("np.", name(integer->type), "(", integer->value, ")");
  if (const auto *real = std::get_if<Real>(&data))
    return real->type == DType::F64 ? numberText(real->value)
                                    : cat("np.", name(real->type), "(",
                                          numberText(real->value), ")");
  if (const std::string *words = text())
    return cat("'", *words, "'");
  if (const Tensor *elements = array()) {
    // numpy's name of arrays.
    std::string out = elements->ok() ? elements->repr() : "Array()";
    if (!out.empty())
      out[0] = 'a';
    return cat("HashableArray(", out, ")");
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
    return valueError("an attribute of an FFI call is no array: ", x.str());
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
                          x.rank(), " is no attribute of an FFI call");
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

int64_t Buffer::elements() const { return Shape(shape).elements(); }

static Value valueOf(const cpu::LibraryAttribute &attribute) {
  using Kind = cpu::LibraryAttribute::Kind;
  auto type = static_cast<DType>(attribute.type);
  switch (attribute.kind) {
  case Kind::Text:
    return Value(attribute.text);
  case Kind::Dictionary: {
    Attributes fields;
    for (const cpu::LibraryAttribute &field : attribute.fields)
      fields.insert_or_assign(field.name, valueOf(field));
    return Value(std::move(fields));
  }
  case Kind::Integers:
  case Kind::Reals:
    break;
  }
  bool isReal = attribute.kind == Kind::Reals;
  if (!attribute.isArray)
    return isReal
               ? Value(type, attribute.reals.empty() ? 0 : attribute.reals[0])
               : Value(type,
                       attribute.integers.empty() ? 0 : attribute.integers[0]);
  auto n = static_cast<int64_t>(isReal ? attribute.reals.size()
                                       : attribute.integers.size());
  Aval aval{type, Shape{n}};
  std::shared_ptr<void> elements = allocateHost(bytesOf(aval));
  for (int64_t i = 0; elements && i < n; ++i)
    if (isReal)
      writeNumber(elements.get(), type, i, attribute.reals[i]);
    else
      writeInt(elements.get(), type, i, attribute.integers[i]);
  return elements ? Value(arrayOfHost(aval, std::move(elements))) : Value();
}

static std::vector<Buffer> buffersOf(llvm::ArrayRef<CustomCallBuffer> buffers) {
  std::vector<Buffer> out;
  for (const CustomCallBuffer &buffer : buffers)
    out.push_back({static_cast<DType>(buffer.type),
                   Ints(buffer.shape.begin(), buffer.shape.end()),
                   buffer.data});
  return out;
}

Status registerTarget(const std::string &name, Handler handler) {
  if (!handler)
    return valueError("registerTarget got an empty function for '", name, "'");
  auto function = [handler = std::move(handler)](const CustomCall &call) {
    Call own{
        buffersOf(call.operands), buffersOf(call.results), {}, call.device};
    for (const cpu::LibraryAttribute &attribute : call.attributes)
      own.attributes.insert_or_assign(attribute.name, valueOf(attribute));
    Status status = handler(own);
    return status ? llvm::Error::success()
                  : llvm::createStringError(status.error().text);
  };
  if (llvm::Error error = registerCustomCall(name, function))
    return fromLlvm(std::move(error));
  return {};
}
bool unregisterTarget(const std::string &name) {
  return unregisterCustomCall(name);
}

} // namespace shardwright::frontend::ffi
