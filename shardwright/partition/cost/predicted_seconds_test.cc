//===- predicted_seconds_test.cc - time of collectives and kernels --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/predicted_seconds.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace shardwright {
namespace {

constexpr CollectiveKind kKinds[] = {
    CollectiveKind::AllGather,     CollectiveKind::AllToAll,
    CollectiveKind::ReduceScatter, CollectiveKind::AllReduce,
    CollectiveKind::Reduce,        CollectiveKind::Permute,
    CollectiveKind::Broadcast};

CollectiveKind anyKind() {
  return kKinds[*rc::gen::inRange<size_t>(0, std::size(kKinds))];
}

/// A machine with caches in half of the cases.
MachineModel anyMachine() {
  MachineModel machine;
  machine.memoryBytesPerSecond = *rc::gen::element(1e9, 1e12);
  if (*rc::gen::arbitrary<bool>()) {
    machine.cacheBytes = *rc::gen::element(1e3, 1e6);
    machine.cacheBytesPerSecond = machine.memoryBytesPerSecond * 4;
  }
  machine.operationSeconds = *rc::gen::element(0.0, 1e-6);
  machine.contractionSeconds = *rc::gen::element(0.0, 2e-6);
  machine.contractionColumns = *rc::gen::element(1.0, 16.0);
  return machine;
}

LinkModel anyLink() {
  return {*rc::gen::element(1e8, 1e10), *rc::gen::element(0.0, 1e-6, 1e-3),
          *rc::gen::element(1, 2)};
}

RC_GTEST_PROP(CollectiveSeconds, GrowWithTheBytes, ()) {
  MachineModel machine = anyMachine();
  LinkModel link = anyLink();
  CollectiveKind kind = anyKind();
  int64_t members = *rc::gen::inRange<int64_t>(2, 65);
  double less = *rc::gen::inRange(1, 1 << 20);
  double more = less + *rc::gen::inRange(1, 1 << 20);
  RC_ASSERT(collectiveSeconds(machine, kind, less, members, link) <
            collectiveSeconds(machine, kind, more, members, link));
}

RC_GTEST_PROP(CollectiveSeconds, CountLatencyOncePerRound, ()) {
  MachineModel machine = anyMachine();
  LinkModel with = anyLink(), without = with;
  with.latencySeconds = 1;
  without.latencySeconds = 0;
  int64_t members = *rc::gen::inRange<int64_t>(2, 65);
  double local = *rc::gen::inRange(1, 1000);
  double rounds = std::ceil(std::log2(double(members)));
  for (auto [kind, expected] : {std::pair{CollectiveKind::AllGather, rounds},
                                {CollectiveKind::ReduceScatter, rounds},
                                {CollectiveKind::Reduce, rounds},
                                {CollectiveKind::Broadcast, rounds},
                                {CollectiveKind::AllReduce, 2 * rounds},
                                {CollectiveKind::Permute, 1.0}}) {
    double latency = collectiveSeconds(machine, kind, local, members, with) -
                     collectiveSeconds(machine, kind, local, members, without);
    RC_ASSERT(std::abs(latency - expected) < 1e-6);
  }
  // An all-to-all takes few rounds or few bytes.
  double latency = collectiveSeconds(machine, CollectiveKind::AllToAll, local,
                                     members, with) -
                   collectiveSeconds(machine, CollectiveKind::AllToAll, local,
                                     members, without);
  RC_ASSERT(latency > std::min(rounds, double(members - 1)) - 1e-6);
  RC_ASSERT(latency < double(members - 1) + 1e-6);
}

TEST(CollectiveSeconds, AddBytesOverTheLinkAndMemory) {
  MachineModel machine;
  machine.memoryBytesPerSecond = 1000;
  LinkModel link{100, 0.5, 2};
  // 3 * 10 bytes at 200 a second, 2 rounds, 40 bytes written.
  EXPECT_DOUBLE_EQ(
      collectiveSeconds(machine, CollectiveKind::AllGather, 10, 4, link),
      0.15 + 1 + 0.04);
  // In one direction.
  EXPECT_DOUBLE_EQ(
      collectiveSeconds(machine, CollectiveKind::Permute, 10, 4, link),
      0.1 + 0.5 + 0.01);
  // 15 bytes twice, 4 rounds; 20 are written, and 15 combined.
  EXPECT_DOUBLE_EQ(
      collectiveSeconds(machine, CollectiveKind::AllReduce, 20, 4, link),
      0.15 + 2 + 0.035);
  // One of 4 members is near: the others' messages are not counted here.
  EXPECT_DOUBLE_EQ(
      collectiveSeconds(machine, CollectiveKind::AllReduce, 20, 4, link, 1),
      0.035);
  EXPECT_EQ(collectiveSeconds(machine, CollectiveKind::AllReduce, 20, 1, link),
            0);
  // One round, and the same bytes.
  link.isShared = true;
  EXPECT_DOUBLE_EQ(
      collectiveSeconds(machine, CollectiveKind::AllReduce, 20, 4, link),
      0.15 + 0.5 + 0.035);
}

RC_GTEST_PROP(KernelSeconds, AreTheLargerOfArithmeticAndMemory, ()) {
  MachineModel machine = anyMachine();
  KernelWork work;
  work.operations = *rc::gen::inRange(0, 1 << 20);
  work.operationsPerSecond = *rc::gen::element(1e9, 1e12);
  work.bytes = *rc::gen::inRange(0, 1 << 20);
  work.isContraction = *rc::gen::arbitrary<bool>();
  work.columns = work.isContraction ? *rc::gen::inRange(0, 100) : 0;
  work.isLaunched = *rc::gen::arbitrary<bool>();
  double seconds = kernelSeconds(machine, work);
  double overhead = (work.isLaunched ? machine.operationSeconds : 0) +
                    (work.isContraction ? machine.contractionSeconds : 0);
  // Columns are computed in groups, the last of which may be partly empty.
  double groups = std::ceil(work.columns / machine.contractionColumns);
  double arithmetic =
      work.operations / work.operationsPerSecond *
      (work.columns ? groups * machine.contractionColumns / work.columns : 1);
  double memory = machine.memorySeconds(work.bytes);
  RC_ASSERT(std::abs(seconds - overhead - std::max(arithmetic, memory)) <
            1e-15);
  KernelWork more = work;
  more.bytes += *rc::gen::inRange(0, 1 << 20);
  more.operations += *rc::gen::inRange(0, 1 << 20);
  RC_ASSERT(kernelSeconds(machine, more) >= seconds);
}

} // namespace
} // namespace shardwright
