//===- axis_test.cc - the axis algebra against sets of digits -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model: an axis of size n = d0 * d1 * ... is a string of digits, major to
// minor; a reference that is compatible with this splitting is a range of
// digits. Each operation of the algebra is then an operation on ranges.
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/axis.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace shardwright;

namespace {

/// Digits [begin, end) of a splitting.
struct Range {
  int begin, end;
  bool empty() const { return begin >= end; }
};

struct Splitting {
  std::vector<int64_t> digits;

  int64_t before(int digit) const {
    int64_t product = 1;
    for (int i = 0; i < digit; ++i)
      product *= digits[i];
    return product;
  }
  int64_t size() const { return before(digits.size()); }
  AxisRef ref(Range r, int32_t axis = 0) const {
    return {axis, before(r.begin), before(r.end) / before(r.begin)};
  }
  std::optional<AxisRef> maybe(Range r) const {
    return r.empty() ? std::nullopt : std::optional(ref(r));
  }
};

Splitting anySplitting() {
  Splitting s;
  int count = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 6));
  for (int i = 0; i < count; ++i)
    s.digits.push_back(
        *rc::gen::elementOf(std::vector<int64_t>{2, 3, 4, 5, 6}));
  return s;
}

Range anyRange(const Splitting &s) {
  int n = s.digits.size();
  int begin = *rc::gen::inRange(0, n);
  return {begin, *rc::gen::inRange(begin + 1, n + 1)};
}

Range intersect(Range x, Range y) {
  return {std::max(x.begin, y.begin), std::min(x.end, y.end)};
}

/// A reference on an axis of size n, compatible with any splitting.
AxisRef anyRef(int64_t n) {
  auto divisor = [](int64_t of, bool above1) {
    std::vector<int64_t> found;
    for (int64_t d = above1 ? 2 : 1; d <= of; ++d)
      if (of % d == 0)
        found.push_back(d);
    return *rc::gen::elementOf(found);
  };
  int64_t size = divisor(n, true);
  return {0, divisor(n / size, false), size};
}

int64_t coordinate(int64_t device, int64_t n, AxisRef a) {
  return device / (n / a.nextPreSize()) % a.size;
}

RC_GTEST_PROP(AxisAlgebra, AgreesWithDigitRanges, ()) {
  Splitting s = anySplitting();
  Range rx = anyRange(s), ry = anyRange(s);
  AxisRef x = s.ref(rx), y = s.ref(ry);
  Range common = intersect(rx, ry);

  RC_ASSERT(canCoexist(x, y));
  RC_ASSERT(overlaps(x, y) == !common.empty());
  RC_ASSERT(overlap(x, y) == s.maybe(common));
  RC_ASSERT(contains(x, y) == (rx.begin <= ry.begin && ry.end <= rx.end));
  RC_ASSERT(isPrefixOf(x, y) == (rx.begin == ry.begin && rx.end <= ry.end));
  RC_ASSERT(isSuffixOf(x, y) == (rx.begin >= ry.begin && rx.end == ry.end));

  Range prefix = common.empty() ? rx : Range{rx.begin, common.begin};
  Range suffix = common.empty() ? rx : Range{common.end, rx.end};
  RC_ASSERT(prefixWithoutOverlap(x, y) == s.maybe(prefix));
  RC_ASSERT(suffixWithoutOverlap(x, y) == s.maybe(suffix));

  std::optional<AxisRef> shared;
  if (rx.begin == ry.begin)
    shared = s.ref({rx.begin, std::min(rx.end, ry.end)});
  RC_ASSERT(commonPrefix(x, y) == shared);

  RC_ASSERT(canMerge(x, y) == (rx.end == ry.begin));
  if (canMerge(x, y))
    RC_ASSERT(merge(x, y) == s.ref({rx.begin, ry.end}));
}

