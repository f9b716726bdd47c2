//===- reshape_factors_test.cc - reshape factors refine both shapes -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/reshape_factors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

using namespace shardwright;

namespace {

using Dims = std::vector<int64_t>;

/// A shape with the product of `factors`: merges neighbours at random and adds
/// ones.
Dims anyShapeOf(const Dims &factors) {
  Dims shape;
  for (int64_t f : factors) {
    if (!shape.empty() && *rc::gen::arbitrary<bool>())
      shape.back() *= f;
    else
      shape.push_back(f);
    if (*rc::gen::inRange(0, 8) == 7)
      shape.push_back(1);
  }
  return shape;
}

RC_GTEST_PROP(ReshapeFactors, ViewBothShapes, ()) {
  Dims primes;
  int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i)
    primes.push_back(*rc::gen::elementOf(Dims{2, 2, 2, 3, 3, 4, 5}));
  Dims in = anyShapeOf(primes);
  std::rotate(primes.begin(),
              primes.begin() + (count ? *rc::gen::inRange(0, count) : 0),
              primes.end());
  Dims out = anyShapeOf(primes);
  auto factors = reshapeFactors(in, out);
  RC_ASSERT(factors.has_value());

  Dims inProduct(in.size(), 1), outProduct(out.size(), 1);
  int64_t inDim = 0, outDim = 0, inBefore = 1, outBefore = 1;
  for (const ReshapeFactor &f : *factors) {
    RC_ASSERT(f.inDim >= 0 || f.outDim >= 0);
    // Factors are major to minor on both sides.
    if (f.inDim >= 0) {
      RC_ASSERT(f.inDim >= inDim);
      inDim = f.inDim;
      inProduct[f.inDim] *= f.size;
    }
    if (f.outDim >= 0) {
      RC_ASSERT(f.outDim >= outDim);
      outDim = f.outDim;
      outProduct[f.outDim] *= f.size;
    }
    // A common factor has the same stride on both sides.
    if (f.inDim >= 0 && f.outDim >= 0)
      RC_ASSERT(inBefore == outBefore);
    inBefore *= f.inDim >= 0 ? f.size : 1;
    outBefore *= f.outDim >= 0 ? f.size : 1;
  }
  RC_ASSERT(inProduct == in);
  RC_ASSERT(outProduct == out);
}

TEST(ReshapeFactors, CoprimePartsJoin) {
  auto factors = reshapeFactors({6, 4}, {4, 6}, /*joinCoprime=*/true);
  ASSERT_TRUE(factors.has_value());
  std::vector<std::array<int64_t, 4>> found;
  for (const ReshapeFactor &f : *factors)
    found.push_back({f.inDim, f.outDim, f.size, f.isAligned});
  std::vector<std::array<int64_t, 4>> expected{
      {0, 0, 2, true}, {0, 0, 3, false}, {-1, 1, 3, true}, {1, -1, 2, true},
      {1, 1, 2, true}};
  EXPECT_EQ(found, expected);
}

TEST(ReshapeFactors, Refused) {
  EXPECT_FALSE(reshapeFactors({0, 2}, {0}).has_value());
  EXPECT_FALSE(reshapeFactors({4}, {5}).has_value());
  EXPECT_FALSE(reshapeFactors({int64_t(1) << 62, 8}, {8}).has_value());
}

} // namespace
