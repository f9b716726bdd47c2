//===- blocking_threads.cc - threads for blocking work --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/blocking_threads.h"

#include "shardwright/support/start_thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>

using namespace shardwright;

namespace {

struct Threads {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<llvm::unique_function<void()>> pending;
  size_t idle = 0, threads = 0;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      bool isWanted = changed.wait_for(lock, std::chrono::seconds(5),
                                       [&] { return !pending.empty(); });
      --idle;
      if (!isWanted) {
        --threads;
        return;
      }
      auto work = std::move(pending.front());
      pending.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
    }
  }
};

} // namespace

bool cpu::runBlocking(llvm::unique_function<void()> work) {
  // Never destroyed: threads may still run at exit.
  static auto *all = new Threads;
  std::lock_guard lock(all->mutex);
  all->pending.push_back(std::move(work));
  if (all->idle >= all->pending.size()) {
    all->changed.notify_one();
    return true;
  }
  if (all->threads >= mostBlockingThreads)
    return true;
  if (startThread([] { all->serve(); })) {
    ++all->threads;
  } else if (all->threads == 0) {
    all->pending.pop_back();
    return false;
  }
  return true;
}
