//===- executor_test.cc - hand-built programs on virtual devices ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/executor_test_util.h"

#include "shardwright/support/fault_injection.h"
#include "shardwright/support/host_memory.h"
#include "shardwright/support/idle_memory.h"

#include "gmock/gmock.h"

#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <random>

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

INSTANTIATE_TEST_SUITE_P(Threads, Executors, testing::Values(1, 2, 5));

TEST_P(Executors, StraightLine) {
  Builder b(8);
  SlotId x = b.argument(), y = b.slot(), z = b.slot();
  b.kernel(addOne, {x}, {y});
  b.allReduce(y, z);
  SlotId r = b.result();
  b.kernel(mix, {z, x}, {r});
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  RunStatistics statistics;
  ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool, &statistics)), "");
  for (int d = 0; d < 8; ++d)
    EXPECT_THAT(arrays.result(d), ElementsAre(144 + d * 10, 149 + d * 10,
                                              154 + d * 10, 159 + d * 10));
  EXPECT_EQ(statistics.steps, 8 * 3);
  EXPECT_EQ(statistics.rejoins, 0);
}

TEST_P(Executors, ResultsThatAreArgumentsConstantsAndTwice) {
  Builder b(2);
  SlotId x = b.argument(), y = b.slot(), c = b.slot();
  auto data = std::make_shared<std::array<float, width>>(
      std::array<float, width>{5, 6, 7, 8});
  b.p.constants.push_back({data, sizeof(*data)});
  b.p.slots[c].home = Slot::Home::Constant;
  b.p.slots[c].index = 0;
  b.kernel(addOne, {x}, {y});
  b.p.results = {x, y, c, y};
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
  EXPECT_THAT(arrays.result(1, 0), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(arrays.result(1, 1), ElementsAre(11, 12, 13, 14));
  EXPECT_THAT(arrays.result(1, 2), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(arrays.result(1, 3), ElementsAre(11, 12, 13, 14));
}

TEST_P(Executors, DeviceAndReplicaIds) {
  Builder b(3);
  b.p.numReplicas = 2;
  SlotId id = b.slot(ElementType::U32, {}),
         replica = b.slot(ElementType::U32, {});
  b.step(StepKind::DeviceId, {}, {id});
  b.step(StepKind::ReplicaId, {}, {replica});
  b.p.results = {id, replica};
  Program p = b.finish();
  Arrays arrays(p);
  ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
  for (int d = 0; d < 6; ++d) {
    EXPECT_EQ(at<uint32_t>(arrays.buffers[d].results[0]), uint32_t(d % 3));
    EXPECT_EQ(at<uint32_t>(arrays.buffers[d].results[1]), uint32_t(d / 3));
  }
}

TEST(Executor, DotsAreTheSameOnAnyNumberOfThreads) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{121, 495, 407},
                         std::array<int64_t, 3>{558, 130, 711}}) {
    Builder b(1);
    SlotId lhs = b.argument(ElementType::F32, {k, m}),
           rhs = b.argument(ElementType::F32, {k, n});
    b.result();
    b.p.slots[b.p.results[0]].shape = {m, n};
    DotSpec dot;
    dot.lhsType = dot.rhsType = dot.outType = ElementType::F32;
    dot.m = m, dot.n = n, dot.k = k;
    dot.lhsStrideM = 1, dot.lhsStrideK = m;
    dot.rhsStrideK = n, dot.rhsStrideN = 1;
    dot.outStrideM = n, dot.outStrideN = 1;
    b.p.dots.push_back(dot);
    b.step(StepKind::Dot, {lhs, rhs}, {b.p.results[0]}, 0);
    Program p = b.finish();
    std::vector<float> first;
    for (int threads : {1, 2, 3, 5, 16}) {
      ThreadPool pool(threads);
      Arrays arrays(p);
      std::mt19937 random(3);
      for (int i = 0; i < 2; ++i)
        for (int64_t e = 0; e < k * (i == 0 ? m : n); ++e)
          arrays.argument<float>(0, i, e) = float(random() % 20001) / 1e4f - 1;
      ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
      auto *out = static_cast<float *>(arrays.buffers[0].results[0]);
      if (first.empty())
        first.assign(out, out + m * n);
      EXPECT_EQ(0, std::memcmp(first.data(), out, m * n * sizeof(float)))
          << threads << " threads";
    }
  }
}

