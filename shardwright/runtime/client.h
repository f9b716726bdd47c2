//===- client.h - devices, and threads of the host --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_CLIENT_H
#define SHARDWRIGHT_RUNTIME_CLIENT_H

#include "shardwright/backend/backend.h"
#include "shardwright/runtime/buffer.h"
#include "shardwright/support/thread_pool.h"

#include <memory>

namespace shardwright {

/// Devices of a backend, and threads for what the host does. Thread-safe; the
/// destructor waits for the runs that were started on it, unless it is called
/// from one of them.
class Client {
public:
  /// Virtual devices on the CPU. 0 threads: one for each core that the process
  /// may use. A program may need fewer devices than there are.
  explicit Client(int threads = 0, int32_t devices = 1);
  /// Virtual devices of their own, whose kernels run on the threads of `other`.
  Client(const Client &other, int32_t devices);
  /// The devices of `backend`.
  explicit Client(std::shared_ptr<Backend> backend, int threads = 0);
  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  Backend &backend() const { return *ownBackend; }
  cpu::ThreadPool &pool() { return *threadPool; }
  /// Devices of all processes of the job.
  int32_t numDevices() const { return ownBackend->devices().size(); }

  /// A copy of an array of the host, which has been read when this returns.
  llvm::Expected<Buffer> copyFromHost(const HostArray &array, DeviceId device,
                                      MemoryKind memory = MemoryKind::Device);
  /// The host's memory itself where it is dense and the device can use it (the
  /// CPU: if aligned to 64 bytes), else a copy. It must not change until
  /// `release` is called, which happens once; not at all on an error.
  llvm::Expected<Buffer> viewHost(const HostArray &array, DeviceId device,
                                  llvm::unique_function<void()> release,
                                  MemoryKind memory = MemoryKind::Device);
  /// A dense array of the host, aligned to 64 bytes, that its owner gives away:
  /// runs may overwrite it, once nobody else holds `data`.
  llvm::Expected<Buffer> adoptHost(std::shared_ptr<void> data, ElementType type,
                                   llvm::ArrayRef<int64_t> shape,
                                   DeviceId device,
                                   MemoryKind memory = MemoryKind::Device);

  /// Waits until no run is under way.
  void drain() { ownBackend->drain(); }

  /// One for the whole process, made at first use.
  static Client &shared();

private:
  std::shared_ptr<cpu::ThreadPool> threadPool;
  std::shared_ptr<Backend> ownBackend;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_CLIENT_H
