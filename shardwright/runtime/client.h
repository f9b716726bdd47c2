//===- client.h - virtual devices and their threads -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_CLIENT_H
#define SHARDWRIGHT_RUNTIME_CLIENT_H

#include "shardwright/cpu/thread_pool.h"

namespace shardwright {

/// Owns the threads on which programs run. Virtual devices cost nothing until a
/// program runs on them, so a client has no fixed number of them.
class Client {
public:
  /// 0 threads: one for each core that the process may use.
  explicit Client(int threads = 0) : threadPool(threads) {}
  cpu::ThreadPool &pool() { return threadPool; }
  /// One for the whole process, made at first use.
  static Client &shared();

private:
  cpu::ThreadPool threadPool;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_CLIENT_H
