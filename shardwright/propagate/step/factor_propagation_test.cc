//===- factor_propagation_test.cc - projection and both strategies --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/step/factor_propagation.h"
#include "shardwright/propagate/step/factor_test_util.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace shardwright;
using namespace shardwright::test;

namespace {

/// Runs one step; tensors written "-" have no sharding. Returns every tensor's
/// sharding afterwards, printed ("-" for none).
std::vector<std::string> step(const ShardingRule &r,
                              std::vector<std::string> tensors,
                              StepOptions options = {}) {
  FactorLayout layout = *FactorLayout::create(r);
  std::vector<TensorSharding> values(tensors.size());
  std::vector<const TensorSharding *> refs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] == "-") {
      refs.push_back(nullptr);
      continue;
    }
    values[i] = sharding(tensors[i]);
    refs.push_back(&values[i]);
  }
  options.mesh = &mesh();
  FactorPropagation propagation;
  std::vector<std::string> out;
  for (const TensorSharding *s : refs)
    out.push_back(s ? str(*s, mesh()) : "-");
  for (const TensorUpdate &u : propagation.run(layout, refs, options))
    out[u.tensor] = str(u.sharding, mesh());
  return out;
}

std::string reshape(const ShardingRule &r, std::string operand) {
  return step(r, {operand, "-"})[1];
}

const ShardingRule kAdd = rule("i,j | i,j -> i,j", {8, 8});

StepOptions basic() {
  StepOptions o;
  o.strategy = Strategy::Basic;
  return o;
}
StepOptions elementwise() {
  StepOptions o;
  o.isElementwise = true;
  return o;
}

TEST(FactorProjection, ReshapeSplitsAndMergesAxes) {
  ShardingRule split = rule("ij,k -> i,j,k", {2, 4, 8});
  EXPECT_EQ(reshape(split, "d, "), R"([{"d":(1)2, ?}, {"d":(2)4, ?}, {?}])");
  ShardingRule join = rule("i,j,k -> ij,k", {2, 4, 8});
  EXPECT_EQ(reshape(join, "a, c, "), R"([{"a", "c", ?}, {?}])");
  // Strided shards cannot be expressed, so the axis is dropped.
  EXPECT_EQ(reshape(join, ", c, "), "-");
  ShardingRule padded = rule("ij,k -> i,j,k", {2, 3, 8});
  EXPECT_EQ(reshape(padded, "c, "), R"([{"c":(1)2, ?}, {"c":(2)2, ?}, {?}])");
  ShardingRule overflow = rule("ij,k -> i,j,k", {3, 2, 4});
  EXPECT_EQ(reshape(overflow, "c, "), "-");
  EXPECT_EQ(reshape(overflow, "e c, "), R"([{"e", ?}, {"c", ?}, {?}])");
  EXPECT_EQ(reshape(rule("i,j -> ij", {4, 2}), "d, "), R"([{"d":(1)4, ?}])");
}

TEST(FactorProjection, NonDivisibleAxesPropagate) {
  EXPECT_EQ(reshape(rule("i,j -> i,j", {6, 8}), "c, "), R"([{"c", ?}, {?}])");
}

TEST(FactorProjection, WritingBackKeepsWhatWasThere) {
  // Overflow axes are written back unchanged.
  FactorLayout layout = *FactorLayout::create(rule("ij,k -> i,j,k", {3, 2, 4}));
  TensorSharding s = sharding("c, a ?; b");
  TensorProjection p;
  p.assign(layout.tensors[0], layout.rule, &s);
  EXPECT_EQ(p.toSharding(layout.tensors[0], layout.rule, &s), s);
  EXPECT_TRUE(p.places[1].isClosed);
}

TEST(FactorProjection, MalformedRulesAreRefused) {
  EXPECT_FALSE(FactorLayout::create(rule("i,i -> i", {2})));
  EXPECT_FALSE(FactorLayout::create(rule("i,j -> i", {2})));
  EXPECT_FALSE(FactorLayout::create(rule("i -> i", {-2})));
}

