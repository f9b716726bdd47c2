//===- task_threads.h - threads of an engine --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_ENGINES_TASK_THREADS_H
#define SHARDWRIGHT_JOB_ENGINES_TASK_THREADS_H

#include "llvm/ADT/FunctionExtras.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace shardwright {

/// Runs tasks, which may block, each on a thread of its own as long as the
/// system and `maxThreads` grant one.
class TaskThreads {
public:
  explicit TaskThreads(size_t maxThreads) : maxThreads(maxThreads) {}
  ~TaskThreads() { end(); }

  /// Returns false if there is no thread at all.
  bool run(llvm::unique_function<void()> task) {
    std::lock_guard lock(mutex);
    if (numIdle <= tasks.size() && threads.size() < maxThreads) {
      try {
        threads.emplace_back([this] { work(); });
        ++numIdle;
      } catch (const std::system_error &) {
        if (threads.empty())
          return false;
      }
    }
    tasks.push_back(std::move(task));
    changed.notify_one();
    return true;
  }

  /// Waits for the tasks under way, and drops the others.
  void end() {
    {
      std::lock_guard lock(mutex);
      isEnding = true;
    }
    changed.notify_all();
    for (std::thread &thread : threads)
      if (thread.joinable())
        thread.join();
  }

private:
  void work() {
    std::unique_lock lock(mutex);
    while (!isEnding) {
      if (tasks.empty()) {
        changed.wait(lock);
        continue;
      }
      llvm::unique_function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      --numIdle;
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
      ++numIdle;
    }
  }

  const size_t maxThreads;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::thread> threads;
  std::deque<llvm::unique_function<void()>> tasks;
  size_t numIdle = 0; ///< threads without a task
  bool isEnding = false;
};

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_ENGINES_TASK_THREADS_H
