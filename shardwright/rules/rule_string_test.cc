//===- rule_string_test.cc - JAX's rule strings ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/rule_string.h"

#include "shardwright/rules/rule_attr.h"

#include <gtest/gtest.h>

using namespace shardwright;

namespace {

std::string attrOf(llvm::StringRef text, llvm::ArrayRef<Shape> operands,
                   llvm::ArrayRef<Shape> results,
                   const RuleStringOptions &options = {}) {
  llvm::Expected<ShardingRule> rule =
      parseRuleString(text, operands, results, options);
  if (!rule)
    return llvm::toString(rule.takeError());
  mlir::MLIRContext context;
  context.loadDialect<sdy::SdyDialect>();
  std::string result;
  llvm::raw_string_ostream(result) << toAttr(*rule, &context);
  return result;
}

// Expected attributes are those of JAX 0.10.2.
TEST(RuleString, GivesTheAttributeOfJax) {
  EXPECT_EQ(attrOf("i k, k j -> i j", {{4, 8}, {8, 2}}, {{4, 2}},
                   {.reduction = {"k"}}),
            "#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=4, j=8, k=2} "
            "reduction={j}, custom>");
  EXPECT_EQ(attrOf("i (j k) -> (i j) k", {{4, 8}}, {{8, 4}},
                   {.factorSizes = {{"j", 2}, {"k", 4}}}),
            "factor k is a whole dimension; its size must not be given\n"
            "  i (j k) -> (i j) k\n"
            "                   ^");
  EXPECT_EQ(attrOf("i (j k) -> (i j) k", {{4, 8}}, {{8, 4}},
                   {.factorSizes = {{"j", 2}}}),
            "#sdy.op_sharding_rule<([i, jk])->([ij, k]) {i=4, j=2, k=4}, "
            "custom>");
  EXPECT_EQ(attrOf("a, a -> a", {{8}, {4}}, {{6}}),
            "#sdy.op_sharding_rule<([i], [i])->([i]) {i=4}, custom>");
  EXPECT_EQ(attrOf("... a -> ... a", {{2, 3, 8}}, {{2, 3, 8}}),
            "#sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=2, j=3, k=8}, "
            "custom>");
}

TEST(RuleString, TakesDimensionsOfSizeZero) {
  EXPECT_EQ(attrOf("a b -> b a", {{0, 8}}, {{8, 0}}),
            "#sdy.op_sharding_rule<([i, j])->([j, i]) {i=0, j=8}, custom>");
}

TEST(RuleString, PointsAtWhatIsWrong) {
  EXPECT_EQ(attrOf("i k, k j", {}, {}), "there is no -> in the rule\n"
                                        "  i k, k j\n"
                                        "          ^");
  EXPECT_EQ(attrOf("i 1 -> i", {{2, 2}}, {{2}}),
            "a factor's name begins with a letter\n"
            "  i 1 -> i\n"
            "    ^");
  EXPECT_EQ(attrOf("a a -> a", {{2, 2}}, {{2}}),
            "factor a is twice in this operand\n"
            "  a a -> a\n"
            "    ^");
  EXPECT_EQ(attrOf("a (b c -> a", {{2, 2}}, {{2}}),
            "this bracket is never closed\n"
            "  a (b c -> a\n"
            "    ^");
  EXPECT_EQ(attrOf("(b c) -> b", {{6}}, {{2}}),
            "factor c is only part of dimensions; its size must be given\n"
            "  (b c) -> b\n"
            "     ^");
  EXPECT_EQ(attrOf("... a -> a", {{6}}, {{2, 2}}),
            "this result has rank 1 in the rule, but rank 2 in the operation\n"
            "  ... a -> a\n"
            "           ^");
  EXPECT_EQ(attrOf("a b -> a", {{4, 8}}, {{4}}, {.reduction = {"a"}}),
            "factor a is reduced, so no result can hold it\n"
            "  a b -> a\n"
            "         ^");
  EXPECT_EQ(attrOf("(a b) -> a b", {{8}}, {{8, 1}}),
            "factor b of size 1 must stand alone, not be part of a dimension\n"
            "  (a b) -> a b\n"
            "     ^");
}

TEST(RuleString, IsPrinted) {
  llvm::Expected<ShardingRule> rule = parseRuleString(
      "a (b c), c -> (a b)", {{4, 8}, {4}}, {{8}}, {.factorSizes = {{"b", 2}}});
  ASSERT_TRUE(bool(rule)) << llvm::toString(rule.takeError());
  EXPECT_EQ(ruleString(*rule), "i (j k), k -> (i j)");
}

} // namespace
