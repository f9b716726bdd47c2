//===- blocking_threads.cc - threads for work that waits ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/blocking_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace shardwright;

namespace {

struct Threads {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<llvm::unique_function<void()>> pending;
  size_t idle = 0;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      bool isWanted = changed.wait_for(lock, std::chrono::seconds(5),
                                       [&] { return !pending.empty(); });
      --idle;
      if (!isWanted)
        return;
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

void cpu::runBlocking(llvm::unique_function<void()> work) {
  // Never destroyed: threads may still be about at exit.
  static auto *threads = new Threads;
  std::lock_guard lock(threads->mutex);
  threads->pending.push_back(std::move(work));
  if (threads->idle >= threads->pending.size())
    threads->changed.notify_one();
  else
    std::thread([] { threads->serve(); }).detach();
}
