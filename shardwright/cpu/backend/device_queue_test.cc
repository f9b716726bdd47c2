//===- device_queue_test.cc - execution order of device work --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/device_queue.h"

#include "shardwright/support/fault_injection.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

using namespace shardwright;
using shardwright::cpu::DeviceQueue;
using testing::ElementsAre;

namespace {

TEST(DeviceQueue, DevicesWorkSideBySide) {
  DeviceQueue queue;
  Event release, other;
  std::atomic<bool> isFirstDone = false;
  queue.run(
      {0}, {}, [&](llvm::StringRef) { llvm::cantFail(release.await()); },
      false);
  queue.run({0}, {}, [&](llvm::StringRef) { isFirstDone = true; }, true);
  queue.run({1}, {}, [&](llvm::StringRef) { other.set(); }, false);
  // Device 1 finishes while device 0 still waits.
  llvm::cantFail(other.await());
  EXPECT_FALSE(isFirstDone);
  release.set();
  queue.drain();
  EXPECT_TRUE(isFirstDone);
}

TEST(DeviceQueue, AJobOfSeveralDevicesWaitsForEach) {
  DeviceQueue queue;
  Event release;
  std::mutex mutex;
  std::vector<int> order;
  auto note = [&](int what) {
    std::lock_guard lock(mutex);
    order.push_back(what);
  };
  queue.run(
      {0}, {},
      [&](llvm::StringRef) {
        llvm::cantFail(release.await());
        note(0);
      },
      false);
  queue.run({0, 1}, {}, [&](llvm::StringRef) { note(1); }, true);
  queue.run({1, 2}, {}, [&](llvm::StringRef) { note(2); }, true);
  release.set();
  queue.drain();
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(DeviceQueue, ADeviceNamedTwiceIsOne) {
  DeviceQueue queue;
  std::atomic<int> runs = 0;
  queue.run({1, 1, 0, 1}, {}, [&](llvm::StringRef) { ++runs; }, true);
  queue.run({1, 0, 1}, {}, [&](llvm::StringRef) { ++runs; }, false);
  queue.run({0}, {}, [&](llvm::StringRef) { ++runs; }, false);
  queue.drain();
  EXPECT_EQ(runs, 3);
}

TEST(DeviceQueue, WorkHasItsInputs) {
  DeviceQueue queue;
  Event input;
  std::atomic<bool> hasRun = false;
  queue.run(
      {0}, {input}, [&](llvm::StringRef) { hasRun = input.isReady(); }, true);
  EXPECT_FALSE(hasRun);
  input.set();
  queue.drain();
  EXPECT_TRUE(hasRun);
  // A job that nothing blocks runs on the calling thread.
  std::thread::id where;
  queue.run(
      {0}, {input},
      [&](llvm::StringRef) { where = std::this_thread::get_id(); }, true);
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(DeviceQueue, AJobMayEndItsQueue) {
  auto queue = std::make_unique<DeviceQueue>();
  Event done;
  DeviceQueue *raw = queue.get();
  raw->run(
      {0}, {},
      [&](llvm::StringRef) {
        queue.reset();
        done.set();
      },
      false);
  llvm::cantFail(done.await());
}

TEST(DeviceQueue, JobsWaitForARunOfTheCaller) {
  DeviceQueue queue;
  std::vector<int> order;
  std::mutex mutex;
  auto note = [&](int what) {
    std::lock_guard lock(mutex);
    order.push_back(what);
  };
  Event other;
  EXPECT_TRUE(queue.runIfIdle({0, 1, 0}, [&] {
    queue.run({1, 2}, {}, [&](llvm::StringRef) { note(2); }, true);
    EXPECT_FALSE(queue.runIfIdle({1}, [&] { note(-1); }));
    // Device 2 has a job already.
    EXPECT_FALSE(queue.runIfIdle({2}, [&] { note(-2); }));
    queue.run({3}, {}, [&](llvm::StringRef) { other.set(); }, false);
    llvm::cantFail(other.await());
    queue.drain(); // from a job: returns
    note(1);
  }));
  queue.drain();
  EXPECT_THAT(order, ElementsAre(1, 2));
  EXPECT_TRUE(queue.runIfIdle({1, 2}, [&] { note(3); }));
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(DeviceQueue, ARunOfTheCallerMayEndTheQueue) {
  auto queue = std::make_unique<DeviceQueue>();
  DeviceQueue *raw = queue.get();
  EXPECT_TRUE(raw->runIfIdle({0}, [&] { queue.reset(); }));
}

TEST(DeviceQueue, WithoutAThreadAJobFails) {
  DeviceQueue queue;
  std::vector<std::string> seen;
  auto note = [&](llvm::StringRef failure) { seen.push_back(failure.str()); };
  Event input;
  queue.run({0}, {input}, note, true);
  queue.run({0}, {}, note, true);
  {
    cpu::InjectedFault fault(cpu::FaultKind::Thread);
    input.set(); // both jobs can run now, and the first gets no thread
    EXPECT_TRUE(fault.happened());
  }
  queue.drain();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_THAT(seen[0], testing::HasSubstr("grants no thread"));
  EXPECT_EQ(seen[1], "");
}

TEST(DeviceQueue, AGatheredJobWaitsForItsDevices) {
  DeviceQueue queue;
  std::mutex mutex;
  std::vector<int> order;
  auto note = [&](int what) {
    std::lock_guard lock(mutex);
    order.push_back(what);
  };
  Event input, done;
  auto job = queue.gather(2, [&](llvm::StringRef failure) {
    EXPECT_EQ(failure, "");
    note(1);
    done.set();
  });
  queue.run({0}, {}, [&](llvm::StringRef) { note(0); }, false);
  EXPECT_TRUE(queue.join(job, 0, {input}));
  // Device 0 works in order, device 1 has not joined.
  queue.run({0}, {}, [&](llvm::StringRef) { note(2); }, true);
  EXPECT_TRUE(queue.runIfIdle({1}, [&] { note(-1); }));
  EXPECT_TRUE(queue.join(job, 1, {}));
  EXPECT_FALSE(queue.runIfIdle({1}, [] {}));
  queue.cancel(job, "too late: all have joined");
  input.set();
  llvm::cantFail(done.await());
  queue.drain();
  EXPECT_THAT(order, testing::UnorderedElementsAre(-1, 0, 1, 2));
  EXPECT_LT(llvm::find(order, 0), llvm::find(order, 1));
  EXPECT_LT(llvm::find(order, 1), llvm::find(order, 2));
}

TEST(DeviceQueue, ACancelledJobRunsWithItsFailure) {
  DeviceQueue queue;
  std::atomic<int> runs = 0;
  std::string seen[2];
  auto job = queue.gather(3, [&](llvm::StringRef failure) {
    seen[0] = failure;
    ++runs;
  });
  EXPECT_TRUE(queue.join(job, 2, {}));
  queue.run({2}, {}, [&](llvm::StringRef) { ++runs; }, true);
  queue.cancel(job, "device 0 is broken");
  queue.cancel(job, "again");
  EXPECT_FALSE(queue.join(job, 1, {}));
  auto none = queue.gather(1, [&](llvm::StringRef failure) {
    seen[1] = failure;
    ++runs;
  });
  queue.cancel(none, "nobody came");
  queue.drain();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(seen[0], "device 0 is broken");
  EXPECT_EQ(seen[1], "nobody came");
}

TEST(DeviceQueue, EveryDeviceKeepsItsOrder) {
  constexpr int numDevices = 5, numJobs = 400;
  DeviceQueue queue;
  std::array<std::vector<int>, numDevices> seen;
  std::array<std::atomic<int>, numDevices> inside{};
  std::atomic<int> wrong = 0;
  std::mt19937 random(7);
  for (int j = 0; j < numJobs; ++j) {
    llvm::SmallVector<DeviceId, 4> devices;
    for (int32_t d = 0; d < numDevices; ++d)
      if (random() % 2)
        devices.push_back(d);
    queue.run(
        devices, {},
        [&, j, devices](llvm::StringRef) {
          for (DeviceId d : devices)
            wrong += inside[d.number()]++ != 0;
          for (DeviceId d : devices)
            seen[d.number()].push_back(j);
          for (DeviceId d : devices)
            --inside[d.number()];
        },
        j % 3 == 0);
  }
  queue.drain();
  EXPECT_EQ(wrong, 0);
  for (const std::vector<int> &jobs : seen)
    EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end()));
}

} // namespace
