//===- diverged_test.cc - diverging control flow --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/executor_test_util.h"

#include "shardwright/support/fault_injection.h"

#include "gmock/gmock.h"

#include <array>
#include <atomic>

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class DivergedDevices : public Executors {};
INSTANTIATE_TEST_SUITE_P(Threads, DivergedDevices, testing::Values(1, 2, 5));

TEST_P(DivergedDevices, LoopsOfDifferentLengthBetweenCollectives) {
  Builder b(8);
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId sum = b.loop(x, limit, [&](SlotId value, SlotId next) {
    b.kernel(addOne, {value}, {next});
  });
  b.allReduce(sum, b.result());
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  for (int d = 0; d < 8; ++d)
    arrays.argument<int32_t>(d, 1) = d * d;
  RunStatistics statistics;
  ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool, &statistics)), "");
  // 280 from the arguments, 140 steps.
  for (int d = 0; d < 8; ++d)
    EXPECT_THAT(arrays.result(d), ElementsAre(420, 428, 436, 444));
  // The loop contains no collective, so no device diverged.
  EXPECT_EQ(statistics.rejoins, 0);
}

TEST_P(DivergedDevices, LoopsOfDifferentLengthAroundCollectivesOfAGroup) {
  // Groups run different numbers of iterations, then all devices rendezvous.
  Builder b(8);
  Builder::Groups pairs = {{1, 0}, {2, 3}, {4, 5}, {6, 7}};
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId sum = b.loop(x, limit, [&](SlotId value, SlotId next) {
    b.allReduce(value, next, pairs);
  });
  SlotId total = b.slot(), r = b.result();
  b.allReduce(sum, total);
  b.kernel(addOne, {total}, {r});
  Program p = b.finish();
  auto executor = Executor::create(p);
  ASSERT_TRUE(bool(executor));
  for (int round = 0; round < 50; ++round) {
    Arrays arrays(p);
    for (int d = 0; d < 8; ++d) {
      for (int k = 0; k < width; ++k)
        arrays.argument<float>(d, 0, k) = 1;
      arrays.argument<int32_t>(d, 1) = d / 2;
    }
    RunStatistics statistics;
    ASSERT_EQ(messageOf((*executor)->run(arrays.buffers, pool, &statistics)),
              "");
    for (int d = 0; d < 8; ++d) // 2 * (1 + 2 + 4 + 8) + 1
      EXPECT_THAT(arrays.result(d), ElementsAre(31, 31, 31, 31));
    EXPECT_GE(statistics.rejoins, 1);
  }
}

TEST(DivergedDevicesTest, DevicesGetThreadsBesideThoseThatAreBusy) {
  // Two devices run a long kernel when three others become ready together.
  Builder b(5);
  SlotId x = b.argument(), pred = b.argument(ElementType::Pred, {});
  SlotId y = b.slot(), z = b.slot(), r = b.result();
  b.branch(
      pred,
      [&] {
        b.allReduce(x, y, {{2, 3, 4}});
        b.kernel(nap, {y}, {z}, 1);
        b.allReduce(z, r, {{2, 3, 4}});
        b.kernel(meetOthers, {}, {}, 1);
      },
      [&] {
        b.allReduce(x, r, {{0, 1}});
        b.kernel(meetOthers, {}, {}, 1);
      });
  Program p = b.finish();
  ThreadPool pool(5);
  for (int round = 0; round < 3; ++round) {
    meeting.wanted = 5;
    meeting.there = 0;
    Arrays arrays(p);
    count(arrays);
    for (int d = 0; d < 5; ++d)
      arrays.argument<uint8_t>(d, 1) = d >= 2;
    ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
  }
}

TEST_P(DivergedDevices, ARunGetsNoMessageOfAnEarlierOne) {
  Builder b(3);
  SlotId x = b.argument(), pred = b.argument(ElementType::Pred, {});
  SlotId y = b.slot(), r = b.result();
  b.branch(
      pred, [&] { b.permute(x, y, {{0, 1}}); },
      [&] { b.step(StepKind::Copy, {x}, {y}); });
  b.kernel(addOne, {y}, {r});
  Program p = b.finish();
  auto executor = llvm::cantFail(Executor::create(p));
  // First device 1 does not receive what device 0 sends.
  for (bool receives : {false, true}) {
    Arrays arrays(p);
    count(arrays);
    arrays.argument<float>(0, 0) = receives ? 100 : 50;
    arrays.argument<uint8_t>(0, 1) = 1;
    arrays.argument<uint8_t>(1, 1) = receives;
    arrays.argument<uint8_t>(2, 1) = 0;
    ASSERT_EQ(messageOf(executor->run(arrays.buffers, pool)), "");
    EXPECT_EQ(arrays.result(1)[0], receives ? 101 : 11);
  }
}

