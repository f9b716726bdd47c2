//===- nesting_test.cc - tests of nesting limits --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/nesting.h"

#include "gtest/gtest.h"

namespace shardwright {
namespace {

using What = NestingExcess::What;

std::string repeat(const std::string &text, int64_t times) {
  std::string all;
  for (int64_t i = 0; i < times; ++i)
    all += text;
  return all;
}

std::optional<What> excess(const std::string &text) {
  auto found = findMlirNestingExcess(text);
  return found ? std::optional(found->what) : std::nullopt;
}

TEST(Nesting, CountsBracketsOfAllKinds) {
  for (std::string open : {"(", "[", "{", "<", "module {"}) {
    EXPECT_EQ(excess(repeat(open, maxTextNesting)), std::nullopt) << open;
    EXPECT_EQ(excess(repeat(open, maxTextNesting + 1)), What::Brackets) << open;
  }
  std::string open = repeat("({[<", maxTextNesting / 4);
  EXPECT_EQ(excess(open), std::nullopt);
  auto found = findMlirNestingExcess(open + "  (");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->offset, open.size() + 2);
}

TEST(Nesting, ABracketOfAnotherKindClosesNothing) {
  EXPECT_EQ(excess(repeat("(>", maxTextNesting + 1)), What::Brackets);
  EXPECT_EQ(excess(repeat("<->", maxTextNesting + 1)), What::Brackets);
  EXPECT_EQ(excess(repeat("<>=", maxTextNesting + 1)), What::Brackets);
  EXPECT_EQ(excess(repeat("(<=)", maxTextNesting + 1)), std::nullopt);
}

TEST(Nesting, PassesOverStringsAndComments) {
  EXPECT_EQ(excess("\"" + repeat("{", 1000) + "\""), std::nullopt);
  EXPECT_EQ(excess("\"\\\"" + repeat("{", 1000) + "\""), std::nullopt);
  EXPECT_EQ(excess("// " + repeat("{", 1000) + "\n"), std::nullopt);
  EXPECT_EQ(excess("// \n" + repeat("{", 1000)), What::Brackets);
  EXPECT_EQ(excess("\"\"" + repeat("{", 1000)), What::Brackets);
}

TEST(Nesting, OperatorsOfOneExpressionNest) {
  for (std::string op : {"d0+", "d0-", "-", "d0 mod ", "(d0+d1)*"})
    EXPECT_EQ(excess("affine_map<(d0) -> (" + repeat(op, 1000)),
              What::Operators)
        << op;
  EXPECT_EQ(excess("dense<[" + repeat("-1, 1.0e-05, ", 1000) + "]>"),
            std::nullopt);
  EXPECT_EQ(excess(repeat("a -> ", 1000)), std::nullopt);
}

TEST(Nesting, AliasesCountAsWhatTheyStandFor) {
  std::string deep = "#a0 = [1]\n", wide = "!t0 = tuple<i1>\n", chain;
  for (int i = 1; i < 5000; ++i) {
    std::string before = std::to_string(i - 1), now = std::to_string(i);
    deep += "#a" + now + " = [#a" + before + "]\n";
    chain += "#l" + now + " = loc(callsite(#l0 at #l" + before + "))\n";
    if (i < 40)
      wide +=
          "!t" + now + " = () ->\n tuple<!t" + before + ", !t" + before + ">\n";
  }
  EXPECT_EQ(excess(deep), What::AliasDepth);
  EXPECT_EQ(excess(chain), What::AliasDepth);
  EXPECT_EQ(excess(wide), What::AliasSize);
  // Aliases are counted separately from each other and from the text after
  // them.
  std::string many = "#a = [1]\n#b = [#a, #a]\n";
  many += "module {\n" + repeat("op {x = #b} : #stablehlo.y<[1]>\n", 300000);
  EXPECT_EQ(excess(many + "}\n#loc = loc(unknown)\n" + many), std::nullopt);
}

TEST(Nesting, CountsSizesOfAShape) {
  EXPECT_EQ(excess("tensor<" + repeat("1x", 1024) + "f32>"), std::nullopt);
  EXPECT_EQ(excess("tensor<" + repeat("1x", 1025) + "f32>"), What::Rank);
  EXPECT_EQ(excess("tensor<" + repeat("?x", 1025) + "f32>"), What::Rank);
  EXPECT_EQ(excess("tensor<" + repeat("1 x ", 1025) + "f32>"), What::Rank);
  EXPECT_EQ(excess(repeat("tensor<1x1xf32>, ", 1000)), std::nullopt);
}

TEST(Nesting, Json) {
  EXPECT_EQ(findJsonNestingExcess(repeat("[", maxJsonNesting)), std::nullopt);
  EXPECT_EQ(findJsonNestingExcess(repeat("[", maxJsonNesting + 1)), 100u);
  EXPECT_EQ(findJsonNestingExcess(repeat("{\"a\":", 101)), 500u);
  EXPECT_EQ(findJsonNestingExcess("\"" + repeat("[", 200) + "\""),
            std::nullopt);
  EXPECT_EQ(findJsonNestingExcess(repeat("[],", 200)), std::nullopt);
}

} // namespace
} // namespace shardwright
