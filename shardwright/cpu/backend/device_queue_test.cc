//===- device_queue_test.cc - execution order of device work --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/device_queue.h"

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
  queue.run({0}, {}, [&] { llvm::cantFail(release.await()); }, false);
  queue.run({0}, {}, [&] { isFirstDone = true; }, true);
  queue.run({1}, {}, [&] { other.set(); }, false);
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
      [&] {
        llvm::cantFail(release.await());
        note(0);
      },
      false);
  queue.run({0, 1}, {}, [&] { note(1); }, true);
  queue.run({1, 2}, {}, [&] { note(2); }, true);
  release.set();
  queue.drain();
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(DeviceQueue, ADeviceNamedTwiceIsOne) {
  DeviceQueue queue;
  std::atomic<int> runs = 0;
  queue.run({1, 1, 0, 1}, {}, [&] { ++runs; }, true);
  queue.run({1, 0, 1}, {}, [&] { ++runs; }, false);
  queue.run({0}, {}, [&] { ++runs; }, false);
  queue.drain();
  EXPECT_EQ(runs, 3);
}

TEST(DeviceQueue, WorkHasItsInputs) {
  DeviceQueue queue;
  Event input;
  std::atomic<bool> hasRun = false;
  queue.run({0}, {input}, [&] { hasRun = input.isReady(); }, true);
  EXPECT_FALSE(hasRun);
  input.set();
  queue.drain();
  EXPECT_TRUE(hasRun);
  // A job that nothing blocks runs on the calling thread.
  std::thread::id where;
  queue.run({0}, {input}, [&] { where = std::this_thread::get_id(); }, true);
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(DeviceQueue, AJobMayEndItsQueue) {
  auto queue = std::make_unique<DeviceQueue>();
  Event done;
  DeviceQueue *raw = queue.get();
  raw->run(
      {0}, {},
      [&] {
        queue.reset();
        done.set();
      },
      false);
  llvm::cantFail(done.await());
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
        [&, j, devices] {
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
