//===- bool_hex_test.cc - tests of boolean constants ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/input/bool_hex.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace shardwright;

static std::string toBits(const std::string &text) {
  return boolBytesToBits(llvm::MemoryBuffer::getMemBufferCopy(text, "t.mlir"))
      ->getBuffer()
      .str();
}

TEST(BoolHex, PacksBytesInPlace) {
  EXPECT_EQ(toBits(R"(a = dense<"0x010001010000000001"> : tensor<3x3xi1> b)"),
            R"(a = dense<"0x0D01">               : tensor<3x3xi1> b)");
}

TEST(BoolHex, UnpacksBits) {
  EXPECT_EQ(boolBitsToBytes(R"(x dense<"0x0D01"> : tensor<9xi1> y)"),
            R"(x dense<"0x010001010000000001"> : tensor<9xi1> y)");
}

TEST(BoolHex, LeavesTheRest) {
  for (std::string text : {
           R"(dense<"0x0D01"> : tensor<9xi1>)",     // bits already
           R"(dense<"0x01000100"> : tensor<4xi8>)", // no booleans
           R"(dense<"0x0100"> : tensor<0xi1>)",     // neither
           R"(dense<"0x01"> : tensor<1xi1>)",       // a splat
           R"(dense<"0x0100)",
           R"(dense<"0x0100">)",
           R"(dense<"0x0g00"> : tensor<2xi1>)",
           R"(dense<"0x0100"> : tensor<99999999999x99999999999x2xi1>)",
           R"(dense<"0x0100"> : tensor<?xi1>)",
           R"(dense<[true, false]> : tensor<2xi1>)",
       })
    EXPECT_EQ(toBits(text), text);
  for (std::string text : {
           R"(dense<"0x010001010000000001"> : tensor<9xi1>)",
           R"(dense<"0x0D01"> : tensor<2xi8>)",
           R"(dense<"0x01"> : tensor<3xi1>)",
       })
    EXPECT_EQ(boolBitsToBytes(text), text);
}

RC_GTEST_PROP(BoolHex, ThereAndBack, (std::vector<bool> values)) {
  RC_PRE(values.size() > 8);
  std::string text = "x dense<\"0x";
  for (bool value : values)
    text += value ? "01" : "00";
  text += "\"> : tensor<" + std::to_string(values.size()) + "xi1> y";
  std::string bits = toBits(text);
  RC_ASSERT(bits.size() == text.size());
  // Equal except for blanks.
  std::string back = boolBitsToBytes(bits);
  back.erase(std::remove(back.begin(), back.end(), ' '), back.end());
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  RC_ASSERT(back == text);
}
