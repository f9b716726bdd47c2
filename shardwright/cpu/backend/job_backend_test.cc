//===- job_backend_test.cc - CPU devices of several processes -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_program.h"
#include "shardwright/job/fake_job_test_util.h"
#include "shardwright/support/thread_pool.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace shardwright;
using namespace shardwright::cpu;
using testing::ElementsAre;

namespace {

constexpr ElementType f32 = ElementType::F32;

std::shared_ptr<test::FakeJob> jobOf(llvm::ArrayRef<int32_t> numDevices,
                                     int32_t process) {
  return std::make_shared<test::FakeJob>(numDevices, process);
}

std::shared_ptr<Backend> backendOf(std::shared_ptr<Job> job) {
  return makeBackend(std::make_shared<ThreadPool>(1), std::move(job));
}

TEST(JobBackendTest, DevicesOfAllProcessesInOrder) {
  for (int32_t process = 0; process < 4; ++process) {
    std::shared_ptr<Backend> backend = backendOf(jobOf({2, 0, 1, 3}, process));
    const int32_t owners[] = {0, 0, 2, 3, 3, 3}, locals[] = {0, 1, 0, 0, 1, 2};
    ASSERT_EQ(backend->devices().size(), 6u);
    for (int32_t d = 0; d < 6; ++d) {
      const DeviceInfo &info = backend->devices()[d];
      EXPECT_EQ(info.id, DeviceId(d));
      EXPECT_EQ(info.process, owners[d]);
      EXPECT_EQ(info.kind, "shardwright-cpu");
      EXPECT_EQ(info.memories.size(), 3u);
      bool isOwn = owners[d] == process;
      EXPECT_EQ(info.localId.has_value(), isOwn);
      if (info.localId) {
        EXPECT_EQ(*info.localId, LocalDeviceId(locals[d]));
      }
      EXPECT_EQ(backend->isAddressable(d), isOwn);
    }
    EXPECT_FALSE(backend->isAddressable(6));
    EXPECT_FALSE(backend->isAddressable(-1));
  }
}

TEST(JobBackendTest, OnlyOwnDevicesHaveMemory) {
  std::shared_ptr<Backend> backend = backendOf(jobOf({2, 1}, 1));
  std::shared_ptr<float[]> data(
      static_cast<float *>(std::aligned_alloc(64, 64)), std::free);
  data[0] = 1, data[1] = 2;
  const int64_t shape[] = {2};
  HostArray array{data.get(), f32, shape};
  int released = 0;
  auto release = [&] { ++released; };
  auto expectRefused = [](llvm::Error error, llvm::StringRef text) {
    ASSERT_TRUE(bool(error));
    EXPECT_EQ(llvm::toString(std::move(error)), text);
  };
  struct {
    int32_t device;
    const char *text;
  } const remote[] = {
      {1, "device 1 belongs to process 0, not to this one"},
      {3, "there is no device 3"},
  };
  for (auto [device, text] : remote) {
    MemoryPlace place{device};
    expectRefused(backend->copyFromHost(array, place).takeError(), text);
    expectRefused(backend->viewHost(array, place, release).takeError(), text);
    expectRefused(backend->adoptHost(data, f32, shape, place).takeError(),
                  text);
    expectRefused(backend->allocate(f32, shape, place).takeError(), text);
  }
  EXPECT_EQ(released, 0);
  for (const StorageTransfer &made :
       {llvm::cantFail(backend->copyFromHost(array, {2})),
        llvm::cantFail(backend->viewHost(array, {2}, release)),
        llvm::cantFail(backend->adoptHost(data, f32, shape, {2}))}) {
    float copy[2] = {};
    llvm::cantFail(
        made.storage->copyToHost(copy, 0, sizeof(copy), made.ready).await());
    EXPECT_THAT(copy, ElementsAre(1, 2));
  }
  llvm::cantFail(backend->allocate(f32, shape, {2}));
}

TEST(JobBackendTest, BackendsKeepTheirJob) {
  auto job = jobOf({1, 1}, 0);
  std::shared_ptr<Backend> backend = backendOf(job);
  EXPECT_EQ(static_cast<CpuBackend &>(*backend).job, job);
  EXPECT_EQ(job.use_count(), 2);
  backend.reset();
  EXPECT_EQ(job.use_count(), 1);
}

TEST(JobBackendTest, StorageStaysInItsProcess) {
  std::shared_ptr<Backend> backend = backendOf(jobOf({2, 2}, 1));
  const int64_t shape[] = {2};
  const float data[] = {1, 2};
  auto made = backend->copyFromHost({data, f32, shape}, {DeviceId(2)});
  ASSERT_TRUE(bool(made));
  std::shared_ptr<DeviceStorage> storage = std::move(made->storage);
  auto copy = storage->copyTo({DeviceId(3)}, Event::ready());
  ASSERT_TRUE(bool(copy));
  backend = nullptr; // storage may outlive it
  for (const auto &each : {storage, copy->storage}) {
    EXPECT_TRUE(each->isReadableAt({DeviceId(3)}));
    for (auto [device, text] :
         {std::pair(0, "device 0 belongs to process 0, not to this one"),
          std::pair(4, "there is no device 4")}) {
      EXPECT_FALSE(each->isReadableAt({DeviceId(device)}));
      auto refused = each->copyTo({DeviceId(device)}, Event::ready());
      ASSERT_FALSE(bool(refused));
      EXPECT_EQ(llvm::toString(refused.takeError()), text);
    }
  }
}

} // namespace
