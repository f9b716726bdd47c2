//===- printable.cc - escape text for a terminal --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace shardwright {

/// Length of the UTF-8 character at the start of `text`; 0 if it is invalid.
static size_t characterBytes(StringRef text) {
  auto *begin = reinterpret_cast<const UTF8 *>(text.data());
  size_t size = getNumBytesForUTF8(*begin);
  return size <= text.size() && isLegalUTF8Sequence(begin, begin + size) ? size
                                                                         : 0;
}

/// True for control characters of ASCII and Latin-1, and characters that change
/// the writing direction.
static bool isControl(StringRef character) {
  auto byte = [&](size_t i) { return uint8_t(character[i]); };
  if (character.size() == 1)
    return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2)
    return byte(0) == 0xc2 && byte(1) < 0xa0;
  return character.size() == 3 && byte(0) == 0xe2 &&
         ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
          (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));
}

void writePrintable(StringRef text, raw_ostream &os) {
  while (!text.empty()) {
    // Most text is plain.
    StringRef plain = text.take_while([](char c) {
      return (uint8_t(c) >= 0x20 && uint8_t(c) < 0x7f) || c == '\n' ||
             c == '\t';
    });
    os << plain;
    text = text.drop_front(plain.size());
    if (text.empty())
      return;
    size_t size = characterBytes(text);
    StringRef character = text.take_front(std::max<size_t>(size, 1));
    text = text.drop_front(character.size());
    if (size != 0 && !isControl(character)) {
      os << character;
      continue;
    }
    for (char c : character)
      os << "\\x" << toHex(StringRef(&c, 1), /*LowerCase=*/true);
  }
}

std::string printable(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  for (StringRef rest = text; !rest.empty();) {
    size_t end = std::min(rest.find('\n'), rest.size());
    writePrintable(rest.take_front(end), os);
    if (end < rest.size())
      os << "\\n";
    rest = rest.drop_front(std::min(end + 1, rest.size()));
  }
  return result;
}

void PrintableStream::write_impl(const char *data, size_t size) {
  StringRef text(data, size);
  std::string joined;
  if (!begun.empty()) {
    joined = std::move(begun) + text.str();
    begun.clear();
    text = joined;
  }
  // The last character may be continued in the next write.
  for (size_t n = 1; n <= std::min<size_t>(3, text.size()); ++n) {
    auto first = uint8_t(text[text.size() - n]);
    if (first < 0x80)
      break;
    if (first < 0xc0)
      continue;
    if (getNumBytesForUTF8(first) > n) {
      begun = text.take_back(n).str();
      text = text.drop_back(n);
    }
    break;
  }
  writePrintable(text, to);
}

} // namespace shardwright
