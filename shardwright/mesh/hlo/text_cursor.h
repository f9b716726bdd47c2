//===- text_cursor.h - a cursor in a sharding's text ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_TEXT_CURSOR_H
#define SHARDWRIGHT_MESH_HLO_TEXT_CURSOR_H

#include "shardwright/mesh/hlo/sharding_checks.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Error.h"

#include <string>

namespace shardwright {

/// Consumes tokens from the front of a text. Functions that return bool return
/// false if the text has another token; the first failure is kept with its
/// column. Blanks and comments before a token are skipped.
class TextCursor {
protected:
  explicit TextCursor(llvm::StringRef text) : text(text), rest(text) {}

  bool fail(const llvm::Twine &message) {
    if (error.empty())
      error = ("column " + llvm::Twine(text.size() - rest.size() + 1) + ": " +
               message + ", in '" + text.take_front(200) + "'")
                  .str();
    return false;
  }
  llvm::Error takeError() { return llvm::createStringError(error); }

  void skipBlanks() {
    while (true) {
      rest = rest.ltrim();
      if (!rest.starts_with("/*"))
        return;
      size_t end = rest.find("*/", 2);
      if (end == llvm::StringRef::npos)
        return;
      rest = rest.drop_front(end + 2);
    }
  }
  bool accept(llvm::StringRef token) {
    skipBlanks();
    return rest.consume_front(token);
  }
  bool peek(llvm::StringRef token) {
    skipBlanks();
    return rest.starts_with(token);
  }
  bool expect(llvm::StringRef token) {
    return accept(token) || fail("expected '" + token + "'");
  }
  /// Consumes the `=` after a word.
  bool equals() {
    return rest.consume_front("=") || fail("expected '=' after the word");
  }
  /// The identifier at the cursor, not consumed.
  llvm::StringRef peekWord() {
    skipBlanks();
    return rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  }
  bool acceptWord(llvm::StringRef word) {
    if (peekWord() != word)
      return false;
    rest = rest.drop_front(word.size());
    return true;
  }
  bool integer(int64_t &value) {
    skipBlanks();
    llvm::StringRef digits = rest;
    digits.consume_front("-");
    size_t length = digits.take_while(llvm::isDigit).size();
    llvm::StringRef number =
        rest.take_front(rest.size() - digits.size() + length);
    if (length == 0)
      return fail("expected an integer");
    if (number.getAsInteger(10, value))
      return fail("'" + number + "' does not fit 64 bits");
    rest = rest.drop_front(number.size());
    return true;
  }
  bool integers(llvm::SmallVectorImpl<int64_t> &values) {
    do {
      int64_t value;
      if (!integer(value))
        return false;
      values.push_back(value);
    } while (accept(","));
    return true;
  }
  bool sizes(llvm::SmallVectorImpl<int64_t> &values) {
    // Longer device lists are errors.
    constexpr int64_t maxDevices = int64_t(1) << 40;
    if (!expect("[") || !integers(values) || !expect("]"))
      return false;
    auto product = checkedProduct(values);
    if (!product)
      return fail("sizes must be positive and their product must fit 64 bits");
    if (*product > maxDevices)
      return fail(llvm::Twine(*product) +
                  " devices are more than a sharding can name");
    return true;
  }
  bool quoted(std::string &value) {
    skipBlanks();
    if (rest.empty() || (rest[0] != '"' && rest[0] != '\''))
      return fail("expected a quoted name");
    char quote = rest[0];
    value.clear();
    for (size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] == quote) {
        // As in the protocol buffer, whose strings are UTF-8.
        auto *begin = reinterpret_cast<const llvm::UTF8 *>(value.data());
        if (!llvm::isLegalUTF8String(&begin, begin + value.size()))
          return fail("a string is not UTF-8");
        if (llvm::StringRef(value).contains('\0'))
          return fail("a string holds a zero byte");
        rest = rest.drop_front(i + 1);
        return true;
      }
      if (rest[i] == '\\' && i + 1 < rest.size())
        ++i;
      value += rest[i];
    }
    return fail("the quote is not closed");
  }

  llvm::StringRef text, rest;
  std::string error;
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_TEXT_CURSOR_H
