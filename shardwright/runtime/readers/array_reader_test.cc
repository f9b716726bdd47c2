//===- array_reader_test.cc - windows of arrays ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/readers/array_reader.h"

#include "shardwright/runtime/random.h"
#include "shardwright/runtime/readers/compare.h"
#include "shardwright/support/shape.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace shardwright;
using testing::ElementsAre;

namespace {

Array random(ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t seed) {
  return llvm::cantFail(randomArray(type, shape, seed, 0));
}

TEST(Windows, AreTheArrayInOrder) {
  std::mt19937 generator(3);
  for (int round = 0; round < 500; ++round) {
    llvm::SmallVector<int64_t, 4> shape;
    for (int rank = generator() % 5; rank > 0; --rank)
      shape.push_back(generator() % 8 == 0 ? generator() % 2
                                           : 1 + generator() % 7);
    int64_t limit = 1 + generator() % 200;
    Array array = random(ElementType::S16, shape, round);
    WholeArrayReader reader(array);
    std::string found;
    Windows windows(shape, 2, limit);
    int64_t count = 0, smallest = array.bytes();
    for (Box box; windows.next(box); ++count) {
      std::string part(product(box.extent) * 2, '?');
      ASSERT_TRUE(!part.empty());
      EXPECT_LE(part.size(), std::max<size_t>(limit, 2));
      smallest = std::min<int64_t>(smallest, part.size());
      llvm::cantFail(
          reader.read(box, part.data(), rowMajorStrides(box.extent, 2)));
      found += part;
    }
    ASSERT_EQ(found.size(), size_t(array.bytes()));
    EXPECT_EQ(std::memcmp(found.data(), array.data(), found.size()), 0);
    // Windows are not much smaller than they may be.
    EXPECT_LE(count, 1 + 4 * array.bytes() / std::max<int64_t>(limit, 2))
        << "limit " << limit << " " << array.str();
  }
}

TEST(Windows, OfLargeArraysAreCompared) {
  // More than one window of bytesLimit.
  llvm::SmallVector<int64_t, 4> shape{3, Windows::bytesLimit / 32, 2};
  Array got = random(ElementType::S64, shape, 1);
  Array expected = llvm::cantFail(Array::allocate(got.type(), shape));
  std::memcpy(expected.data(), got.data(), got.bytes());
  for (int64_t i : {int64_t(7), got.elements() - 2})
    static_cast<int64_t *>(expected.data())[i] += 1000;
  WholeArrayReader a(got), b(expected);
  Comparison c = llvm::cantFail(compareArrays(a, b, 0, 0));
  EXPECT_EQ(c.elements, got.elements());
  EXPECT_EQ(c.mismatches, 2);
  EXPECT_EQ(c.maxAbs, 1000);
  EXPECT_THAT(c.firstBad, ElementsAre(0, 3, 1));
  EXPECT_GE(llvm::cantFail(largestMagnitude(b)), 1000);
  static_cast<int64_t *>(expected.data())[7] -= 1000;
  WholeArrayReader later(expected);
  EXPECT_THAT(llvm::cantFail(compareArrays(a, later, 0, 0)).firstBad,
              ElementsAre(2, Windows::bytesLimit / 32 - 1, 0));
}

} // namespace