TEST(MergeCompatible, Table) {
  auto merged = [](std::string a, std::string b, bool expand = true) {
    AxisList acc = axes(a);
    mergeCompatible(acc, axes(b), expand);
    std::string out;
    for (AxisRef x : acc)
      out += mesh().str(x);
    return out + (expand ? "" : "|");
  };
  EXPECT_EQ(merged("a", "a b"), R"("a""b")");
  EXPECT_EQ(merged("a b", "a c"), R"("a"|)");
  EXPECT_EQ(merged("d:(1)2", "d:(1)4"), R"("d":(1)4)");
  EXPECT_EQ(merged("d:(1)2 b", "d:(1)4 b"), R"("d":(1)2|)");
  EXPECT_EQ(merged("d:(1)4 b", "d:(1)2 b"), R"("d":(1)2|)");
  EXPECT_EQ(merged("d:(1)4", "d:(1)2"), R"("d":(1)4)");
  EXPECT_EQ(merged("a", "a b", false), R"("a"|)");
  EXPECT_EQ(merged("a", ""), R"("a")");
  EXPECT_EQ(merged("", "a b"), R"("a""b")");
}

TEST(Strategies, AxesThatAgreePropagate) {
  for (StepOptions o : {basic(), elementwise()})
    EXPECT_EQ(step(kAdd, {"a b, ", "a c, ", "-"}, o)[2], R"([{"a", ?}, {?}])");
}

TEST(Strategies, OneAxisOnTwoFactors) {
  EXPECT_EQ(step(kAdd, {"a, ", ", a", "-"}, basic())[2], "-");
  EXPECT_EQ(step(kAdd, {"a, ", ", a", "-"}, elementwise())[2],
            R"([{"a", ?}, {?}])");
  // For elementwise ops, more shards win.
  EXPECT_EQ(step(kAdd, {"a, ", ", a b", "-"}, elementwise())[2],
            R"([{?}, {"a", "b", ?}])");
}

TEST(Strategies, NoSidewaysFlowPastAClosedResult) {
  EXPECT_EQ(step(kAdd, {"a, ", "-", ", "}, elementwise())[1], "-");
  EXPECT_EQ(step(kAdd, {"a, ", "-", ", "}, basic())[1], "-");
  // Other ops propagate it.
  EXPECT_EQ(step(kAdd, {"a, ", "-", ", "})[1], R"([{"a", ?}, {?}])");
}

TEST(Strategies, ReplicatedAxesBlockOneTensorOnly) {
  auto r = step(kAdd, {"a, b", "?, ?; a", "-"}, elementwise());
  EXPECT_EQ(r[1], R"([{?}, {"b", ?}], replicated={"a"})");
  EXPECT_EQ(r[2], R"([{"a", ?}, {"b", ?}])");
  r = step(kAdd, {"a, b", "?, ?; a", "-"}, basic());
  EXPECT_EQ(r[2], R"([{?}, {"b", ?}])");
}

TEST(Strategies, ShorterSubAxisRestrictsBasicOnly) {
  ShardingRule add1 = rule("i | i -> i", {8});
  EXPECT_EQ(step(add1, {"d ?", "d:(1)2", "-"}, basic())[2],
            R"([{"d":(1)2, ?}])");
  EXPECT_EQ(step(add1, {"d ?", "d:(1)2", "-"}, elementwise())[2],
            R"([{"d", ?}])");
}

TEST(Strategies, LargerTensorWins) {
  // dot: i,k x k,j -> i,j; "a" on i (lhs, 32 elements) against j (rhs, 256).
  ShardingRule dot = rule("i,k | k,j -> i,j", {2, 16, 16});
  EXPECT_EQ(step(dot, {"a, ", ", a", "-"})[2], R"([{?}, {"a", ?}])");
  // Of the tensors with "a" on i (128 and 8 elements), the larger is compared
  // with the tensor that has it on j (32).
  ShardingRule more = rule("i,k | i | j,l -> i,j", {8, 8, 16, 4});
  EXPECT_EQ(step(more, {"a, ", "a", "a, ", "-"})[3], R"([{"a", ?}, {?}])");
}

