//===- cpu_backend.cc - virtual devices on the host's CPU -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_backend.h"

#include "shardwright/backend/host_storage.h"
#include "shardwright/backend/not_addressable.h"
#include "shardwright/cpu/backend/cpu_program.h"
#include "shardwright/job/job.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/thread_pool.h"

#include "llvm/ADT/STLExtras.h"

#include "llvm/Support/xxhash.h"

#include <atomic>
#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

static constexpr llvm::StringLiteral deviceKind("shardwright-cpu");
static constexpr MemoryKind memories[] = {
    MemoryKind::Device, MemoryKind::PinnedHost, MemoryKind::UnpinnedHost};

std::vector<DeviceInfo> cpu::describeDevices(int32_t numDevices) {
  std::vector<DeviceInfo> devices;
  for (int32_t d = 0; d < numDevices; ++d)
    devices.push_back({d, LocalDeviceId(d), 0, deviceKind.str(), memories});
  return devices;
}

std::vector<DeviceInfo> cpu::describeDevices(const Job &job) {
  std::vector<DeviceInfo> devices;
  for (auto [process, record] : llvm::enumerate(job.processes()))
    for (int32_t local = 0; local < record.numDevices; ++local) {
      std::optional<LocalDeviceId> localId;
      if (int32_t(process) == job.process())
        localId = LocalDeviceId(local);
      devices.push_back({int32_t(devices.size()), localId, int32_t(process),
                         deviceKind.str(), memories});
    }
  return devices;
}

std::shared_ptr<Backend> cpu::makeBackend(std::shared_ptr<ThreadPool> pool,
                                          int32_t numDevices) {
  return std::make_shared<CpuBackend>(std::move(pool),
                                      describeDevices(numDevices), nullptr);
}

std::shared_ptr<Backend> cpu::makeBackend(std::shared_ptr<ThreadPool> pool,
                                          std::shared_ptr<Job> job) {
  std::vector<DeviceInfo> devices = describeDevices(*job);
  return std::make_shared<CpuBackend>(std::move(pool), std::move(devices),
                                      std::move(job));
}

static uint64_t countGeneration() {
  static std::atomic<uint64_t> count{0};
  return ++count;
}

/// Fails for devices of other processes than `job`'s; null without a job.
/// Storage may outlive the backend.
static HostStorage::DeviceCheck
makeDeviceCheck(const Job *job, llvm::ArrayRef<DeviceInfo> devices) {
  if (!job)
    return nullptr;
  return std::make_shared<const std::function<llvm::Error(DeviceId)>>(
      [devices = devices.vec()](DeviceId device) {
        bool isThere = device.number() >= 0 &&
                       size_t(device.number()) < devices.size() &&
                       devices[device.number()].localId;
        return isThere ? llvm::Error::success()
                       : notAddressable(devices, device);
      });
}

CpuBackend::CpuBackend(std::shared_ptr<ThreadPool> pool,
                       std::vector<DeviceInfo> devices,
                       std::shared_ptr<Job> job)
    : Backend(cpu::backendName), pool(std::move(pool)), job(std::move(job)),
      deviceCheck(makeDeviceCheck(this->job.get(), devices)),
      generation(this->job ? countGeneration() : 0) {
  allDevices = std::move(devices);
}

CpuBackend::~CpuBackend() = default;

Placement CpuBackend::placementOn(llvm::ArrayRef<DeviceId> devices) const {
  if (!job || llvm::all_of(devices, [&](DeviceId device) {
        return isAddressable(device);
      }))
    return {};
  std::vector<int32_t> owners;
  for (DeviceId device : devices)
    owners.push_back(allDevices[device.number()].process);
  return {job->process(), owners};
}

void CpuBackend::launch(llvm::ArrayRef<DeviceId> devices,
                        llvm::function_ref<void(const RunKey &)> submit) {
  std::vector<uint64_t> numbers = {generation};
  for (DeviceId device : devices)
    numbers.push_back(device.number());
  RunKey key;
  key.deviceSet = llvm::xxh3_64bits(llvm::ArrayRef(
      reinterpret_cast<const uint8_t *>(numbers.data()), numbers.size() * 8));
  std::lock_guard lock(launchMutex);
  key.launch = launches[key.deviceSet]++;
  submit(key);
}

bool CpuBackend::isAddressable(DeviceId device) const {
  return !job ||
         (device.number() >= 0 && size_t(device.number()) < allDevices.size() &&
          allDevices[device.number()].localId);
}

llvm::Expected<std::shared_ptr<DeviceStorage>>
CpuBackend::allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
                     MemoryPlace place) {
  if (llvm::Error e = checkAddressable(place.device))
    return e;
  llvm::Expected<int64_t> bytes = checkedBytes(type, shape);
  if (!bytes)
    return bytes.takeError();
  std::shared_ptr<DeviceStorage> storage =
      HostStorage::allocate(*bytes, deviceCheck);
  if (!storage)
    return noMemoryFor(type, shape);
  return storage;
}

llvm::Expected<StorageTransfer> CpuBackend::copyFromHost(const HostArray &array,
                                                         MemoryPlace place) {
  if (!array.byteStrides.empty() &&
      array.byteStrides.size() != array.shape.size())
    return llvm::createStringError(llvm::Twine(array.byteStrides.size()) +
                                   " strides for an array of rank " +
                                   llvm::Twine(array.shape.size()));
  auto storage = allocate(array.type, array.shape, place);
  if (!storage)
    return storage.takeError();
  void *to = (*storage)->hostView();
  int64_t width = byteWidth(array.type);
  if (array.isDense()) {
    if (int64_t bytes = (*storage)->bytes())
      std::memcpy(to, array.data, bytes);
  } else {
    copyBox(to, rowMajorStrides(array.shape, width), array.data,
            array.byteStrides, array.shape, width);
  }
  return StorageTransfer{std::move(*storage), Event::ready()};
}

llvm::Expected<StorageTransfer>
CpuBackend::viewHost(const HostArray &array, MemoryPlace place,
                     llvm::unique_function<void()> release) {
  if (reinterpret_cast<uintptr_t>(array.data) % 64 != 0 || !array.isDense()) {
    auto copy = copyFromHost(array, place);
    if (copy)
      release();
    return copy;
  }
  if (llvm::Error e = checkAddressable(place.device))
    return e;
  llvm::Expected<int64_t> bytes = checkedBytes(array.type, array.shape);
  if (!bytes)
    return bytes.takeError();
  std::shared_ptr<void> memory(
      const_cast<void *>(array.data),
      [release = std::move(release)](void *) mutable { release(); });
  return StorageTransfer{
      HostStorage::borrow(std::move(memory), *bytes, deviceCheck),
      Event::ready()};
}

llvm::Expected<StorageTransfer>
CpuBackend::adoptHost(std::shared_ptr<void> memory, ElementType type,
                      llvm::ArrayRef<int64_t> shape, MemoryPlace place) {
  if (llvm::Error e = checkAddressable(place.device))
    return e;
  llvm::Expected<int64_t> bytes = checkedBytes(type, shape);
  if (!bytes)
    return bytes.takeError();
  return StorageTransfer{
      HostStorage::adopt(std::move(memory), *bytes, deviceCheck),
      Event::ready()};
}
