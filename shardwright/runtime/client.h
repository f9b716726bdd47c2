//===- client.h - virtual devices and their threads -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_CLIENT_H
#define SHARDWRIGHT_RUNTIME_CLIENT_H

#include "shardwright/runtime/buffer.h"
#include "shardwright/support/thread_pool.h"

#include <memory>

namespace shardwright {

/// A virtual device: a number, and memory of each kind. All devices of a client
/// share its threads.
struct Device {
  int32_t id = 0;
  static llvm::StringRef kind() { return "shardwright-cpu"; }
  static llvm::ArrayRef<MemoryKind> memories();
};

/// Owns the threads on which programs run. Thread-safe; waits for the runs that
/// were started on it when it ends, unless one of them ends it.
class Client {
public:
  /// 0 threads: one for each core that the process may use. A program may need
  /// fewer devices than there are.
  explicit Client(int threads = 0, int32_t devices = 1);
  /// Devices of their own, whose kernels run on the threads of `other`.
  Client(const Client &other, int32_t devices);
  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  cpu::ThreadPool &pool() { return *threadPool; }
  /// For work that may outlive the client.
  std::shared_ptr<cpu::ThreadPool> sharedPool() const { return threadPool; }
  int32_t numDevices() const { return devices; }

  /// Runs `work` once all of `inputs` have happened and everything is done that
  /// was submitted before for any of `devices`. That is: each device works in
  /// order, and devices without a common program side by side. On a thread of
  /// the client; at once and here when nothing is in the way and `here`.
  void run(llvm::ArrayRef<int32_t> devices, llvm::ArrayRef<Event> inputs,
           llvm::unique_function<void()> work, bool here);
  /// Waits until nothing is pending.
  void drain();

  /// One for the whole process, made at first use.
  static Client &shared();

private:
  class Queue;
  std::shared_ptr<cpu::ThreadPool> threadPool;
  int32_t devices;
  std::shared_ptr<Queue> queue;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_CLIENT_H