RC_GTEST_PROP(AxisAlgebra, OtherAxesNeverMeet, ()) {
  Splitting s = anySplitting();
  AxisRef x = s.ref(anyRange(s), 0), y = s.ref(anyRange(s), 1);
  RC_ASSERT(canCoexist(x, y));
  RC_ASSERT(!overlaps(x, y));
  RC_ASSERT(!contains(x, y));
  RC_ASSERT(!canMerge(x, y));
  RC_ASSERT(!overlap(x, y).has_value());
  RC_ASSERT(!commonPrefix(x, y).has_value());
  RC_ASSERT(prefixWithoutOverlap(x, y) == std::optional(x));
  RC_ASSERT(suffixWithoutOverlap(x, y) == std::optional(x));
}

RC_GTEST_PROP(AxisAlgebra, CoexistMeansOneSplittingHoldsBoth, ()) {
  int64_t n = *rc::gen::elementOf(std::vector<int64_t>{12, 16, 24, 36, 60, 64});
  AxisRef x = anyRef(n), y = anyRef(n);
  std::set<int64_t> ends{1,         x.preSize,       x.nextPreSize(),
                         y.preSize, y.nextPreSize(), n};
  bool chain = true;
  for (auto i = ends.begin(), next = std::next(i); next != ends.end();
       i = next++)
    chain &= *next % *i == 0;
  RC_ASSERT(canCoexist(x, y) == chain);
  if (!chain) {
    RC_ASSERT(!overlap(x, y).has_value());
    RC_ASSERT(!prefixWithoutOverlap(x, y).has_value());
    RC_ASSERT(!suffixWithoutOverlap(x, y).has_value());
  }
}

// References overlap if and only if their coordinates are dependent.
RC_GTEST_PROP(AxisAlgebra, OverlapIsDependenceOfCoordinates, ()) {
  Splitting s = anySplitting();
  int64_t n = s.size();
  RC_PRE(n <= 2000);
  AxisRef x = s.ref(anyRange(s)), y = s.ref(anyRange(s));
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int64_t d = 0; d < n; ++d)
    seen.insert({coordinate(d, n, x), coordinate(d, n, y)});
  RC_ASSERT(overlaps(x, y) == (int64_t(seen.size()) < x.size * y.size));
  RC_ASSERT(contains(x, y) == (int64_t(seen.size()) == x.size));
}

RC_GTEST_PROP(AxisLists, SortAndMergeIsCanonical, ()) {
  Splitting s = anySplitting();
  std::vector<AxisRef> single;
  for (int axis = 0; axis < 2; ++axis)
    for (int i = 0; i < int(s.digits.size()); ++i)
      single.push_back(s.ref({i, i + 1}, axis));
  std::vector<size_t> order(single.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::rotate(order.begin(),
              order.begin() + *rc::gen::inRange<size_t>(0, order.size()),
              order.end());
  if (*rc::gen::arbitrary<bool>())
    std::reverse(order.begin(), order.end());
  AxisList list;
  for (size_t i : order)
    list.push_back(single[i]);
  sortAndMerge(list);
  RC_ASSERT(list == (AxisList{{0, 1, s.size()}, {1, 1, s.size()}}));
}

// Sets of axes are sets of digits.
RC_GTEST_PROP(AxisLists, CommonAndWithoutAreSetOperations, ()) {
  Splitting s = anySplitting();
  auto anySet = [&](std::set<std::pair<int, int>> &digits) {
    AxisList list;
    for (int axis = 0; axis < 2; ++axis)
      for (int i = 0; i < int(s.digits.size()); ++i)
        if (*rc::gen::arbitrary<bool>()) {
          digits.insert({axis, i});
          list.push_back(s.ref({i, i + 1}, axis));
        }
    if (*rc::gen::arbitrary<bool>())
      sortAndMerge(list);
    return list;
  };
  auto listOf = [&](const std::set<std::pair<int, int>> &digits) {
    AxisList list;
    for (auto [axis, i] : digits)
      list.push_back(s.ref({i, i + 1}, axis));
    sortAndMerge(list);
    return list;
  };
  std::set<std::pair<int, int>> x, y, both, rest;
  AxisList a = anySet(x), b = anySet(y);
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(),
                        std::inserter(both, both.end()));
  std::set_difference(x.begin(), x.end(), y.begin(), y.end(),
                      std::inserter(rest, rest.end()));
  AxisList common = commonAxes(a, b);
  RC_ASSERT(common == listOf(both));
  RC_ASSERT(withoutAxes(a, common) == listOf(rest));
  RC_ASSERT(withoutAxes(a, b) == listOf(rest));
}