TEST(Executor, ArenasThatIdleMakeRoomForOthers) {
  constexpr int64_t mebi = 1 << 20;
  auto programOf = [](int64_t bytes) {
    Builder b(1);
    SlotId big = b.slot(ElementType::U8, {bytes});
    b.kernel(setZero, {}, {big}, 1);
    return b.finish();
  };
  ThreadPool pool(1);
  int64_t before = idleBytes();
  {
    Program small = programOf(mebi), large = programOf(4 * mebi);
    auto first = Executor::create(small), second = Executor::create(small),
         third = Executor::create(large);
    ASSERT_TRUE(first && second && third);
    Arrays none(small);
    ASSERT_EQ(messageOf((*first)->run(none.buffers, pool)), "");
    EXPECT_GE(idleBytes(), before + mebi);
    PretendedMemory machine(hostMemoryInUse() + mebi / 2);
    ASSERT_EQ(messageOf((*second)->run(none.buffers, pool)), "");
    EXPECT_LT(idleBytes(), before + 2 * mebi);
    EXPECT_THAT(messageOf((*third)->run(none.buffers, pool)),
                HasSubstr("not enough memory for the buffers of 1 devices"));
    // Memory that other executors released is allocated again.
    ASSERT_EQ(messageOf((*first)->run(none.buffers, pool)), "");
  }
  EXPECT_EQ(idleBytes(), before);
}

TEST_P(Executors, BigStepsOfFewDevicesAreSplit) {
  Builder b(2);
  Shape shape = {1000};
  SlotId x = b.argument(ElementType::F32, shape),
         y = b.slot(ElementType::F32, shape),
         d = b.slot(ElementType::F32, {10, 10}), r = b.result();
  // The second kernel reads all tasks' results of the first.
  b.kernel(slow, {x}, {y}, 1000, 1e7);
  SlotId z = b.slot(ElementType::F32, shape);
  b.kernel(slow, {y}, {z}, 1000, 1e7);
  DotSpec dot{ElementType::F32, ElementType::F32, ElementType::F32};
  dot.m = dot.n = 2;
  dot.k = 500;
  dot.lhsStrideM = 500;
  dot.lhsStrideK = 1;
  dot.rhsStrideK = 1;
  dot.rhsStrideN = 500;
  dot.outStrideM = 2;
  dot.outStrideN = 1;
  b.p.dots.push_back(dot);
  b.step(StepKind::Dot, {z, z}, {r}, 0);
  (void)d;
  Program p = b.finish();
  Arrays arrays(p);
  for (int d = 0; d < 2; ++d)
    for (int i = 0; i < 1000; ++i)
      arrays.argument<float>(d, 0, i) = i < 500 ? 0 : d;
  ASSERT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
  EXPECT_THAT(arrays.result(0), ElementsAre(2000, 2000, 2000, 2000));
  EXPECT_THAT(arrays.result(1), ElementsAre(2000, 3000, 3000, 4500));
}

