//===- client_test.cc - the order in which devices work -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/client.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

using namespace shardwright;
using testing::ElementsAre;

namespace {

TEST(Client, DevicesWorkSideBySide) {
  Client client(1, 2);
  Event release, other;
  std::atomic<bool> isFirstDone = false;
  client.run({0}, {}, [&] { llvm::cantFail(release.await()); }, false);
  client.run({0}, {}, [&] { isFirstDone = true; }, true);
  client.run({1}, {}, [&] { other.set(); }, false);
  // Device 1 is done while device 0 still waits.
  llvm::cantFail(other.await());
  EXPECT_FALSE(isFirstDone);
  release.set();
  client.drain();
  EXPECT_TRUE(isFirstDone);
}

TEST(Client, AJobOfSeveralDevicesWaitsForEach) {
  Client client(1, 3);
  Event release;
  std::mutex mutex;
  std::vector<int> order;
  auto note = [&](int what) {
    std::lock_guard lock(mutex);
    order.push_back(what);
  };
  client.run(
      {0}, {},
      [&] {
        llvm::cantFail(release.await());
        note(0);
      },
      false);
  client.run({0, 1}, {}, [&] { note(1); }, true);
  client.run({1, 2}, {}, [&] { note(2); }, true);
  release.set();
  client.drain();
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(Client, ADeviceNamedTwiceIsOne) {
  Client client(1, 2);
  std::atomic<int> runs = 0;
  client.run({1, 1, 0, 1}, {}, [&] { ++runs; }, true);
  client.run({1, 0, 1}, {}, [&] { ++runs; }, false);
  client.run({0}, {}, [&] { ++runs; }, false);
  client.drain();
  EXPECT_EQ(runs, 3);
}

TEST(Client, WorkHasItsInputs) {
  Client client(1, 1);
  Event input;
  std::atomic<bool> hasRun = false;
  client.run({0}, {input}, [&] { hasRun = input.isReady(); }, true);
  EXPECT_FALSE(hasRun);
  input.set();
  client.drain();
  EXPECT_TRUE(hasRun);
  // With nothing in the way it runs here.
  std::thread::id where;
  client.run({0}, {input}, [&] { where = std::this_thread::get_id(); }, true);
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(Client, AJobMayEndItsClient) {
  auto client = std::make_unique<Client>(1, 1);
  Event done;
  Client *raw = client.get();
  raw->run(
      {0}, {},
      [&] {
        client.reset();
        done.set();
      },
      false);
  llvm::cantFail(done.await());
}

TEST(Client, EveryDeviceKeepsItsOrder) {
  constexpr int numDevices = 5, numJobs = 400;
  Client client(2, numDevices);
  std::array<std::vector<int>, numDevices> seen;
  std::array<std::atomic<int>, numDevices> inside{};
  std::atomic<int> wrong = 0;
  std::mt19937 random(7);
  for (int j = 0; j < numJobs; ++j) {
    llvm::SmallVector<int32_t, 4> devices;
    for (int32_t d = 0; d < numDevices; ++d)
      if (random() % 2)
        devices.push_back(d);
    client.run(
        devices, {},
        [&, j, devices] {
          for (int32_t d : devices)
            wrong += inside[d]++ != 0;
          for (int32_t d : devices)
            seen[d].push_back(j);
          for (int32_t d : devices)
            --inside[d];
        },
        j % 3 == 0);
  }
  client.drain();
  EXPECT_EQ(wrong, 0);
  for (const std::vector<int> &jobs : seen)
    EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end()));
}

} // namespace
