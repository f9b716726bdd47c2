//===- rule_attr_test.cc - rules survive a round trip ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/rule_attr.h"

#include "shardwright/rules/rule_builder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mlir;
using namespace shardwright;

namespace {

std::string print(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

class RuleAttr : public testing::Test {
protected:
  RuleAttr() { context.loadDialect<sdy::SdyDialect>(); }

  Type tensor(llvm::ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, Float32Type::get(&context));
  }
  std::string text(RuleBuilder &builder) {
    ShardingRule rule = builder.finish();
    EXPECT_EQ(fromAttr(toAttr(rule, &context)), rule);
    return print(toAttr(rule, &context));
  }

  MLIRContext context;
};

TEST_F(RuleAttr, SizeOneJoinsNoCompound) {
  RuleBuilder builder(TypeRange{tensor({4, 1})}, TypeRange{tensor({4})});
  builder.add({0}, {0}, 4).add({0}, {kNoDim}, 1).add({1}, {0}, 1);
  EXPECT_EQ(text(builder),
            "#sdy.op_sharding_rule<([i, k])->([i]) {i=4, j=1, k=1}>");
}

TEST_F(RuleAttr, DimensionsWithoutFactorAreFilledLast) {
  RuleBuilder builder(TypeRange{tensor({4, 8}), tensor({8, 2})},
                      TypeRange{tensor({4, 2})});
  builder.add({1, 0}, {kNoDim}, 8, FactorKind::Reduction);
  EXPECT_EQ(text(builder), "#sdy.op_sharding_rule<([j, i], [i, k])->([l, m]) "
                           "{i=8, j=1, k=1, l=1, m=1} reduction={i}>");
}

TEST_F(RuleAttr, KindsAndBlocks) {
  RuleBuilder builder(TypeRange{tensor({4, 8, 2}), tensor({})},
                      TypeRange{tensor({4, 6, 2})});
  builder.mismatch({4, 8, 2}, {4, 6, 2}, FactorKind::Permutation, true);
  EXPECT_EQ(text(builder),
            "#sdy.op_sharding_rule<([i, j, k], [])->([i, j, k]) {i=4, j=8, "
            "k=2} permutation={j} blocked_propagation={j}>");
}

TEST_F(RuleAttr, DimensionsThatDoNotExistAreIgnored) {
  RuleBuilder builder(TypeRange{tensor({4})}, TypeRange{tensor({4})});
  builder.add({5}, {-3}, 7).all(9, 2);
  builder.all(0, 4);
  ShardingRule rule = builder.finish();
  EXPECT_EQ(rule.factors.size(), 3u);
  EXPECT_TRUE(rule.inAllNonScalars(2));
}

TEST_F(RuleAttr, BadIndicesAreRefused) {
  auto mapping = sdy::TensorMappingAttr::get(
      &context, {sdy::DimMappingAttr::get(&context, {1})});
  auto attr = sdy::OpShardingRuleAttr::get(&context, {4}, {mapping}, {mapping},
                                           {}, {}, {}, {}, false);
  EXPECT_FALSE(fromAttr(attr).has_value());
  attr = sdy::OpShardingRuleAttr::get(&context, {4}, {}, {}, {}, {7}, {}, {},
                                      false);
  EXPECT_FALSE(fromAttr(attr).has_value());
}

TEST(ShardingRule, Identity) {
  ShardingRule rule = identityRule({4, 8}, 3);
  EXPECT_EQ(rule.operands.size(), 3u);
  EXPECT_EQ(rule.numTensors(), 4);
  EXPECT_TRUE(rule.isBatching(0));
  EXPECT_TRUE(rule.holds(3, 1));
  EXPECT_FALSE(rule.hasKind(FactorKind::Reduction));
}

} // namespace
