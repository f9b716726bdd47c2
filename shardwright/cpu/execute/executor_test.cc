//===- executor_test.cc - programs built by hand on virtual devices -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/executor.h"

#include "shardwright/cpu/program/memory_plan.h"
#include "shardwright/support/fault_injection.h"
#include "shardwright/support/host_memory.h"
#include "shardwright/support/idle_memory.h"
#include "shardwright/support/thread_pool.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>

using namespace shardwright;
using namespace shardwright::cpu;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr int64_t width = 4; // elements of every array of floats

// --- kernels ---

template <typename T> T &at(void *p, int64_t i = 0) {
  return static_cast<T *>(p)[i];
}
void mix(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    at<float>(b[2], i) = at<float>(b[0], i) * 0.5f + at<float>(b[1], i);
}
void addOne(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    at<float>(b[1], i) = at<float>(b[0], i) + 1;
}
void setZero(void *const *b, int64_t, int64_t) { at<int32_t>(b[0]) = 0; }
void increment(void *const *b, int64_t, int64_t) {
  at<int32_t>(b[1]) = at<int32_t>(b[0]) + 1;
}
void less(void *const *b, int64_t, int64_t) {
  at<uint8_t>(b[2]) = at<int32_t>(b[0]) < at<int32_t>(b[1]);
}
void failIfNegative(void *const *b, int64_t, int64_t) {
  if (at<float>(b[0]) < 0)
    failKernel("its input is negative");
}
/// Long enough for every thread to take part.
void slow(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    volatile float x = at<float>(b[0], i);
    for (int k = 0; k < 20000; ++k)
      x = x * 0.5f + 1;
    at<float>(b[1], i) = at<float>(b[0], i) + 1;
  }
}

/// Where kernels of several devices wait for one another.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  int wanted = 0, there = 0;
} meeting;

void meetOthers(void *const *, int64_t, int64_t) {
  std::unique_lock lock(meeting.mutex);
  ++meeting.there;
  meeting.changed.notify_all();
  if (!meeting.changed.wait_for(lock, std::chrono::seconds(10),
                                [] { return meeting.there >= meeting.wanted; }))
    failKernel("nobody else came");
}
void nap(void *const *b, int64_t, int64_t) {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  std::memcpy(b[1], b[0], width * sizeof(float));
}

/// Writes programs as a lowering would.
class Builder {
public:
  explicit Builder(int32_t devices) { p.numPartitions = devices; }

  SlotId slot(ElementType type = ElementType::F32, Shape shape = {width}) {
    Slot s;
    s.type = type;
    s.shape = shape;
    p.slots.push_back(s);
    return p.slots.size() - 1;
  }
  SlotId argument(ElementType type = ElementType::F32, Shape shape = {width}) {
    SlotId s = slot(type, shape);
    p.slots[s].home = Slot::Home::Argument;
    p.slots[s].index = p.arguments.size();
    p.arguments.push_back(s);
    return s;
  }
  SlotId result() {
    SlotId s = slot();
    p.slots[s].home = Slot::Home::Result;
    p.slots[s].index = p.results.size();
    p.results.push_back(s);
    return s;
  }
  int32_t step(StepKind kind, llvm::ArrayRef<SlotId> in,
               llvm::ArrayRef<SlotId> out, int32_t payload = -1) {
    Step s;
    s.kind = kind;
    s.payload = payload;
    s.inputs.assign(in.begin(), in.end());
    s.outputs.assign(out.begin(), out.end());
    p.steps.push_back(s);
    return p.steps.size() - 1;
  }
  int32_t kernel(KernelFn f, llvm::ArrayRef<SlotId> in,
                 llvm::ArrayRef<SlotId> out, int64_t iterations = width,
                 double costNs = 10) {
    p.kernels.push_back({"k", f, iterations, costNs});
    return step(StepKind::Kernel, in, out, p.kernels.size() - 1);
  }
  using Groups = std::vector<llvm::SmallVector<int32_t, 8>>;
  int32_t allReduce(SlotId in, SlotId out, Groups groups = {}) {
    CollectiveSpec c;
    c.kind = CollectiveKind::AllReduce;
    c.type = ElementType::F32;
    c.inputShape = c.outputShape = p.slots[in].shape;
    c.groups = std::move(groups);
    p.collectives.push_back(c);
    int32_t s =
        step(StepKind::Collective, {in}, {out}, p.collectives.size() - 1);
    p.steps[s].location = p.locations.size();
    p.locations.push_back("all_reduce at test:" +
                          std::to_string(p.locations.size()));
    return s;
  }
  int32_t permute(SlotId in, SlotId out,
                  std::vector<std::pair<int32_t, int32_t>> pairs) {
    CollectiveSpec c;
    c.kind = CollectiveKind::CollectivePermute;
    c.type = ElementType::F32;
    c.inputShape = c.outputShape = p.slots[in].shape;
    c.pairs = std::move(pairs);
    p.collectives.push_back(c);
    return step(StepKind::Collective, {in}, {out}, p.collectives.size() - 1);
  }
  /// for (i = 0; i < limit; ++i) body(); `limit` is read by each device.
  void loop(SlotId limit, llvm::function_ref<void()> body) {
    SlotId i = slot(ElementType::S32, {}), next = slot(ElementType::S32, {}),
           pred = slot(ElementType::Pred, {});
    kernel(setZero, {}, {i}, 1);
    int32_t head = kernel(less, {i, limit}, {pred}, 1);
    int32_t exit = step(StepKind::JumpIfFalse, {pred}, {});
    body();
    kernel(increment, {i}, {next}, 1);
    step(StepKind::Copy, {next}, {i});
    int32_t back = step(StepKind::Jump, {}, {});
    p.steps[back].target = head;
    p.steps[exit].target = p.steps.size();
  }
  void branch(SlotId pred, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise) {
    int32_t test = step(StepKind::JumpIfFalse, {pred}, {});
    then();
    int32_t over = step(StepKind::Jump, {}, {});
    p.steps[test].target = p.steps.size();
    otherwise();
    p.steps[over].target = p.steps.size();
  }
  Program finish() {
    step(StepKind::Return, {}, {});
    planMemory(p);
    return std::move(p);
  }
  Program p;
};

