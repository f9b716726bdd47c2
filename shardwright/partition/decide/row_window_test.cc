//===- row_window_test.cc - the rows that a shard of a result needs -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/decide/row_window.h"

#include "shardwright/mesh/uneven.h"

#include "gtest/gtest.h"
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

using namespace shardwright;

namespace {

/// By shard: the row that each place of its window holds after all pieces have
/// been copied from their senders.
std::vector<std::map<int64_t, int64_t>>
carryOut(const ExchangePlan &plan, const RowWindow &window, int64_t size,
         int64_t shards, std::vector<std::set<int64_t>> *clashes = nullptr) {
  int64_t part = shardSize(size, shards);
  std::vector<std::map<int64_t, int64_t>> out(shards);
  auto carry = [&](const RowExchange &exchange) {
    for (int64_t k = 0; k < shards; ++k) {
      const RowPiece &piece = exchange.pieces[k];
      if (piece.source < 0)
        continue;
      for (int64_t i = 0; i < piece.rows; ++i) {
        int64_t at = piece.to + i;
        int64_t row = piece.source * part + piece.from + i;
        if (at < 0 || at >= window.width)
          continue;
        auto [it, isNew] = out[k].try_emplace(at, row);
        if (!isNew && it->second != row && clashes)
          (*clashes)[k].insert(at);
      }
    }
  };
  carry(plan.own);
  for (const RowExchange &exchange : plan.exchanges)
    carry(exchange);
  return out;
}

WindowMap anyMap(int64_t size) {
  WindowMap map;
  map.reversed = *rc::gen::weightedElement<bool>({{4, false}, {1, true}});
  if (map.reversed) {
    map.outSize = size;
    map.low = size - 1;
    return map;
  }
  map.outSize = *rc::gen::inRange<int64_t>(1, 40);
  map.stride = *rc::gen::inRange<int64_t>(1, 4);
  map.extent = *rc::gen::inRange<int64_t>(1, 6);
  map.low = *rc::gen::inRange<int64_t>(-20, 20);
  map.dilation = *rc::gen::weightedElement<int64_t>({{3, 1}, {1, 2}, {1, 3}});
  return map;
}

/// Checks that the plan gives every shard the rows of its window, and that
/// nobody sends or receives twice in one exchange, or from beyond its shard.
void checkPlan(const RowWindow &window, int64_t size, int64_t shards) {
  ExchangePlan plan = planExchange(window, size, shards);
  int64_t part = shardSize(size, shards);
  std::vector<std::set<int64_t>> clashes(shards);
  auto rows = carryOut(plan, window, size, shards, &clashes);
  for (int64_t k = 0; k < shards; ++k)
    for (int64_t i = 0; i < window.width; ++i) {
      int64_t row = window.start(k) + i;
      if (row < 0 || row >= size)
        continue;
      RC_ASSERT(rows[k].count(i) == 1u);
      RC_ASSERT(rows[k][i] == row);
      RC_ASSERT(clashes[k].count(i) == 0u);
    }
  for (const RowExchange &exchange : plan.exchanges) {
    std::set<int64_t> senders;
    for (int64_t k = 0; k < shards; ++k) {
      const RowPiece &piece = exchange.pieces[k];
      if (piece.source < 0)
        continue;
      RC_ASSERT(senders.insert(piece.source).second);
      RC_ASSERT(piece.source != k);
      RC_ASSERT(piece.from >= 0);
      RC_ASSERT(piece.from + piece.rows <= part);
    }
  }
}

} // namespace

RC_GTEST_PROP(RowWindow, EveryShardGetsItsRows, ()) {
  int64_t shards = *rc::gen::inRange<int64_t>(2, 9);
  int64_t size = *rc::gen::inRange<int64_t>(shards, 40);
  WindowMap map = anyMap(size);
  std::optional<RowWindow> window = map.ofShards(shards);
  RC_PRE(window.has_value());
  checkPlan(*window, size, shards);
}

RC_GTEST_PROP(RowWindow, EveryShardGetsTheRowsThatATableSays, ()) {
  int64_t shards = *rc::gen::inRange<int64_t>(2, 9);
  int64_t size = *rc::gen::inRange<int64_t>(shards, 40);
  RowWindow window;
  window.width = *rc::gen::inRange<int64_t>(1, 12);
  window.starts = *rc::gen::container<std::vector<int64_t>>(
      shards, rc::gen::inRange<int64_t>(-5, size + 1));
  checkPlan(window, size, shards);
}

