//===- client.h - virtual devices and their threads -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_CLIENT_H
#define SHARDWRIGHT_RUNTIME_CLIENT_H

#include "shardwright/cpu/thread_pool.h"
#include "shardwright/runtime/buffer.h"

#include <memory>

namespace shardwright {

/// A virtual device: a number, and memory of each kind. All devices of a client
/// share its threads.
struct Device {
  int32_t id = 0;
  static llvm::StringRef kind() { return "shardwright-cpu"; }
  static llvm::ArrayRef<MemoryKind> memories();
};

/// Owns the threads on which programs run. Thread-safe; outlives the runs that
/// were started on it, waiting for them when it ends.
class Client {
public:
  /// 0 threads: one for each core that the process may use. A program may need
  /// fewer devices than there are.
  explicit Client(int threads = 0, int32_t devices = 1);
  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  cpu::ThreadPool &pool() { return threadPool; }
  int32_t numDevices() const { return devices; }

  /// Runs `work` after everything that was submitted before, on a thread of the
  /// client; at once and here when nothing is pending and `here`.
  void inOrder(llvm::unique_function<void()> work, bool here);

  /// One for the whole process, made at first use.
  static Client &shared();

private:
  struct Queue;
  cpu::ThreadPool threadPool;
  int32_t devices;
  std::unique_ptr<Queue> queue;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_CLIENT_H
