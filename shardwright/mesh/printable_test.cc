//===- printable_test.cc - tests of escaped text --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/printable.h"

#include "gtest/gtest.h"

namespace shardwright {
namespace {

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("plain text"), "plain text");
  EXPECT_EQ(printable("\x1b[2Jx\r\x7f"), "\\x1b[2Jx\\x0d\\x7f");
  EXPECT_EQ(printable("a\nb\tc\n"), "a\\nb\tc\\n");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");          // CSI of Latin-1
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae"); // right to left
  EXPECT_EQ(printable(llvm::StringRef("a\0b", 3)), "a\\x00b");
}

TEST(Printable, LeavesUtf8AndEscapesOtherBytes) {
  EXPECT_EQ(printable("größe → 😀"), "größe → 😀");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xe2\x82x"), "\\xe2\\x82x");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
}

TEST(Printable, AStreamSeesCharactersThatAreWrittenInParts) {
  std::string text;
  llvm::raw_string_ostream to(text);
  PrintableStream os(to);
  for (char c : std::string("ö😀\x1b\n"))
    os << c;
  EXPECT_EQ(text, "ö😀\\x1b\n");
  os << "\xc3" << "x";
  EXPECT_EQ(text, "ö😀\\x1b\n\\xc3x");
}

} // namespace
} // namespace shardwright