/// Buffers of all devices for one run.
struct Arrays {
  std::deque<std::vector<char>> storage;
  std::vector<DeviceBuffers> buffers;

  explicit Arrays(const Program &p) : buffers(p.numDevices()) {
    for (DeviceBuffers &b : buffers) {
      for (SlotId s : p.arguments)
        b.arguments.push_back(add(p.slots[s].bytes()));
      for (SlotId s : p.results)
        b.results.push_back(add(p.slots[s].bytes()));
    }
  }
  void *add(int64_t bytes) {
    storage.emplace_back(bytes + 64, char(0xee));
    auto address = reinterpret_cast<uintptr_t>(storage.back().data());
    return reinterpret_cast<void *>((address + 63) & -64);
  }
  template <typename T> T &argument(int d, int i, int64_t k = 0) {
    return at<T>(buffers[d].arguments[i], k);
  }
  std::vector<float> result(int d, int i = 0) const {
    auto *p = static_cast<float *>(buffers[d].results[i]);
    return {p, p + width};
  }
};

std::string messageOf(llvm::Error e) { return toString(std::move(e)); }

/// Every device's argument i begins as d * 10 + k.
void count(Arrays &arrays, int i = 0) {
  for (size_t d = 0; d < arrays.buffers.size(); ++d)
    for (int k = 0; k < width; ++k)
      arrays.argument<float>(d, i, k) = d * 10 + k;
}

class Executors : public testing::TestWithParam<int> {
protected:
  ThreadPool pool{GetParam()};
};
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

TEST_P(Executors, LoopsOfDifferentLengthBetweenCollectives) {
  Builder b(8);
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId sum = b.slot(), next = b.slot(), r = b.result();
  b.step(StepKind::Copy, {x}, {sum});
  b.loop(limit, [&] {
    b.kernel(addOne, {sum}, {next});
    b.step(StepKind::Copy, {next}, {sum});
  });
  b.allReduce(sum, r);
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
  // The loop holds no collective, so nobody parted.
  EXPECT_EQ(statistics.rejoins, 0);
}

TEST_P(Executors, LoopsOfDifferentLengthAroundCollectivesOfAGroup) {
  // Groups go round a different number of times, then all meet.
  Builder b(8);
  Builder::Groups pairs = {{1, 0}, {2, 3}, {4, 5}, {6, 7}};
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId sum = b.slot(), next = b.slot(), total = b.slot(), r = b.result();
  b.step(StepKind::Copy, {x}, {sum});
  b.loop(limit, [&] {
    b.allReduce(sum, next, pairs);
    b.step(StepKind::Copy, {next}, {sum});
  });
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

TEST(Executor, DevicesGetThreadsBesideThoseThatAreBusy) {
  // Two devices are in a long kernel when three others become ready at once.
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
    // What others gave up for it is made anew.
    ASSERT_EQ(messageOf((*first)->run(none.buffers, pool)), "");
  }
  EXPECT_EQ(idleBytes(), before);
}

