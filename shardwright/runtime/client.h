//===- client.h - devices and host threads ----------------------*- C++ -*-===//
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

class Job;

/// Devices of a backend, and threads for work of the host. Thread-safe. The
/// destructor waits for runs in flight, unless it is called from one of them.
class Client {
public:
  /// Virtual devices on the CPU. 0 threads: one per core available to the
  /// process. A program may use fewer devices.
  explicit Client(int threads = 0, int32_t devices = 1);
  /// New virtual devices, whose kernels run on the threads of `other`.
  Client(const Client &other, int32_t devices);
  /// The devices of all processes of `job`, which is not null; those of this
  /// process are addressable.
  explicit Client(std::shared_ptr<Job> job, int threads = 0);
  /// The devices of `backend`.
  explicit Client(std::shared_ptr<Backend> backend, int threads = 0);
  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  Backend &backend() const { return *ownBackend; }
  cpu::ThreadPool &pool() { return *threadPool; }
  /// Devices of all processes of the job.
  int32_t numDevices() const { return ownBackend->devices().size(); }

  /// Copies a host array; it has been read when this returns.
  llvm::Expected<Buffer> copyFromHost(const HostArray &array, DeviceId device,
                                      MemoryKind memory = MemoryKind::Device);
  /// Uses the host's memory in place if it is dense and usable by the device
  /// (CPU: aligned to 64 bytes), else copies it. It must not change until
  /// `release` is called, which happens once, but not if this fails.
  llvm::Expected<Buffer> viewHost(const HostArray &array, DeviceId device,
                                  llvm::unique_function<void()> release,
                                  MemoryKind memory = MemoryKind::Device);
  /// Takes over a dense host array, aligned to 64 bytes. Runs may overwrite it
  /// once `data` has no other holder.
  llvm::Expected<Buffer> adoptHost(std::shared_ptr<void> data, ElementType type,
                                   llvm::ArrayRef<int64_t> shape,
                                   DeviceId device,
                                   MemoryKind memory = MemoryKind::Device);

  /// Waits until no run is in flight.
  void drain() { ownBackend->drain(); }

  /// The client of the process, created at first use.
  static Client &shared();

private:
  std::shared_ptr<cpu::ThreadPool> threadPool;
  std::shared_ptr<Backend> ownBackend;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_CLIENT_H
