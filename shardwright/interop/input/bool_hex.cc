//===- bool_hex.cc - hex text of boolean constants ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/input/bool_hex.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace llvm;

namespace shardwright {
namespace {

constexpr StringLiteral kPrefix("dense<\"0x");

/// The constant whose digits start at the beginning of `rest`.
struct BoolConstant {
  StringRef digits;
  int64_t elements = 0;
};

/// None for other element types or unknown forms.
std::optional<BoolConstant> boolConstant(StringRef rest) {
  BoolConstant found;
  size_t end = rest.find('"');
  if (end == StringRef::npos)
    return std::nullopt;
  found.digits = rest.take_front(end);
  StringRef type = rest.drop_front(end + 1);
  if (!type.consume_front(">"))
    return std::nullopt;
  type = type.ltrim(' ');
  if (!type.consume_front(":"))
    return std::nullopt;
  type = type.ltrim(' ');
  if (!type.consume_front("tensor<") && !type.consume_front("vector<"))
    return std::nullopt;
  found.elements = 1;
  int64_t size;
  while (!type.consumeInteger(10, size)) {
    if (size < 0 || MulOverflow(found.elements, size, found.elements) ||
        !type.consume_front("x"))
      return std::nullopt;
  }
  if (!type.starts_with("i1>") && !type.starts_with("i1,"))
    return std::nullopt;
  return found;
}

/// One byte would be a splat in one format and eight elements in the other;
/// neither writes it.
bool isBytes(const BoolConstant &c) {
  return c.elements > 1 && int64_t(c.digits.size()) == 2 * c.elements &&
         all_of(c.digits, isHexDigit);
}
bool isBits(const BoolConstant &c) {
  int64_t bytes = divideCeil(c.elements, 8);
  return bytes > 1 && int64_t(c.digits.size()) == 2 * bytes &&
         all_of(c.digits, isHexDigit);
}

unsigned byteAt(StringRef digits, int64_t i) {
  return 16 * hexDigitValue(digits[2 * i]) + hexDigitValue(digits[2 * i + 1]);
}

void appendByte(std::string &to, unsigned byte) {
  to += hexdigit(byte >> 4);
  to += hexdigit(byte & 15);
}

/// Calls `visit(begin of the digits, constant)` for each constant in order.
template <typename Visit>
void forEachBoolConstant(StringRef text, Visit visit) {
  for (size_t at = text.find(kPrefix); at != StringRef::npos;
       at = text.find(kPrefix, at)) {
    at += kPrefix.size();
    if (std::optional<BoolConstant> c = boolConstant(text.drop_front(at))) {
      visit(at, *c);
      at += c->digits.size();
    }
  }
}

} // namespace

std::unique_ptr<MemoryBuffer>
boolBytesToBits(std::unique_ptr<MemoryBuffer> text) {
  StringRef content = text->getBuffer();
  std::unique_ptr<WritableMemoryBuffer> changed;
  forEachBoolConstant(content, [&](size_t at, const BoolConstant &c) {
    if (!isBytes(c))
      return;
    if (!changed) {
      changed = WritableMemoryBuffer::getNewUninitMemBuffer(
          content.size(), text->getBufferIdentifier());
      if (!changed)
        return;
      copy(content, changed->getBufferStart());
    }
    std::string bits;
    for (int64_t i = 0; i < c.elements; i += 8) {
      unsigned byte = 0;
      for (int64_t k = i; k < std::min(i + 8, c.elements); ++k)
        byte |= unsigned(byteAt(c.digits, k) != 0) << (k - i);
      appendByte(bits, byte);
    }
    bits += "\">";
    char *to = changed->getBufferStart() + at;
    std::fill_n(copy(bits, to), c.digits.size() + 2 - bits.size(), ' ');
  });
  return changed ? std::move(changed) : std::move(text);
}

std::string boolBitsToBytes(std::string text) {
  std::string changed;
  size_t done = 0;
  forEachBoolConstant(text, [&](size_t at, const BoolConstant &c) {
    if (!isBits(c))
      return;
    changed.append(text, done, at - done);
    for (int64_t i = 0; i < c.elements; ++i)
      appendByte(changed, byteAt(c.digits, i / 8) >> (i % 8) & 1);
    done = at + c.digits.size();
  });
  if (done == 0)
    return text;
  changed.append(text, done);
  return changed;
}

} // namespace shardwright
