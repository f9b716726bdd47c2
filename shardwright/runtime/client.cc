//===- client.cc - devices, and threads of the host -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/client.h"

#include "shardwright/cpu/backend/cpu_backend.h"
#include "shardwright/job/job.h"

using namespace shardwright;

Client::Client(int threads, int32_t devices)
    : threadPool(std::make_shared<cpu::ThreadPool>(threads)),
      ownBackend(cpu::makeBackend(threadPool, devices)) {}

Client::Client(const Client &other, int32_t devices)
    : threadPool(other.threadPool),
      ownBackend(cpu::makeBackend(threadPool, devices)) {}

Client::Client(std::shared_ptr<Job> job, int threads)
    : threadPool(std::make_shared<cpu::ThreadPool>(threads)),
      ownBackend(cpu::makeBackend(threadPool, std::move(job))) {}

Client::Client(std::shared_ptr<Backend> backend, int threads)
    : threadPool(std::make_shared<cpu::ThreadPool>(threads)),
      ownBackend(std::move(backend)) {}

Client::~Client() { drain(); }

static llvm::Expected<Buffer> bufferOf(llvm::Expected<StorageTransfer> made,
                                       ElementType type,
                                       llvm::ArrayRef<int64_t> shape,
                                       MemoryPlace place) {
  if (!made)
    return made.takeError();
  return Buffer(place.device, place.memory, type, shape,
                std::move(made->storage), std::move(made->ready));
}

llvm::Expected<Buffer> Client::copyFromHost(const HostArray &array,
                                            DeviceId device,
                                            MemoryKind memory) {
  MemoryPlace place{device, memory};
  return bufferOf(ownBackend->copyFromHost(array, place), array.type,
                  array.shape, place);
}

llvm::Expected<Buffer> Client::viewHost(const HostArray &array, DeviceId device,
                                        llvm::unique_function<void()> release,
                                        MemoryKind memory) {
  MemoryPlace place{device, memory};
  return bufferOf(ownBackend->viewHost(array, place, std::move(release)),
                  array.type, array.shape, place);
}

llvm::Expected<Buffer> Client::adoptHost(std::shared_ptr<void> data,
                                         ElementType type,
                                         llvm::ArrayRef<int64_t> shape,
                                         DeviceId device, MemoryKind memory) {
  MemoryPlace place{device, memory};
  return bufferOf(ownBackend->adoptHost(std::move(data), type, shape, place),
                  type, shape, place);
}

Client &Client::shared() {
  // Never destroyed: other threads may still run programs at exit.
  static Client *client = new Client();
  return *client;
}