TEST_P(DivergedDevices, CollectivesInOneBranchOnly) {
  Builder b(4);
  SlotId x = b.argument(), pred = b.argument(ElementType::Pred, {});
  SlotId y = b.slot(), r = b.result();
  b.branch(
      pred, [&] { b.allReduce(x, y, {{0, 2}, {1, 3}}); },
      [&] { b.kernel(addOne, {x}, {y}); });
  b.allReduce(y, r);
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  for (int d = 0; d < 4; ++d)
    arrays.argument<uint8_t>(d, 1) = d % 2;
  ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
  // Devices 1 and 3 have 10+30 each; 0 and 2 have their own value plus one.
  for (int d = 0; d < 4; ++d)
    EXPECT_THAT(arrays.result(d), ElementsAre(102, 108, 114, 120));
}

TEST_P(DivergedDevices, EqualCollectivesInTwoBranchesDoNotMatch) {
  Builder b(4);
  SlotId x = b.argument(), pred = b.argument(ElementType::Pred, {});
  SlotId r = b.result();
  b.branch(pred, [&] { b.allReduce(x, r); }, [&] { b.allReduce(x, r); });
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  for (int d = 0; d < 4; ++d)
    arrays.argument<uint8_t>(d, 1) = d != 2;
  EXPECT_EQ(messageOf(execute(p, arrays.buffers, pool)),
            "deadlock: devices 0, 1, 3 wait at all_reduce at test:0 for device "
            "2; device 2 waits at all_reduce at test:1 for devices 0, 1, 3; "
            "all devices of a group must reach its collectives in the same "
            "order");
  // If all devices take the same branch, the run succeeds.
  for (int d = 0; d < 4; ++d)
    arrays.argument<uint8_t>(d, 1) = 0;
  EXPECT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
  EXPECT_THAT(arrays.result(3), ElementsAre(60, 64, 68, 72));
}

TEST_P(DivergedDevices, DeadlockWithDevicesThatHaveFinished) {
  Builder b(6);
  SlotId x = b.argument(), pred = b.argument(ElementType::Pred, {});
  SlotId r = b.result();
  b.branch(pred, [&] { b.allReduce(x, r, {{0, 1, 2}, {3, 4, 5}}); }, [&] {});
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  for (int d = 0; d < 6; ++d)
    arrays.argument<uint8_t>(d, 1) = d == 1 || d >= 3;
  EXPECT_EQ(messageOf(execute(p, arrays.buffers, pool)),
            "deadlock: device 1 waits at all_reduce at test:0 for devices 0, "
            "2; devices 0, 2-5 have finished; all devices of a group must "
            "reach its collectives in the same order");
}