RC_GTEST_PROP(RowWindow, RollsGoRound, ()) {
  int64_t shards = *rc::gen::inRange<int64_t>(2, 9);
  int64_t size = *rc::gen::inRange<int64_t>(shards, 40);
  WindowMap map;
  map.outSize = size;
  map.wraps = true;
  map.low = -*rc::gen::inRange<int64_t>(1, size);
  RowWindow window = *map.ofShards(shards);
  ExchangePlan plan = planExchange(window, size, shards);
  int64_t part = shardSize(size, shards);
  std::vector<std::map<int64_t, int64_t>> rows(shards);
  // In order; later pieces overwrite earlier ones.
  std::vector<RowExchange> all = plan.exchanges;
  all.insert(all.begin(), plan.own);
  for (const RowExchange &exchange : all) {
    std::set<int64_t> senders;
    for (int64_t k = 0; k < shards; ++k) {
      const RowPiece &piece = exchange.pieces[k];
      if (piece.source < 0)
        continue;
      RC_ASSERT(senders.insert(piece.source).second);
      RC_ASSERT(piece.from >= 0);
      RC_ASSERT(piece.from + piece.rows <= part);
      for (int64_t i = 0; i < piece.rows; ++i)
        rows[k][piece.to + i] = piece.source * part + piece.from + i;
    }
  }
  for (int64_t p = 0; p < size; ++p)
    RC_ASSERT(rows[p / part][p % part] == (p - map.low) % size);
  if (size % part == 0)
    RC_ASSERT(plan.exchanges.size() <= (map.low % part == 0 ? 1u : 2u));
}

RC_GTEST_PROP(RowWindow, WindowsReadWhatTheOpReads, ()) {
  int64_t shards = *rc::gen::inRange<int64_t>(1, 9);
  int64_t size = *rc::gen::inRange<int64_t>(1, 40);
  WindowMap map = anyMap(size);
  std::optional<RowWindow> window = map.ofShards(shards);
  RC_PRE(window.has_value());
  int64_t outRows = shardSize(map.outSize, shards);
  for (int64_t p = 0; p < map.outSize; ++p) {
    int64_t k = p / outRows;
    if (map.reversed) {
      int64_t row = map.low - p;
      RC_ASSERT(row >= window->start(k));
      RC_ASSERT(row < window->start(k) + window->width);
      continue;
    }
    for (int64_t e = 0; e < map.extent; ++e) {
      int64_t at = p * map.stride + e - map.low;
      if (at % map.dilation != 0)
        continue;
      int64_t row = at / map.dilation;
      RC_ASSERT(row >= window->start(k));
      RC_ASSERT(row < window->start(k) + window->width);
      // Position of the row in the local op's operand, which is padded by
      // `lead`.
      int64_t local = (row - window->start(k)) * map.dilation + window->lead;
      RC_ASSERT(local == (p - k * outRows) * map.stride + e);
    }
  }
}

TEST(RowWindow, NeighboursSendWhatIsNeededOnly) {
  // A convolution of extent 3 over 16 rows in 4 shards.
  WindowMap map;
  map.outSize = 16;
  map.extent = 3;
  map.low = 1;
  std::optional<RowWindow> window = map.ofShards(4);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->width, 6);
  ExchangePlan plan = planExchange(*window, 16, 4);
  ASSERT_EQ(plan.exchanges.size(), 2u);
  EXPECT_EQ(plan.exchanges[0].rows, 1);
  EXPECT_EQ(plan.exchanges[1].rows, 1);
  EXPECT_EQ(plan.own.rows, 4);
  EXPECT_TRUE(plan.leavesRows);
  EXPECT_EQ(rowsReceived(*window, 16, 4), 1.5);
}

TEST(RowWindow, RollAndReversalMoveEachRowOnce) {
  WindowMap reversal;
  reversal.outSize = 16;
  reversal.reversed = true;
  reversal.low = 15;
  ExchangePlan plan = planExchange(*reversal.ofShards(4), 16, 4);
  EXPECT_EQ(plan.exchanges.size(), 1u);
  EXPECT_EQ(plan.own.rows, 0);
  EXPECT_EQ(rowsReceived(*reversal.ofShards(4), 16, 4), 4);
}

TEST(RowWindow, HolesThatDoNotFitHaveNoWindow) {
  WindowMap map;
  map.outSize = 9;
  map.dilation = 2;
  EXPECT_FALSE(map.ofShards(3));
  EXPECT_TRUE(map.ofShards(2) == std::nullopt);
}

TEST(RowWindow, WhatIsReceivedDoesNotGrowWithTheDevices) {
  WindowMap map;
  map.outSize = int64_t(1) << 30;
  map.extent = 3;
  map.low = 1;
  int64_t shards = 1 << 20;
  EXPECT_NEAR(rowsReceived(*map.ofShards(shards), map.outSize, shards), 2, 0.1);
}
