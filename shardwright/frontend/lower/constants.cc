//===- constants.cc - constants as attributes -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/lower/constants.h"

#include "shardwright/frontend/trace/primitive.h"

#include <cmath>
#include <cstring>

namespace shardwright::frontend {

std::string mlirType(const Aval &aval) {
  std::string out = "tensor<";
  for (int64_t d : aval.shape)
    out += cat(d, "x");
  if (aval.dtype == DType::Key)
    out += "2x";
  return cat(out, mlirName(aval.dtype), ">");
}

static std::string hexOf(const void *data, int64_t bytes, bool reverse) {
  static const char digits[] = "0123456789ABCDEF";
  const auto *p = static_cast<const unsigned char *>(data);
  std::string out = "0x";
  out.reserve(2 + 2 * bytes);
  for (int64_t i = 0; i < bytes; ++i) {
    unsigned char c = p[reverse ? bytes - 1 - i : i];
    out += digits[c >> 4];
    out += digits[c & 15];
  }
  return out;
}

/// One element as a literal of an attribute.
static std::string elementLiteral(const void *data, DType type, int64_t i) {
  if (type == DType::Bool || isWithoutElements(type))
    return readInt(data, type, i) ? "true" : "false";
  if (type == DType::U64)
    return std::to_string(static_cast<uint64_t>(readInt(data, type, i)));
  if (isInteger(type))
    return std::to_string(readInt(data, type, i));
  const auto *bytes = static_cast<const char *>(data);
  int64_t width = byteWidth(type);
  if (isComplex(type))
    return cat("(", hexOf(bytes + i * width, width / 2, true), ", ",
               hexOf(bytes + i * width + width / 2, width / 2, true), ")");
  return hexOf(bytes + i * width, width, true);
}

std::string denseText(const void *data, const Aval &aval) {
  int64_t n = aval.shape.elements();
  DType type = aval.dtype == DType::Key ? DType::U32 : aval.dtype;
  if (aval.dtype == DType::Key)
    n *= 2;
  std::string tail = cat(" : ", mlirType(aval));
  if (n == 0)
    return "dense<>" + tail;
  int64_t width = byteWidth(type);
  bool splat = true;
  for (int64_t i = 1; i < n && splat; ++i)
    splat = std::memcmp(data, static_cast<const char *>(data) + i * width,
                        width) == 0;
  if (splat)
    return cat("dense<", elementLiteral(data, type, 0), ">", tail);
  if (bitWidth(type) >= 8)
    return cat("dense<\"", hexOf(data, n * width, false), "\">", tail);
  // Elements of less than a byte: nested lists.
  Shape shape = aval.shape;
  int64_t next = 0;
  std::function<std::string(int64_t)> level = [&](int64_t dim) {
    if (dim == shape.rank())
      return elementLiteral(data, type, next++);
    std::string out = "[";
    for (int64_t i = 0; i < shape[dim]; ++i)
      out += (i ? ", " : "") + level(dim + 1);
    return out + "]";
  };
  return cat("dense<", level(0), ">", tail);
}

std::string splatText(const Aval &aval, double value) {
  if (aval.shape.elements() == 0)
    return cat("dense<> : ", mlirType(aval));
  char element[16] = {};
  DType type = aval.dtype;
  if (type == DType::Key)
    return cat("dense<", std::isfinite(value) ? static_cast<int64_t>(value) : 0,
               "> : ", mlirType(aval));
  if (std::isinf(value) && !isInexact(type) && bitWidth(type)) {
    int bits = bitWidth(type);
    bool most = value > 0;
    int64_t v = type == DType::Bool ? most
                : isUnsigned(type)
                    ? (most ? (bits == 64 ? -1 : (1LL << bits) - 1) : 0)
                : most ? static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1)
                       : -static_cast<int64_t>(uint64_t(1) << (bits - 1));
    writeInt(element, type, 0, v);
  } else {
    writeNumber(element, type, 0, value);
  }
  return cat("dense<", elementLiteral(element, type, 0),
             "> : ", mlirType(aval));
}

} // namespace shardwright::frontend
