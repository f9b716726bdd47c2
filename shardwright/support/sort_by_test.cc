//===- sort_by_test.cc - stable sorting by a key --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/sort_by.h"

#include "llvm/ADT/SmallVector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

using namespace shardwright;

namespace {

RC_GTEST_PROP(SortBy, KeepsTheOrderOfEqualKeys, (std::vector<int> values)) {
  llvm::SmallVector<std::pair<int, size_t>> list;
  for (size_t i = 0; i < values.size(); ++i)
    list.push_back({values[i] % 4, i});
  // Pairs are ordered by key, then by place in the list.
  llvm::SmallVector<std::pair<int, size_t>> expected = list;
  llvm::sort(expected);
  sortBy(list, [](const auto &item) { return item.first; });
  RC_ASSERT(list == expected);
}

TEST(SortBy, MovesItems) {
  std::vector<std::unique_ptr<int>> list;
  for (int value : {2, 3, 1})
    list.push_back(std::make_unique<int>(value));
  sortBy(list, [](const auto &item) { return -*item; });
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(*list[0], 3);
  EXPECT_EQ(*list[1], 2);
  EXPECT_EQ(*list[2], 1);
}

} // namespace
