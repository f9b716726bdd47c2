//===- sort_runtime_test.cc - runtime of Sort kernels ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/kernel_support/sort_runtime.h"

#include "shardwright/cpu/program/program.h"
#include "shardwright/support/fault_injection.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>
#include <vector>

using namespace shardwright::cpu;
using testing::HasSubstr;

namespace {

uint8_t less(void *const *b, int64_t x, int64_t y) {
  auto *v = static_cast<const int32_t *>(b[0]);
  return v[x] < v[y];
}
uint64_t key(void *const *b, int64_t x) {
  return static_cast<const int32_t *>(b[0])[x];
}
uint64_t wideKey(void *const *b, int64_t x) { return key(b, x) << 20; }

constexpr int64_t size = 300, lines = 2;
/// Columns: the values, and their original positions, sorted by value.
constexpr int64_t columns[] = {0, 2, 4, 1, 3, 4};

struct Columns {
  std::vector<int32_t> value, place, sorted, places;
  void *buffers[4];

  Columns()
      : value(size * lines), place(size * lines), sorted(size * lines, -1),
        places(size * lines, -1),
        buffers{value.data(), place.data(), sorted.data(), places.data()} {
    for (int64_t i = 0; i < size * lines; ++i)
      value[i] = int32_t(i * 7919 % 101);
    std::iota(place.begin(), place.end(), 0);
  }
  void expectSorted() {
    for (int64_t i = 0; i < size * lines; ++i) {
      ASSERT_EQ(sorted[i], value[places[i]]);
      ASSERT_EQ(places[i] / size, i / size);
      if (i % size == 0)
        continue;
      ASSERT_LE(sorted[i - 1], sorted[i]);
      if (sorted[i - 1] == sorted[i])
        ASSERT_LT(places[i - 1], places[i]);
    }
  }
};

template <typename Sort> void checkSort(Sort sort) {
  {
    InjectedFault fault(FaultKind::Allocation);
    Columns c;
    sort(c);
    EXPECT_TRUE(fault.happened());
    auto failure = takeKernelFailure();
    ASSERT_TRUE(failure);
    EXPECT_THAT(*failure, HasSubstr("not enough memory to sort 300 elements"));
    EXPECT_EQ(c.sorted[0], -1);
  }
  Columns c;
  sort(c);
  EXPECT_FALSE(takeKernelFailure());
  c.expectSorted();
}

TEST(Sort, FailsWithoutMemoryAndSortsStablyWithIt) {
  checkSort([](Columns &c) {
    sortLines(c.buffers, 0, lines, size, 1, columns, 2, less);
  });
  checkSort([](Columns &c) {
    sortLinesByKey(c.buffers, 0, lines, size, 1, columns, 2, key, 32);
  });
  checkSort([](Columns &c) {
    sortLinesByKey(c.buffers, 0, lines, size, 1, columns, 2, wideKey, 64);
  });
}

} // namespace
