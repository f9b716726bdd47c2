//===- cpu_backend.cc - virtual devices on the host's CPU -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_backend.h"

#include "shardwright/backend/host_storage.h"
#include "shardwright/cpu/backend/cpu_program.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/thread_pool.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

std::vector<DeviceInfo> cpu::describeDevices(int32_t numDevices) {
  static constexpr MemoryKind memories[] = {
      MemoryKind::Device, MemoryKind::PinnedHost, MemoryKind::UnpinnedHost};
  std::vector<DeviceInfo> devices;
  for (int32_t d = 0; d < numDevices; ++d)
    devices.push_back({d, LocalDeviceId(d), 0, "shardwright-cpu", memories});
  return devices;
}

std::shared_ptr<Backend> cpu::makeBackend(std::shared_ptr<ThreadPool> pool,
                                          int32_t numDevices) {
  return std::make_shared<CpuBackend>(std::move(pool), numDevices);
}

CpuBackend::CpuBackend(std::shared_ptr<ThreadPool> pool, int32_t numDevices)
    : Backend(cpu::backendName), pool(std::move(pool)) {
  allDevices = describeDevices(numDevices);
}

CpuBackend::~CpuBackend() = default;

llvm::Expected<std::shared_ptr<DeviceStorage>>
CpuBackend::allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
                     MemoryPlace) {
  llvm::Expected<int64_t> bytes = checkedBytes(type, shape);
  if (!bytes)
    return bytes.takeError();
  std::shared_ptr<DeviceStorage> storage = HostStorage::allocate(*bytes);
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
  llvm::Expected<int64_t> bytes = checkedBytes(array.type, array.shape);
  if (!bytes)
    return bytes.takeError();
  std::shared_ptr<void> memory(
      const_cast<void *>(array.data),
      [release = std::move(release)](void *) mutable { release(); });
  return StorageTransfer{HostStorage::borrow(std::move(memory), *bytes),
                         Event::ready()};
}

llvm::Expected<StorageTransfer>
CpuBackend::adoptHost(std::shared_ptr<void> memory, ElementType type,
                      llvm::ArrayRef<int64_t> shape, MemoryPlace) {
  llvm::Expected<int64_t> bytes = checkedBytes(type, shape);
  if (!bytes)
    return bytes.takeError();
  return StorageTransfer{HostStorage::adopt(std::move(memory), *bytes),
                         Event::ready()};
}