TEST_P(DivergedDevices, Permute) {
  Builder b(4);
  SlotId x = b.argument(), r = b.result(), s = b.result();
  b.permute(x, r, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  b.permute(x, s, {{2, 0}, {3, 3}});
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
  for (int d = 0; d < 4; ++d)
    EXPECT_EQ(arrays.result(d)[1], (d + 3) % 4 * 10 + 1);
  EXPECT_THAT(arrays.result(0, 1), ElementsAre(20, 21, 22, 23));
  EXPECT_THAT(arrays.result(1, 1), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(arrays.result(3, 1), ElementsAre(30, 31, 32, 33));
}

TEST_P(DivergedDevices, PermuteWaitsForItsSourceAlone) {
  // Device 0 sends five values to 1; device 2 is in the pairs but never
  // arrives. A rendezvous of all devices would deadlock, and a send without a
  // copy would lose values, because device 0 continues before 1 arrives.
  Builder b(3);
  SlotId x = b.argument(), pred = b.argument(ElementType::Pred, {}),
         limit = b.argument(ElementType::S32, {}),
         wait = b.argument(ElementType::S32, {});
  SlotId value = b.slot(), next = b.slot(), got = b.slot(), sum = b.slot(),
         newSum = b.slot(), idle = b.slot(), r = b.result();
  b.step(StepKind::Copy, {x}, {value});
  b.step(StepKind::Copy, {x}, {sum});
  b.branch(
      pred,
      [&] {
        b.loop(limit, [&] {
          b.loop(wait, [&] { b.kernel(slow, {x}, {idle}); });
          b.permute(value, got, {{0, 1}, {1, 2}});
          b.kernel(addOne, {value}, {next});
          b.step(StepKind::Copy, {next}, {value});
          b.kernel(mix, {sum, got}, {newSum});
          b.step(StepKind::Copy, {newSum}, {sum});
        });
      },
      [&] {});
  b.step(StepKind::Copy, {sum}, {r});
  Program p = b.finish();
  for (int slowOne : {0, 1}) {
    Arrays arrays(p);
    for (int d = 0; d < 3; ++d) {
      for (int k = 0; k < width; ++k)
        arrays.argument<float>(d, 0, k) = d == 0 ? 1 : 0;
      arrays.argument<uint8_t>(d, 1) = d < 2;
      arrays.argument<int32_t>(d, 2) = 5;
      arrays.argument<int32_t>(d, 3) = d == slowOne ? 3 : 0;
    }
    ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
    float expected = 0;
    for (int i = 1; i <= 5; ++i)
      expected = expected * 0.5f + i;
    EXPECT_EQ(arrays.result(1)[0], expected);
    EXPECT_EQ(arrays.result(0)[0], 1.0f / 32); // it received zeros
    EXPECT_EQ(arrays.result(2)[0], 0);
  }
}

TEST_P(DivergedDevices, PermuteWithoutItsSourceIsADeadlock) {
  Builder b(2);
  SlotId x = b.argument(), pred = b.argument(ElementType::Pred, {});
  SlotId r = b.result();
  b.branch(pred, [&] { b.permute(x, r, {{0, 1}}); }, [&] {});
  Program p = b.finish();
  Arrays arrays(p);
  arrays.argument<uint8_t>(0, 1) = 0;
  arrays.argument<uint8_t>(1, 1) = 1;
  EXPECT_EQ(
      messageOf(execute(p, arrays.buffers, pool)),
      "deadlock: device 1 waits at collective_permute (step 1) for device "
      "0; device 0 has finished; all devices of a group must reach its "
      "collectives in the same order");
}

TEST_P(DivergedDevices, FailureOfAKernelFreesTheWaiters) {
  Builder b(8);
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId y = b.slot(), r = b.result();
  b.loop(limit, [&] { b.allReduce(x, y); });
  b.kernel(failIfNegative, {x}, {}, 1);
  b.allReduce(x, r);
  Program p = b.finish();
  auto executor = Executor::create(p);
  ASSERT_TRUE(bool(executor));
  // Three devices fail while the others wait at the next collective, or run an
  // endless loop.
  for (int loops : {0, 1}) {
    Arrays arrays(p);
    count(arrays);
    for (int d = 0; d < 8; ++d)
      arrays.argument<int32_t>(d, 1) = d < 5 ? loops : 0;
    for (int d : {7, 5, 6})
      arrays.argument<float>(d, 0) = -1;
    EXPECT_THAT(messageOf((*executor)->run(arrays.buffers, pool)),
                testing::MatchesRegex("kernel .step [0-9]+.: device [567]: its "
                                      "input is negative"));
  }
  Arrays arrays(p);
  count(arrays);
  for (int d = 0; d < 8; ++d)
    arrays.argument<int32_t>(d, 1) = 3;
  EXPECT_EQ(messageOf((*executor)->run(arrays.buffers, pool)), "");
  EXPECT_EQ(arrays.result(0)[0], 280);
}

TEST_P(DivergedDevices, FailureStopsEndlessLoopsElsewhere) {
  Builder b(2);
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId y = b.slot(), r = b.result();
  b.kernel(failIfNegative, {x}, {}, 1);
  b.loop(limit, [&] { b.kernel(addOne, {x}, {y}); });
  b.allReduce(y, r);
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  arrays.argument<float>(0, 0) = -1;
  for (int d = 0; d < 2; ++d)
    arrays.argument<int32_t>(d, 1) = INT32_MAX;
  EXPECT_THAT(messageOf(execute(p, arrays.buffers, pool)),
              HasSubstr("device 0: its input is negative"));
}

} // namespace
