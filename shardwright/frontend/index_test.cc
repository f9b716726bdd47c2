//===- index_test.cc - subscripts, indexed updates and masks --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/exceptions.h"
#include "shardwright/frontend/frontend.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

const bool configured = setDeviceCount(8).ok();

std::vector<int32_t> values(const Tensor &x) {
  auto v = x.toVector<int32_t>();
  EXPECT_TRUE(v.ok()) << v.error().str();
  return v ? *v : std::vector<int32_t>();
}
using Numbers = std::vector<int32_t>;

TEST(Index, BooleansComeBackToTheHost) {
  std::vector<bool> odd(70);
  for (size_t i = 0; i < odd.size(); i += 3)
    odd[i] = true;
  Tensor x = arrayOf(odd, {7, 10});
  auto back = x.toVector<bool>();
  ASSERT_TRUE(back.ok()) << back.error().str();
  EXPECT_EQ(*back, odd);
  EXPECT_EQ(*(~x).toVector<bool>(), [&] {
    std::vector<bool> even = odd;
    even.flip();
    return even;
  }());
  EXPECT_TRUE((arange(0) == arange(0)).toVector<bool>()->empty());
  EXPECT_EQ(arange(3).toVector<bool>().error().kind, ErrorKind::Type);
}

TEST(Index, ArraysAndMasksSelect) {
  ASSERT_TRUE(configured);
  Tensor x = reshape(arange(12), {3, 4});
  EXPECT_EQ(values(x[arrayOf<int32_t>({2, 0, -1})][ellipsis][0]),
            (Numbers{8, 9, 10, 11}));
  EXPECT_EQ(
      values(x.index({arrayOf<int32_t>({0, 2}), arrayOf<int32_t>({1, 3})})),
      (Numbers{1, 11}));
  EXPECT_EQ(values(x[x > 8]), (Numbers{9, 10, 11}));
  EXPECT_EQ(
      values(x.index({slice(), arrayOf<bool>({true, false, false, true})})),
      (Numbers{0, 3, 4, 7, 8, 11}));
  EXPECT_EQ(x[true].shape(), (Shape{1, 3, 4}));
  EXPECT_EQ(x[false].shape(), (Shape{0, 3, 4}));
  EXPECT_EQ(values(x.at(x % 2 == 0).set(-1)[0]), (Numbers{-1, 1, -1, 3}));
}

TEST(Index, OutOfBoundsFollowsTheMode) {
  Tensor x = arange(4), far = arrayOf<int32_t>({1, 9});
  EXPECT_EQ(values(x[far]), (Numbers{1, 3}));
  EXPECT_EQ(values(x.at(far).get({.mode = GatherMode::FillOrDrop})),
            (Numbers{1, INT32_MIN}));
  EXPECT_EQ(values(x.at(far).get(
                {.mode = GatherMode::FillOrDrop, .fillValue = Tensor(7)})),
            (Numbers{1, 7}));
  EXPECT_EQ(values(x.at(far).add(10)), (Numbers{0, 11, 2, 3}));
  EXPECT_EQ(values(x.at(far).add(10, {.mode = GatherMode::ClipIndices})),
            (Numbers{0, 11, 2, 13}));
}

TEST(Index, WrongSubscriptsAreErrors) {
  Tensor x = arange(4);
  EXPECT_EQ(x[4].error().str(),
            "IndexError: index 4 out of bounds for axis 0 with size 4 "
            "(normalize_indices=True)");
  EXPECT_EQ(x.index({0, 0}).error().str(),
            "IndexError: Too many indices: array is 1-dimensional, but 2 were "
            "indexed");
  EXPECT_EQ(x[Tensor(0.5)].error().str(),
            "TypeError: Indexer must have integer or boolean type, got indexer "
            "with type float32");
  EXPECT_EQ(x[arrayOf<bool>({true, false})].error().str(),
            "IndexError: boolean index did not match shape of indexed array in "
            "index 0: got (2,), expected [4]");
  EXPECT_THROW(orThrow(x[4]), IndexException);
  auto masked = jit([](Tensor a) { return a[a > 1]; })(x);
  ASSERT_FALSE(masked.ok());
  EXPECT_EQ(masked.error().kind, ErrorKind::NonConcreteBooleanIndex);
}

TEST(Index, UpdatesByAFunctionApplyItOncePerMention) {
  Tensor x = arange(4);
  auto twice = [](const Tensor &v) { return v * 2; };
  EXPECT_EQ(values(x.at(arrayOf<int32_t>({3, 3, 1})).apply(twice)),
            (Numbers{0, 2, 2, 12}));
  EXPECT_EQ(x.at(0).apply([](const Tensor &v) { return v * 0.5; }).error().kind,
            ErrorKind::Type);
  // Functions that capture arrays.
  Tensor by = arrayOf<int32_t>({5}, Shape{});
  EXPECT_EQ(values(x.at(1).apply([&](const Tensor &v) { return v + by; })),
            (Numbers{0, 6, 2, 3}));
  auto traced = jit([](Tensor a, Tensor b) {
    return a.at(1).apply([&](const Tensor &v) { return v + b; });
  })(x, by);
  EXPECT_TRUE(!traced.ok() || values(*traced) == (Numbers{0, 6, 2, 3}));
}

} // namespace