TEST_P(Executors, CollectivesInOneBranchOnly) {
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
  // Devices 1 and 3 have 10+30 each, 0 and 2 their own plus one.
  for (int d = 0; d < 4; ++d)
    EXPECT_THAT(arrays.result(d), ElementsAre(102, 108, 114, 120));
}

TEST_P(Executors, EqualCollectivesInTwoBranchesDoNotMatch) {
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
            "all devices of a group must come to its collectives in the same "
            "order");
  // All in one branch: no harm is left.
  for (int d = 0; d < 4; ++d)
    arrays.argument<uint8_t>(d, 1) = 0;
  EXPECT_EQ(messageOf(execute(p, arrays.buffers, pool)), "");
  EXPECT_THAT(arrays.result(3), ElementsAre(60, 64, 68, 72));
}

TEST_P(Executors, DeadlockWithDevicesThatHaveFinished) {
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
            "2; devices 0, 2-5 have finished; all devices of a group must come "
            "to its collectives in the same order");
}

TEST_P(Executors, Permute) {
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

TEST_P(Executors, PermuteWaitsForItsSourceAlone) {
  // 0 sends five values to 1; device 2 is in the pairs too, but never comes.
  // A meeting of all would be stuck, and one without a copy would lose values,
  // since 0 goes on before 1 is there.
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

TEST_P(Executors, PermuteWithoutItsSourceIsADeadlock) {
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
      "0; device 0 has finished; all devices of a group must come to its "
      "collectives in the same order");
}

TEST_P(Executors, FailureOfAKernelFreesTheWaiters) {
  Builder b(8);
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {});
  SlotId y = b.slot(), r = b.result();
  b.loop(limit, [&] { b.allReduce(x, y); });
  b.kernel(failIfNegative, {x}, {}, 1);
  b.allReduce(x, r);
  Program p = b.finish();
  auto executor = Executor::create(p);
  ASSERT_TRUE(bool(executor));
  // Three fail while the others wait at the next collective, or in a loop in
  // which they would wait for ever.
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

TEST_P(Executors, FailureStopsEndlessLoopsElsewhere) {
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

TEST_P(Executors, BigStepsOfFewDevicesAreSplit) {
  Builder b(2);
  Shape shape = {1000};
  SlotId x = b.argument(ElementType::F32, shape),
         y = b.slot(ElementType::F32, shape),
         d = b.slot(ElementType::F32, {10, 10}), r = b.result();
  // Twice: the second reads what all pieces of the first wrote.
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
  SlotId sum = b.slot(), next = b.slot(), r = b.result();
  b.step(StepKind::Copy, {x}, {sum});
  b.loop(limit, [&] {
    b.allReduce(sum, next, {{0, 1, 2, 3}, {4, 5, 6, 7}});
    b.step(StepKind::Copy, {next}, {sum});
  });
  b.allReduce(sum, r);
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
  EXPECT_EQ(create([](Program &p) { p.arenaBytes = 8; }),
            "slot 1 has no place in the arena");
  EXPECT_EQ(create([](Program &p) { p.collectives[0].groups = {{0, 2}}; }),
            "all_reduce: there is no device 2; the program runs on 2");
  EXPECT_EQ(create([](Program &p) { p.collectives[0].groups = {{0}}; }), "");
  EXPECT_EQ(create([](Program &p) { p.steps[1].inputs[0] = 2; }),
            "all_reduce at test:0: a result shares memory with an operand");
  EXPECT_EQ(create([](Program &p) { p.numPartitions = 0; }),
            "a program for 1 replicas of 0 partitions cannot run here; at most "
            "1048576 devices are possible");
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

//===----------------------------------------------------------------------===//
// Random programs against a plain simulation
//===----------------------------------------------------------------------===//

/// One device after another, each slot in memory of its own.
struct Simulation {
  const Program &p;
  struct Device {
    int32_t pc = 0;
    std::vector<std::vector<char>> slots;
    bool waits = false;
  };
  std::vector<Device> devices;
  std::map<std::pair<int32_t, int32_t>, std::deque<std::vector<char>>> sent;

  Simulation(const Program &program, const Arrays &arrays)
      : p(program), devices(program.numDevices()) {
    for (size_t d = 0; d < devices.size(); ++d)
      for (const Slot &slot : p.slots) {
        devices[d].slots.emplace_back(slot.bytes(), char(0));
        if (slot.home == Slot::Home::Argument)
          std::memcpy(devices[d].slots.back().data(),
                      arrays.buffers[d].arguments[slot.index], slot.bytes());
      }
  }
  bool done() const {
    return llvm::all_of(devices, [&](const Device &d) {
      return p.steps[d.pc].kind == StepKind::Return;
    });
  }
  /// Returns false when nothing moved.
  bool sweep() {
    bool moved = false;
    for (int32_t d = 0; d < int32_t(devices.size()); ++d)
      moved |= advance(d);
    return moved;
  }
  bool advance(int32_t number) {
    Device &d = devices[number];
    bool moved = false;
    for (;; moved = true) {
      const Step &s = p.steps[d.pc];
      switch (s.kind) {
      case StepKind::Kernel: {
        std::vector<void *> pointers;
        for (SlotId i : s.inputs)
          pointers.push_back(d.slots[i].data());
        for (SlotId o : s.outputs)
          pointers.push_back(d.slots[o].data());
        const Kernel &k = p.kernels[s.payload];
        k.function(pointers.data(), 0, k.iterations);
        ++d.pc;
        break;
      }
      case StepKind::Copy:
        d.slots[s.outputs[0]] = d.slots[s.inputs[0]];
        ++d.pc;
        break;
      case StepKind::Jump:
        d.pc = s.target;
        break;
      case StepKind::JumpIfFalse:
        d.pc = d.slots[s.inputs[0]][0] ? d.pc + 1 : s.target;
        break;
      case StepKind::Collective: {
        const CollectiveSpec &c = p.collectives[s.payload];
        if (c.kind == CollectiveKind::CollectivePermute) {
          if (!permute(number, s, c))
            return moved;
          break;
        }
        for (const auto &group : c.groups) {
          if (!llvm::is_contained(group, number))
            continue;
          for (int32_t member : group)
            if (devices[member].pc != d.pc)
              return moved;
          std::vector<float> sum(width, 0);
          for (int32_t member : group)
            for (int k = 0; k < width; ++k) {
              float x = at<float>(devices[member].slots[s.inputs[0]].data(), k);
              sum[k] = member == group[0] ? x : sum[k] + x;
            }
          for (int32_t member : group) {
            std::memcpy(devices[member].slots[s.outputs[0]].data(), sum.data(),
                        width * 4);
            ++devices[member].pc;
          }
          break;
        }
        break;
      }
      default:
        return moved;
      }
    }
  }
  bool permute(int32_t number, const Step &s, const CollectiveSpec &c) {
    Device &d = devices[number];
    int32_t source = -1;
    for (auto [from, to] : c.pairs) {
      if (from == number && !d.waits)
        sent[{d.pc, to}].push_back(d.slots[s.inputs[0]]);
      if (to == number)
        source = from;
    }
    d.waits = true;
    auto &out = d.slots[s.outputs[0]];
    if (source < 0) {
      std::fill(out.begin(), out.end(), 0);
    } else {
      auto &queue = sent[{d.pc, number}];
      if (queue.empty())
        return false;
      out = queue.front();
      queue.pop_front();
    }
    d.waits = false;
    ++d.pc;
    return true;
  }
};

/// Nested loops and branches whose length and direction depend on a device's
/// class; collectives in them stay within a class.
Program randomProgram(std::mt19937_64 &random, int32_t devices,
                      llvm::ArrayRef<int32_t> classOf) {
  Builder b(devices);
  std::vector<SlotId> values;
  for (int i = 0; i < 2; ++i)
    values.push_back(b.argument());
  SlotId limits[3], flags[2];
  for (SlotId &l : limits)
    l = b.argument(ElementType::S32, {});
  for (SlotId &f : flags)
    f = b.argument(ElementType::Pred, {});
  for (int i = 0; i < 4; ++i) {
    values.push_back(b.slot());
    b.step(StepKind::Copy, {values[random() % 2]}, {values.back()});
  }
  auto any = [&] { return values[random() % values.size()]; };
  auto target = [&] { return values[2 + random() % 4]; };

  std::function<void(int, bool)> block = [&](int depth, bool together) {
    int steps = 1 + random() % 4;
    for (int i = 0; i < steps; ++i) {
      SlotId fresh = b.slot();
      switch (random() % (depth < 3 ? 8 : 6)) {
      case 0:
      case 1:
        b.kernel(mix, {any(), any()}, {fresh});
        break;
      case 2:
      case 3: {
        // Groups: random chunks, across classes only where all come.
        std::vector<int32_t> order(devices);
        for (int32_t d = 0; d < devices; ++d)
          order[d] = d;
        std::shuffle(order.begin(), order.end(), random);
        std::map<std::pair<int32_t, int32_t>, llvm::SmallVector<int32_t, 8>>
            groups;
        int32_t parts = 1 + random() % 3;
        for (int32_t d : order)
          groups[{together ? 0 : classOf[d], int32_t(random() % parts)}]
              .push_back(d);
        Builder::Groups list;
        for (auto &[key, group] : groups)
          list.push_back(group);
        b.allReduce(any(), fresh, list);
        break;
      }
      case 4: {
        std::vector<std::pair<int32_t, int32_t>> pairs;
        std::vector<int32_t> to(devices);
        for (int32_t d = 0; d < devices; ++d)
          to[d] = d;
        std::shuffle(to.begin(), to.end(), random);
        for (int32_t d = 0; d < devices; ++d)
          if (random() % 4 && (together || classOf[d] == classOf[to[d]]))
            pairs.push_back({d, to[d]});
        b.permute(any(), fresh, pairs);
        break;
      }
      case 5:
        b.kernel(addOne, {any()}, {fresh});
        break;
      case 6:
        b.step(StepKind::Copy, {any()}, {fresh});
        b.loop(limits[random() % 3], [&] { block(depth + 1, false); });
        break;
      default:
        b.step(StepKind::Copy, {any()}, {fresh});
        b.branch(
            flags[random() % 2], [&] { block(depth + 1, false); },
            [&] { block(depth + 1, false); });
      }
      b.kernel(mix, {fresh, any()}, {b.slot()});
      SlotId mixed = b.p.slots.size() - 1;
      b.step(StepKind::Copy, {mixed}, {target()});
    }
  };
  for (int i = 0; i < 3; ++i)
    block(0, true);
  for (int i = 0; i < 2; ++i) {
    SlotId r = b.result();
    b.kernel(mix, {any(), any()}, {r});
  }
  return b.finish();
}

void checkRandomPrograms(int rounds, int32_t devices, uint64_t seed) {
  std::mt19937_64 random(seed);
  ThreadPool one(1), two(2), five(5);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    std::vector<int32_t> classOf(devices);
    int32_t classes = 1 + random() % 3;
    for (int32_t &c : classOf)
      c = random() % classes;
    Program p = randomProgram(random, devices, classOf);
    auto executor = Executor::create(p);
    ASSERT_TRUE(bool(executor)) << toString(executor.takeError());

    Arrays arrays(p);
    int32_t limit[3][3];
    uint8_t flag[3][2];
    for (int c = 0; c < 3; ++c) {
      for (int32_t &l : limit[c])
        l = random() % 4;
      for (uint8_t &f : flag[c])
        f = random() % 2;
    }
    for (int32_t d = 0; d < devices; ++d) {
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < width; ++k)
          arrays.argument<float>(d, i, k) = float(random() % 64) / 16;
      for (int i = 0; i < 3; ++i)
        arrays.argument<int32_t>(d, 2 + i) = limit[classOf[d]][i];
      for (int i = 0; i < 2; ++i)
        arrays.argument<uint8_t>(d, 5 + i) = flag[classOf[d]][i];
    }
    Simulation simulation(p, arrays);
    while (simulation.sweep())
      ;
    ASSERT_TRUE(simulation.done());
    for (ThreadPool *pool : {&one, &two, &five}) {
      ASSERT_EQ(messageOf((*executor)->run(arrays.buffers, *pool)), "");
      for (int32_t d = 0; d < devices; ++d)
        for (int i = 0; i < 2; ++i)
          ASSERT_EQ(
              0, std::memcmp(arrays.buffers[d].results[i],
                             simulation.devices[d].slots[p.results[i]].data(),
                             width * 4))
              << "device " << d << " result " << i;
    }
  }
}

TEST(Executor, RandomProgramsOnEightDevices) { checkRandomPrograms(60, 8, 1); }
TEST(Executor, RandomProgramsOnThreeDevices) { checkRandomPrograms(60, 3, 2); }
TEST(Executor, RandomProgramsOn64Devices) { checkRandomPrograms(12, 64, 3); }

} // namespace
