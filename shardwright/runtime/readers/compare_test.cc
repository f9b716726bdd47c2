//===- compare_test.cc - comparison of arrays -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/readers/compare.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace shardwright;
using E = ElementType;
using testing::ElementsAre;

namespace {

Array floats(std::initializer_list<float> values) {
  Array a = llvm::cantFail(Array::allocate(E::F32, {int64_t(values.size())}));
  std::copy(values.begin(), values.end(), static_cast<float *>(a.data()));
  return a;
}

TEST(Compare, AsNumpyAllclose) {
  float nan = NAN, inf = INFINITY;
  auto compare = [](const Array &a, const Array &b, double rtol, double atol) {
    WholeArrayReader got(a), expected(b);
    return llvm::cantFail(compareArrays(got, expected, rtol, atol));
  };
  EXPECT_TRUE(
      compare(floats({nan, inf, -inf, 1}), floats({nan, inf, -inf, 1}), 0, 0)
          .ok());
  EXPECT_EQ(
      compare(floats({nan, inf, 1}), floats({1, -inf, inf}), 1, 1).mismatches,
      3);
  // The tolerance is relative to the expected value.
  EXPECT_TRUE(compare(floats({110}), floats({100}), 0.1, 0).ok());
  EXPECT_FALSE(compare(floats({100}), floats({110.01f}), 0.09, 0).ok());
  Comparison c =
      compare(floats({1, 2, 3.5f, 0.25f}), floats({1, 2, 3, 0}), 1e-3, 1e-3);
  EXPECT_EQ(c.mismatches, 2);
  EXPECT_THAT(c.firstBad, ElementsAre(2));
  EXPECT_EQ(c.gotThere, "3.5");
  EXPECT_EQ(c.expectedThere, "3");
  EXPECT_DOUBLE_EQ(c.maxAbs, 0.5);
  EXPECT_DOUBLE_EQ(c.maxRel, 0.5 / 3);

  Array a = llvm::cantFail(Array::allocate(E::S64, {1}));
  Array b = llvm::cantFail(Array::allocate(E::S64, {1}));
  *static_cast<int64_t *>(a.data()) = (int64_t(1) << 60) + 1;
  *static_cast<int64_t *>(b.data()) = int64_t(1) << 60;
  EXPECT_FALSE(compare(a, b, 0, 0).ok());
  EXPECT_EQ(compare(a, b, 0, 0).maxAbs, 1);
  WholeArrayReader got(a), expected(floats({1}));
  EXPECT_EQ(toString(compareArrays(got, expected, 0, 0).takeError()),
            "is i64[1], but f32[1] is expected");
}

} // namespace