TEST_P(Executors, ManyRunsAtOnce) {
  Builder b(8);
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId sum = b.loop(x, limit, [&](SlotId value, SlotId next) {
    b.allReduce(value, next, {{0, 1, 2, 3}, {4, 5, 6, 7}});
  });
  b.allReduce(sum, b.result());
  Program p = b.finish();
  auto executor = Executor::create(p);
  ASSERT_TRUE(bool(executor));
  std::vector<std::thread> clients;
  for (int c = 0; c < 6; ++c)
    clients.emplace_back([&, c] {
      for (int i = 0; i < 60; ++i) {
        Arrays arrays(p);
        for (int d = 0; d < 8; ++d) {
          for (int k = 0; k < width; ++k)
            arrays.argument<float>(d, 0, k) = c + 1;
          arrays.argument<int32_t>(d, 1) = d < 4 ? i % 3 : i % 2;
        }
        EXPECT_EQ(messageOf((*executor)->run(arrays.buffers, pool)), "");
        float expected =
            4 * (c + 1) *
            (std::pow(4.0f, float(i % 3)) + std::pow(4.0f, float(i % 2)));
        EXPECT_EQ(arrays.result(c)[3], expected);
      }
    });
  for (auto &client : clients)
    client.join();
}

TEST(Executor, MalformedProgramsAreErrors) {
  auto create = [](auto change) {
    Builder b(2);
    SlotId x = b.argument(), y = b.slot(), r = b.result();
    b.kernel(addOne, {x}, {y});
    b.allReduce(y, r);
    Program p = b.finish();
    change(p);
    auto executor = Executor::create(p);
    return executor ? std::string() : toString(executor.takeError());
  };
  EXPECT_EQ(create([](Program &) {}), "");
  EXPECT_EQ(create([](Program &p) { p.steps[0].inputs[0] = 99; }),
            "kernel (step 0): there is no slot 99");
  EXPECT_EQ(create([](Program &p) { p.steps[0].outputs[0] = 0; }),
            "kernel (step 0): writes slot 0, which is read-only");
  EXPECT_EQ(create([](Program &p) { p.steps.pop_back(); }),
            "the program does not end with a return");
  EXPECT_EQ(create([](Program &p) { p.kernels[0].function = nullptr; }),
            "kernel (step 0): kernel 'k' has no code");
  EXPECT_EQ(create([](Program &p) { p.slots[1].offset = -1; }),
            "slot 1 has no place in the arena");
  EXPECT_EQ(create([](Program &p) {
              p.slots[1].offset += 2;
              p.arenaBytes += 64;
            }),
            "slot 1 lies at byte 2, which is not aligned to its elements");
  EXPECT_EQ(create([](Program &p) { p.arenaBytes = 8; }),
            "slot 1 has no place in the arena");
  EXPECT_EQ(create([](Program &p) { p.collectives[0].groups = {{0, 2}}; }),
            "all_reduce: there is no device 2; the program runs on 2");
  EXPECT_EQ(create([](Program &p) { p.collectives[0].groups = {{0}}; }), "");
  EXPECT_EQ(create([](Program &p) { p.collectives[0].pairs = {{1, 0}}; }),
            "all_reduce: it has pairs of source and target, which only a "
            "collective_permute has");
  EXPECT_EQ(create([](Program &p) { p.steps[1].inputs[0] = 2; }),
            "all_reduce at test:0: a result shares memory with an operand");
  EXPECT_EQ(create([](Program &p) { p.numPartitions = 0; }),
            "a program for 1 replicas of 0 partitions cannot run here; at most "
            "1048576 devices are possible");
}

//===----------------------------------------------------------------------===//
// Positions of other processes
//===----------------------------------------------------------------------===//

/// Runs the local part of `p` with the results going to their positions.
std::string runLocal(const Program &p, const Placement &placement,
                     Arrays &arrays, ThreadPool &pool, Trace *trace = nullptr) {
  auto executor = Executor::create(p, placement);
  if (!executor)
    return toString(executor.takeError());
  std::vector<DeviceBuffers> buffers;
  for (int32_t position : placement.localPositions(p.numDevices()))
    buffers.push_back(arrays.buffers[position]);
  RunStatistics statistics;
  return messageOf((*executor)->run(buffers, pool, &statistics, trace));
}