RC_GTEST_PROP(AxisLists, PrefixOfAList, ()) {
  Splitting s = anySplitting();
  AxisList of{s.ref(anyRange(s), 0), s.ref(anyRange(s), 1)};
  Range last = anyRange(s);
  of.push_back(s.ref(last, 2));
  size_t keep = *rc::gen::inRange<size_t>(0, of.size() + 1);
  AxisList prefix(of.begin(), of.begin() + keep);
  RC_ASSERT(listPrefix(prefix, of) ==
            (keep == of.size() ? ListPrefix::Equal : ListPrefix::Strict));
  if (keep == of.size() && last.end - last.begin > 1) {
    prefix.back() = s.ref({last.begin, last.end - 1}, 2);
    RC_ASSERT(listPrefix(prefix, of) == ListPrefix::Strict);
    RC_ASSERT(listPrefix(of, prefix) == ListPrefix::None);
    // Only the last axis may be a leading sub-axis.
    prefix.push_back({3, 1, 2});
    of.push_back({3, 1, 2});
    RC_ASSERT(listPrefix(prefix, of) == ListPrefix::None);
  }
}

// "a" has size 16; {pre, size} as in "a":(pre)size.
AxisRef a(int64_t pre, int64_t size) { return {0, pre, size}; }
const AxisRef whole = a(1, 16);

TEST(AxisExamples, OfTheSpecification) {
  EXPECT_TRUE(contains(a(2, 8), a(4, 2)));
  EXPECT_FALSE(contains(a(1, 4), a(2, 4)));
  EXPECT_TRUE(isPrefixOf(a(1, 2), whole));
  EXPECT_TRUE(isPrefixOf(a(2, 2), a(2, 4)));
  EXPECT_TRUE(isSuffixOf(a(4, 4), whole));
  EXPECT_TRUE(overlaps(a(1, 4), a(2, 4)));
  EXPECT_FALSE(overlaps(a(1, 4), a(4, 2)));
  EXPECT_FALSE(canCoexist(a(1, 2), a(1, 3)));
  EXPECT_FALSE(canCoexist(a(1, 2), a(3, 2)));
  EXPECT_EQ(overlap(a(1, 4), a(2, 4)), a(2, 2));
  EXPECT_EQ(prefixWithoutOverlap(whole, a(4, 2)), a(1, 4));
  EXPECT_EQ(suffixWithoutOverlap(whole, a(2, 2)), a(4, 4));
  EXPECT_EQ(commonPrefix(a(2, 8), a(2, 4)), a(2, 4));
  EXPECT_TRUE(canMerge(a(2, 4), a(8, 2)));
  EXPECT_EQ(merge(a(1, 4), a(4, 4)), whole);
}

TEST(AxisExamples, PrefixWithoutAListGoesInOrder) {
  AxisList list{a(8, 2), a(4, 2)};
  EXPECT_EQ(prefixWithoutOverlap(whole, list), a(1, 4));
  list.push_back(a(1, 2));
  EXPECT_EQ(prefixWithoutOverlap(whole, list), std::nullopt);
  EXPECT_EQ(prefixWithoutOverlap(whole, AxisRefs{}), whole);
}

TEST(AxisExamples, SizeOne) {
  AxisRef one{0, 1, 1};
  EXPECT_TRUE(overlaps(one, one));
  EXPECT_TRUE(contains(one, one));
  EXPECT_FALSE(canMerge(one, one));
  EXPECT_EQ(prefixWithoutOverlap(one, one), std::nullopt);
  EXPECT_EQ(overlap(one, one), one);
}

TEST(AxisExamples, TotalSizeSaturates) {
  AxisList huge{{0, 1, int64_t(1) << 40}, {1, 1, int64_t(1) << 40}};
  EXPECT_EQ(totalSize(huge), INT64_MAX);
  EXPECT_EQ(totalSize({}), 1);
}

} // namespace
