//===- thread_pool.h - threads that run loops and tasks ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All virtual devices and runs share one pool. Workers run chunks of loops
// before tasks, since a caller waits for a loop. Only the caller of parallelFor
// blocks, and only until the chunks that other threads have begun are done.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_THREAD_POOL_H
#define SHARDWRIGHT_SUPPORT_THREAD_POOL_H

#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <memory>

namespace shardwright::cpu {

class ThreadPool {
public:
  /// `threads` includes the caller of parallelFor; 0: one per core available to
  /// this process. Fewer if the system grants no more. With one thread there
  /// are no workers: loops run on their callers, and tasks within submit.
  explicit ThreadPool(int threads = 0);
  /// Completes the submitted tasks. No loop may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Maximum number of threads of a loop, including its caller.
  int size() const { return numThreads; }

  /// Calls body(begin, end) on ranges of [0, n) of `grain` indices (the last
  /// may be shorter), each index once, in any order; returns when all are done.
  /// Any number of threads may call it. Inside the body of another loop or a
  /// task it runs on the calling thread alone.
  void parallelFor(int64_t n, int64_t grain,
                   llvm::function_ref<void(int64_t begin, int64_t end)> body);

  /// Runs `task` on a worker, later. It must not wait for other tasks.
  void submit(llvm::unique_function<void()> task);

private:
  struct State;
  std::unique_ptr<State> state;
  int numThreads;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_THREAD_POOL_H