TEST(Directions, ForwardBackwardNone) {
  ShardingRule neg = rule("i -> i", {8});
  StepOptions o;
  o.directions = {Direction::Forward, Direction::Forward};
  EXPECT_EQ(step(neg, {"a", "-"}, o)[1], R"([{"a", ?}])");
  EXPECT_EQ(step(neg, {"-", "a"}, o)[0], "-");
  o.directions = {Direction::Backward, Direction::Backward};
  EXPECT_EQ(step(neg, {"a", "-"}, o)[1], "-");
  EXPECT_EQ(step(neg, {"-", "a"}, o)[0], R"([{"a", ?}])");
  o.directions = {Direction::None, Direction::Both};
  EXPECT_EQ(step(neg, {"a", "-"}, o)[1], "-");
  neg.factors[0].kind = FactorKind::NeedReplication;
  EXPECT_EQ(step(neg, {"a", "-"}, o)[1], R"([{"a", ?}])");
  neg.factors[0].blocked = true;
  EXPECT_EQ(step(neg, {"a", "-"}, o)[1], "-");
}

TEST(Conservative, SubAxesStay) {
  StepOptions o;
  o.conservative = true;
  ShardingRule neg = rule("i -> i", {8});
  EXPECT_EQ(step(neg, {"d:(1)2", "-"}, o)[1], "-");
  EXPECT_EQ(step(neg, {"a d:(1)2", "-"}, o)[1], R"([{"a", ?}])");
  EXPECT_EQ(step(neg, {"c", "-"}, o)[1], R"([{"c", ?}])");
}

/// A random sharding of rank 2 that uses no axis twice.
TensorSharding arbitrarySharding() {
  TensorSharding s;
  s.dims.resize(2);
  for (int32_t axis = 0; axis < mesh().numAxes(); ++axis) {
    int where = *rc::gen::inRange(0, 6);
    AxisRef x = mesh().fullAxis(axis);
    if (x.size == 8 && *rc::gen::arbitrary<bool>())
      x = {axis, *rc::gen::element<int64_t>(1, 2), 2};
    if (where < 2)
      s.dims[where].axes.push_back(x);
    else if (where == 2)
      s.replicated.push_back(x);
  }
  for (DimSharding &d : s.dims)
    d.isClosed = *rc::gen::arbitrary<bool>();
  return s;
}

// For any shardings: axes are only added, closed dimensions stay, no axis is
// used twice, and repeated steps converge.
RC_GTEST_PROP(FactorPropagation, ExtendsSoundly, ()) {
  std::vector<ShardingRule> rules = {kAdd, rule("i,k | k,j -> i,j", {8, 4, 6}),
                                     rule("ij,k -> ik,j", {2, 4, 6}),
                                     rule("i,j -> j,i", {6, 4})};
  ShardingRule r = *rc::gen::elementOf(rules);
  FactorLayout layout = *FactorLayout::create(r);
  std::vector<TensorSharding> values;
  for (int64_t t = 0; t < r.numTensors(); ++t)
    values.push_back(arbitrarySharding());
  StepOptions o;
  o.strategy = *rc::gen::element(Strategy::Basic, Strategy::Aggressive);
  o.isElementwise = *rc::gen::arbitrary<bool>();
  o.mesh = &mesh();
  FactorPropagation propagation;
  bool rest = false;
  for (int round = 0; round < 50 && !rest; ++round) {
    std::vector<const TensorSharding *> refs;
    for (TensorSharding &v : values)
      refs.push_back(&v);
    auto updates = propagation.run(layout, refs, o);
    rest = updates.empty();
    std::vector<TensorUpdate> copy(updates.begin(), updates.end());
    for (TensorUpdate &u : copy) {
      const TensorSharding &old = values[u.tensor];
      for (auto [before, after] : llvm::zip_equal(old.dims, u.sharding.dims)) {
        RC_ASSERT(totalSize(after.axes) >= totalSize(before.axes));
        if (before.isClosed)
          RC_ASSERT(after.axes == before.axes);
      }
      AxisList all = u.sharding.allAxes();
      all.append(u.sharding.replicated);
      for (size_t i = 0; i < all.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          RC_ASSERT(!overlaps(all[i], all[j]));
      values[u.tensor] = u.sharding;
    }
  }
  RC_ASSERT(rest);
}

} // namespace
