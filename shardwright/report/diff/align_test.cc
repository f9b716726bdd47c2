//===- align_test.cc - tests of the alignment of sequences ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/diff/align.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace shardwright;

namespace {

std::vector<std::string> words(const std::vector<int> &numbers) {
  std::vector<std::string> list;
  for (int n : numbers)
    list.push_back(std::to_string(n));
  return list;
}

/// Pairs of the longest common subsequence, by dynamic programming.
size_t longestCommon(const std::vector<int> &a, const std::vector<int> &b) {
  std::vector<std::vector<size_t>> best(a.size() + 1,
                                        std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j)
      best[i + 1][j + 1] = a[i] == b[j]
                               ? best[i][j] + 1
                               : std::max(best[i][j + 1], best[i + 1][j]);
  return best[a.size()][b.size()];
}

RC_GTEST_PROP(Align, FindsTheLongestCommonSubsequence, ()) {
  auto letters = rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4));
  const std::vector<int> a = *letters, b = *letters;
  std::vector<int64_t> partner = align(words(a), words(b));
  RC_ASSERT(partner.size() == a.size());
  int64_t last = -1;
  size_t pairs = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (partner[i] < 0)
      continue;
    RC_ASSERT(partner[i] > last);
    RC_ASSERT(a[i] == b[size_t(partner[i])]);
    last = partner[i];
    ++pairs;
  }
  RC_ASSERT(pairs == longestCommon(a, b));
}

TEST(Align, SurvivesInsertionsIntoLongSequences) {
  std::vector<int> a, b;
  std::vector<int64_t> expected;
  for (int i = 0; i < 20000; ++i) {
    if (i % 7 == 0)
      b.push_back(-1); // more edits than the search for the best takes
    expected.push_back(int64_t(b.size()));
    a.push_back(i);
    b.push_back(i);
  }
  EXPECT_EQ(align(words(a), words(b)), expected);
}

} // namespace
