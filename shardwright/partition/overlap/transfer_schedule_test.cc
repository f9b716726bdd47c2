//===- transfer_schedule_test.cc - tests of the scheduler -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/transfer_schedule.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace shardwright {
namespace {

ScheduleNode work(double seconds, llvm::SmallVector<int32_t, 3> operands = {},
                  double bytes = 0) {
  ScheduleNode node;
  node.time.compute = seconds;
  node.operands = std::move(operands);
  node.bytes = bytes;
  return node;
}

ScheduleNode transfer(double seconds,
                      llvm::SmallVector<int32_t, 3> operands = {},
                      double bytes = 0, uint32_t lanes = 1) {
  ScheduleNode node;
  node.transfer = {seconds, lanes, false};
  node.isTransfer = node.mayOverlap = true;
  node.operands = std::move(operands);
  node.bytes = bytes;
  return node;
}

TEST(TransferSchedule, WhatDoesNotWaitRunsBesideTheTransfer) {
  std::vector<ScheduleNode> nodes = {work(1), transfer(3, {0}), work(1, {1}),
                                     work(4)};
  EXPECT_DOUBLE_EQ(orderAsGiven(nodes).time.total(), 9);
  TransferSchedule best = hideTransfers(nodes, 0);
  EXPECT_DOUBLE_EQ(best.time.total(), 6);
  EXPECT_DOUBLE_EQ(best.time.exposed, 0);
  EXPECT_DOUBLE_EQ(best.time.communication, 3);
  using I = ScheduleItem;
  EXPECT_EQ(
      best.items,
      (std::vector<I>{
          {0, I::Run}, {1, I::Start}, {3, I::Run}, {1, I::Done}, {2, I::Run}}));
}

TEST(TransferSchedule, TheLongerPathFirst) {
  // In the given order, no work is left to overlap with the transfer.
  std::vector<ScheduleNode> nodes = {work(4), work(1), transfer(3, {1}),
                                     work(1, {2})};
  EXPECT_DOUBLE_EQ(hideTransfers(nodes, 0).time.total(), 6);
}

TEST(TransferSchedule, OneAfterAnotherOnALane) {
  std::vector<ScheduleNode> same = {transfer(2), transfer(2), work(3),
                                    work(1, {0, 1})};
  EXPECT_DOUBLE_EQ(hideTransfers(same, 0).time.total(), 5);
  std::vector<ScheduleNode> other = {transfer(2), transfer(2, {}, 0, 4),
                                     work(3), work(1, {0, 1})};
  EXPECT_DOUBLE_EQ(hideTransfers(other, 0).time.total(), 4);
}

TEST(TransferSchedule, BothDirectionsOfALinkAtOnce) {
  ScheduleNode pass = transfer(2, {}, 0, 3);
  pass.transfer.oneDirection = true;
  std::vector<ScheduleNode> nodes = {pass, pass, work(2), work(1, {0, 1})};
  EXPECT_DOUBLE_EQ(hideTransfers(nodes, 0).time.total(), 3);
}

TEST(TransferSchedule, MemoryHoldsOneAtATime) {
  std::vector<ScheduleNode> nodes;
  for (int32_t i = 0; i < 4; ++i) {
    nodes.push_back(transfer(1, {}, 100));
    nodes.push_back(work(1, {2 * i}, 1));
  }
  TransferSchedule small = hideTransfers(nodes, 0),
                   large = hideTransfers(nodes, 1000),
                   two = hideTransfers(nodes, 202);
  EXPECT_LE(small.peakBytes, 101);
  EXPECT_DOUBLE_EQ(small.time.total(), 8);
  EXPECT_DOUBLE_EQ(large.time.total(), 5);
  EXPECT_LE(two.peakBytes, 202);
  EXPECT_DOUBLE_EQ(two.time.total(), 5);
}

TEST(TransferSchedule, OneAloneStaysInOnePiece) {
  std::vector<ScheduleNode> nodes = {work(1), transfer(3, {0}), work(1, {1})};
  for (const ScheduleItem &item : hideTransfers(nodes, 0).items)
    EXPECT_EQ(item.what, ScheduleItem::Run);
  EXPECT_EQ(splitTransfers(nodes).items.size(), 4u);
}

/// True if each node runs once, after its operands, and no user of a split
/// transfer runs before its Done.
bool isValid(llvm::ArrayRef<ScheduleNode> nodes,
             const TransferSchedule &schedule) {
  std::vector<int> begun(nodes.size(), 0), there(nodes.size(), 0);
  for (const ScheduleItem &item : schedule.items) {
    if (item.what != ScheduleItem::Done) {
      for (int32_t from : nodes[item.node].operands)
        if (!there[from])
          return false;
      ++begun[item.node];
    } else if (begun[item.node] != 1 || !nodes[item.node].mayOverlap) {
      return false;
    }
    if (item.what != ScheduleItem::Start)
      ++there[item.node];
  }
  auto once = [](int count) { return count == 1; };
  return llvm::all_of(begun, once) && llvm::all_of(there, once);
}

RC_GTEST_PROP(TransferScheduleProperties, ValidFittingAndNoSlower, ()) {
  int32_t count = *rc::gen::inRange(1, 40);
  std::vector<ScheduleNode> nodes;
  for (int32_t i = 0; i < count; ++i) {
    llvm::SmallVector<int32_t, 3> operands;
    for (int32_t k = *rc::gen::inRange(0, 4); k > 0 && i > 0; --k) {
      int32_t from = *rc::gen::inRange(0, i);
      if (!llvm::is_contained(operands, from))
        operands.push_back(from);
    }
    double seconds = *rc::gen::inRange(0, 10);
    double bytes = *rc::gen::inRange(0, 100);
    if (*rc::gen::inRange(0, 3) == 0) {
      nodes.push_back(transfer(seconds, operands, bytes,
                               uint32_t(*rc::gen::inRange(1, 16))));
      nodes.back().mayOverlap = *rc::gen::inRange(0, 5) > 0;
      nodes.back().transfer.oneDirection = *rc::gen::arbitrary<bool>();
    } else {
      nodes.push_back(work(seconds, operands, bytes));
      nodes.back().time.exposed = *rc::gen::inRange(0, 2);
    }
  }
  double bound = *rc::gen::inRange(0, 1000);
  TransferSchedule given = orderAsGiven(nodes),
                   best = hideTransfers(nodes, bound);
  RC_ASSERT(isValid(nodes, best));
  RC_ASSERT(isValid(nodes, splitTransfers(nodes)));
  RC_ASSERT(best.peakBytes <= std::max(bound, given.peakBytes));
  RC_ASSERT(best.time.total() <= given.time.total());
  // Neither compute nor communication time changes.
  RC_ASSERT(best.time.compute == given.time.compute);
  RC_ASSERT(best.time.communication == given.time.communication);
  RC_ASSERT(hideTransfers(nodes, bound).items == best.items);
}

} // namespace
} // namespace shardwright