TEST_P(Executors, ProcessesTogetherDoWhatOneDoes) {
  // Groups, a permute and loops of different length; {1, 4} and {0, 5, 2} do
  // not communicate, and 3 is in no group.
  Builder b(6);
  b.p.numReplicas = 1;
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId moved = b.slot(), r = b.result();
  SlotId id = b.slot(ElementType::U32, {});
  b.step(StepKind::DeviceId, {}, {id});
  SlotId sum = b.loop(x, limit, [&](SlotId value, SlotId next) {
    b.allReduce(value, next, {{4, 1}, {5, 0, 2}});
  });
  b.permute(sum, moved, {{1, 4}, {4, 1}, {2, 5}, {5, 0}});
  b.kernel(mix, {moved, sum}, {r});
  b.p.results.push_back(id);
  Program p = b.finish();
  auto fill = [](Arrays &arrays) {
    count(arrays);
    for (int d = 0; d < 6; ++d)
      arrays.argument<int32_t>(d, 1) = d == 1 || d == 4 ? 3 : 1;
  };
  Arrays expected(p), arrays(p);
  fill(expected);
  fill(arrays);
  ASSERT_EQ(runLocal(p, {}, expected, pool), "");
  int32_t owners[] = {7, 2, 7, 2, 2, 7};
  for (int32_t process : {2, 7, 3}) { // nothing is local to 3
    Trace trace;
    ASSERT_EQ(runLocal(p, {process, owners}, arrays, pool, &trace), "");
    EXPECT_EQ(trace.numDevices(), process == 3 ? 0 : 3);
  }
  for (int d = 0; d < 6; ++d) {
    EXPECT_EQ(arrays.result(d), expected.result(d)) << "position " << d;
    EXPECT_EQ(at<uint32_t>(arrays.buffers[d].results[1]), uint32_t(d));
  }
}

TEST(Executor, ErrorsNamePositionsOfTheProgram) {
  ThreadPool pool(2);
  Builder b(4);
  SlotId x = b.argument(), r = b.result();
  b.kernel(failIfNegative, {x}, {r});
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  arrays.argument<float>(3, 0) = -1;
  int32_t owners[] = {0, 0, 1, 1};
  EXPECT_EQ(runLocal(p, {0, owners}, arrays, pool), "");
  EXPECT_EQ(runLocal(p, {1, owners}, arrays, pool),
            "kernel (step 0): device 3: its input is negative");
  auto executor = llvm::cantFail(Executor::create(p, {1, owners}));
  EXPECT_EQ(messageOf(executor->run(arrays.buffers, pool)),
            "buffers for 4 devices, but the program runs on 2");
  EXPECT_EQ(runLocal(p, {0, llvm::ArrayRef(owners).drop_back()}, arrays, pool),
            "the placement is not one of the 4 positions of the program");
}

TEST(Executor, CollectivesBetweenProcessesNeedATransport) {
  ThreadPool pool(1);
  Builder b(4);
  SlotId x = b.argument(), r = b.result();
  b.allReduce(x, r);
  Program p = b.finish();
  Arrays arrays(p);
  int32_t owners[] = {0, 0, 1, 1};
  EXPECT_EQ(runLocal(p, {1, owners}, arrays, pool),
            "the program has collectives with devices of other processes, but "
            "the run was given no transport; run it through a backend of the "
            "job");
}

TEST(Executor, WrongBuffersAndNoMemoryAreErrors) {
  ThreadPool pool(2);
  Builder b(2);
  SlotId x = b.argument(), r = b.result();
  b.kernel(addOne, {x}, {r});
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  EXPECT_EQ(
      messageOf(execute(p, llvm::ArrayRef(arrays.buffers).drop_front(), pool)),
      "buffers for 1 devices, but the program runs on 2");
  auto fewer = arrays.buffers;
  fewer[1].arguments.clear();
  EXPECT_EQ(messageOf(execute(p, fewer, pool)),
            "device 1 has 0 arguments and 1 results, but the program has 1 and "
            "1");
  p.arenaBytes = int64_t(1) << 60;
  EXPECT_THAT(messageOf(execute(p, arrays.buffers, pool)),
              HasSubstr("not enough memory for the buffers of 2 devices"));
}

} // namespace
