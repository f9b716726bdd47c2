//===- npy_header.cc - the header of a .npy array -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npy_header.h"

#include "shardwright/support/error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"

using namespace shardwright;
using llvm::StringRef;

static const struct {
  ElementType type;
  const char *descr;
} numpyTypes[] = {
    {ElementType::Pred, "|b1"}, {ElementType::S8, "|i1"},
    {ElementType::S16, "<i2"},  {ElementType::S32, "<i4"},
    {ElementType::S64, "<i8"},  {ElementType::U8, "|u1"},
    {ElementType::U16, "<u2"},  {ElementType::U32, "<u4"},
    {ElementType::U64, "<u8"},  {ElementType::F16, "<f2"},
    {ElementType::F32, "<f4"},  {ElementType::F64, "<f8"},
    {ElementType::C64, "<c8"},  {ElementType::C128, "<c16"},
};

/// Parses a descr such as `<f4`.
static llvm::Expected<ElementType> parseDescr(StringRef descr) {
  StringRef kind = descr;
  char order = kind.empty() ? 0 : kind[0];
  if (order == '<' || order == '>' || order == '|' || order == '=')
    kind = kind.drop_front();
  // numpy saves the types of ml_dtypes as raw bytes.
  if (kind == "V1")
    return ElementType::U8;
  if (kind == "V2" && order != '>')
    return ElementType::U16;
  for (const auto &entry : numpyTypes) {
    if (kind != entry.descr + 1)
      continue;
    if (order == '>' && byteWidth(entry.type) > 1)
      return fail("dtype '", descr,
                  "' is big endian; save the array as little endian");
    return entry.type;
  }
  return fail("dtype '", descr, "' is not supported");
}

namespace {
/// Scanner of the Python dictionary in a header.
class Scanner {
public:
  explicit Scanner(StringRef t) : text(t) {}

  bool eat(char c) {
    text = text.ltrim(" \t\n\r");
    return text.consume_front(StringRef(&c, 1));
  }
  bool string(StringRef &out) {
    text = text.ltrim(" \t\n\r");
    if (text.empty() || (text[0] != '\'' && text[0] != '"'))
      return false;
    size_t end = text.find(text[0], 1);
    if (end == StringRef::npos)
      return false;
    out = text.slice(1, end);
    text = text.drop_front(end + 1);
    return true;
  }
  bool boolean(bool &out) {
    text = text.ltrim(" \t\n\r");
    if (text.consume_front("True")) {
      out = true;
      return true;
    }
    out = false;
    return text.consume_front("False");
  }
  bool shape(llvm::SmallVectorImpl<int64_t> &out) {
    if (!eat('('))
      return false;
    while (!eat(')')) {
      uint64_t size;
      text = text.ltrim(" \t\n\r");
      if (text.consumeInteger(10, size) || size > INT64_MAX)
        return false;
      text.consume_front("L"); // Python 2
      out.push_back(size);
      if (!eat(',')) {
        if (!eat(')'))
          return false;
        break;
      }
    }
    return true;
  }
  bool atEnd() { return text.trim(" \t\n\r").trim('\0').empty(); }
  bool startsList() {
    text = text.ltrim(" \t\n\r");
    return text.starts_with("[");
  }

private:
  StringRef text;
};
} // namespace

llvm::Expected<size_t> shardwright::npyHeaderBytes(StringRef prefix) {
  if (prefix.size() < 10 || !prefix.starts_with("\x93NUMPY"))
    return fail("not an npy array (no \\x93NUMPY at its start)");
  int major = uint8_t(prefix[6]);
  if (major < 1 || major > 3)
    return fail("npy format version ", major, " is not supported");
  if (major == 1)
    return 10 + size_t(llvm::support::endian::read16le(prefix.data() + 8));
  if (prefix.size() < 12)
    return fail("npy header ends too early");
  return 12 + size_t(llvm::support::endian::read32le(prefix.data() + 8));
}

llvm::Expected<NpyHeader> shardwright::parseNpyHeader(StringRef bytes) {
  llvm::Expected<size_t> length = npyHeaderBytes(bytes);
  if (!length)
    return length.takeError();
  if (bytes.size() < *length)
    return fail("npy header ends too early");
  NpyHeader header;
  header.dataOffset = *length;
  Scanner in(bytes.slice(bytes[6] == 1 ? 10 : 12, *length));

  bool seenDescr = false, seenOrder = false, seenShape = false;
  auto bad = [] { return fail("malformed npy header"); };
  if (!in.eat('{'))
    return bad();
  while (!in.eat('}')) {
    StringRef key;
    if (!in.string(key) || !in.eat(':'))
      return bad();
    if (key == "descr") {
      StringRef descr;
      if (in.startsList())
        return fail("structured dtypes are not supported");
      if (!in.string(descr))
        return bad();
      llvm::Expected<ElementType> type = parseDescr(descr);
      if (!type)
        return type.takeError();
      header.type = *type;
      seenDescr = true;
    } else if (key == "fortran_order") {
      if (!in.boolean(header.fortranOrder))
        return bad();
      seenOrder = true;
    } else if (key == "shape") {
      header.shape.clear();
      if (!in.shape(header.shape))
        return bad();
      seenShape = true;
    } else {
      return bad();
    }
    if (!in.eat(',')) {
      if (!in.eat('}'))
        return bad();
      break;
    }
  }
  if (!in.atEnd() || !seenDescr || !seenOrder || !seenShape)
    return bad();
  return header;
}

std::string shardwright::npyHeader(ElementType type,
                                   llvm::ArrayRef<int64_t> shape) {
  std::string dict = "{'descr': '";
  for (const auto &entry : numpyTypes)
    if (entry.type == type)
      dict += entry.descr;
  dict += "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    dict += (i ? " " : "") + std::to_string(shape[i]) +
            (i + 1 < shape.size() || i == 0 ? "," : "");
  dict += "), }";
  // Version 2 has a 32-bit length.
  bool large = dict.size() > 65000;
  size_t prefix = large ? 12 : 10;
  size_t total = (prefix + dict.size() + 1 + 63) / 64 * 64;
  dict.resize(total - prefix - 1, ' ');
  dict += '\n';
  std::string header("\x93NUMPY", 6);
  header += char(large ? 2 : 1);
  header += '\0';
  for (int i = 0; i < (large ? 4 : 2); ++i)
    header += char(dict.size() >> (8 * i));
  return header + dict;
}
