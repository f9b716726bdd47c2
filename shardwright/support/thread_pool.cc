//===- thread_pool.cc - threads that run loops and tasks ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/thread_pool.h"

#include "shardwright/support/start_thread.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

using namespace shardwright::cpu;

namespace {

/// How long a thread spins before it sleeps: longer than the gap between two
/// steps of a program, but short enough to go unnoticed.
constexpr auto spinTime = std::chrono::microseconds(20);

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Spins until `done` returns true, for spinTime at most.
template <typename Fn> bool spinUntil(Fn done) {
  auto give = std::chrono::steady_clock::time_point();
  for (int i = 0;; ++i) {
    if (done())
      return true;
    pause();
    if (i % 32 == 31) {
      auto now = std::chrono::steady_clock::now();
      if (give.time_since_epoch().count() == 0)
        give = now + spinTime;
      else if (now > give)
        return false;
    }
  }
}

/// A parallelFor in progress. The pool owns and reuses it, so that the last
/// helper may access it after the caller has returned.
struct Loop {
  llvm::function_ref<void(int64_t, int64_t)> body;
  int64_t n = 0, grain = 1;
  alignas(64) std::atomic<int64_t> next{0};
  /// Number of workers inside; the caller waits until it is 0.
  alignas(64) std::atomic<int32_t> helpers{0};

  void work() {
    for (;;) {
      int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= n)
        return;
      body(begin, std::min(n, begin + grain));
    }
  }
  bool hasWork() const { return next.load(std::memory_order_relaxed) < n; }
};

/// Set while the thread is inside a loop body or a task.
thread_local bool insidePool = false;

struct Inside {
  bool before = insidePool;
  Inside() { insidePool = true; }
  ~Inside() { insidePool = before; }
};

int usableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::vector<Loop *> loops; ///< open loops
  std::vector<std::unique_ptr<Loop>> allLoops;
  std::vector<Loop *> freeLoops;
  std::deque<llvm::unique_function<void()>> tasks;
  size_t turn = 0; ///< index of the open loop that the next worker joins
  bool stop = false;

  /// Incremented whenever there may be work for a sleeping thread.
  alignas(64) std::atomic<int32_t> generation{0};
  alignas(64) std::atomic<int32_t> sleepers{0};
  std::vector<std::thread> workers;

  void announce(int64_t pieces) {
    generation.fetch_add(1);
    int32_t asleep = sleepers.load();
    if (asleep == 0)
      return;
    if (pieces >= asleep)
      generation.notify_all();
    else
      for (int64_t i = 0; i < pieces; ++i)
        generation.notify_one();
  }

  /// Runs one task, if there is any.
  bool workOnce() {
    std::unique_lock lock(mutex);
    for (size_t i = 0; i < loops.size(); ++i) {
      Loop *loop = loops[turn++ % loops.size()];
      if (!loop->hasWork())
        continue;
      loop->helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      {
        Inside inside;
        loop->work();
      }
      if (loop->helpers.fetch_sub(1) == 1)
        loop->helpers.notify_all();
      return true;
    }
    if (tasks.empty())
      return false;
    auto task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    Inside inside;
    task();
    return true;
  }

  void workerMain() {
    for (;;) {
      int32_t seen = generation.load();
      if (workOnce())
        continue;
      {
        std::lock_guard lock(mutex);
        if (stop && tasks.empty())
          return;
      }
      if (spinUntil([&] { return generation.load() != seen; }))
        continue;
      sleepers.fetch_add(1);
      generation.wait(seen);
      sleepers.fetch_sub(1);
    }
  }
};

ThreadPool::ThreadPool(int threads)
    : state(std::make_unique<State>()),
      numThreads(threads > 0 ? threads : usableCores()) {
  for (int i = 1; i < numThreads; ++i) {
    std::thread worker;
    if (!startThread(worker, [s = state.get()] { s->workerMain(); }))
      break;
    state->workers.push_back(std::move(worker));
  }
  numThreads = state->workers.size() + 1;
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(state->mutex);
    state->stop = true;
  }
  state->generation.fetch_add(1);
  state->generation.notify_all();
  for (std::thread &worker : state->workers)
    worker.join();
}

void ThreadPool::parallelFor(
    int64_t n, int64_t grain,
    llvm::function_ref<void(int64_t begin, int64_t end)> body) {
  grain = std::max<int64_t>(grain, 1);
  if (n <= 0)
    return;
  if (n <= grain || numThreads == 1 || insidePool) {
    Inside inside;
    for (int64_t begin = 0; begin < n; begin += grain)
      body(begin, std::min(n, begin + grain));
    return;
  }

  State &s = *state;
  Loop *loop;
  {
    std::lock_guard lock(s.mutex);
    if (s.freeLoops.empty()) {
      s.allLoops.push_back(std::make_unique<Loop>());
      s.freeLoops.push_back(s.allLoops.back().get());
    }
    loop = s.freeLoops.back();
    s.freeLoops.pop_back();
    loop->body = body;
    loop->n = n;
    loop->grain = grain;
    loop->next.store(0, std::memory_order_relaxed);
    s.loops.push_back(loop);
  }
  int64_t pieces = (n + grain - 1) / grain;
  s.announce(std::min<int64_t>(pieces - 1, numThreads - 1));
  {
    Inside inside;
    loop->work();
  }
  {
    // From here on no worker joins; those inside finish their task.
    std::lock_guard lock(s.mutex);
    s.loops.erase(std::find(s.loops.begin(), s.loops.end(), loop));
  }
  if (!spinUntil([&] { return loop->helpers.load() == 0; }))
    while (int32_t inside = loop->helpers.load())
      loop->helpers.wait(inside);
  std::lock_guard lock(s.mutex);
  s.freeLoops.push_back(loop);
}

void ThreadPool::submit(llvm::unique_function<void()> task) {
  State &s = *state;
  if (numThreads == 1) {
    Inside inside;
    task();
    return;
  }
  {
    std::lock_guard lock(s.mutex);
    s.tasks.push_back(std::move(task));
  }
  s.announce(1);
}
