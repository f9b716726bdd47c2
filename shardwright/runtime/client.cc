//===- client.cc - virtual devices and their threads ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/client.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

using namespace shardwright;

llvm::ArrayRef<MemoryKind> Device::memories() {
  static constexpr MemoryKind kinds[] = {
      MemoryKind::Device, MemoryKind::PinnedHost, MemoryKind::UnpinnedHost};
  return kinds;
}

/// What was submitted, in a lane a device. A job runs when it is first in all
/// its lanes and its inputs have happened; a program of several devices is one
/// job, so that no collective waits for a device that is elsewhere.
class Client::Queue : public std::enable_shared_from_this<Client::Queue> {
public:
  void submit(llvm::ArrayRef<int32_t> devices, llvm::ArrayRef<Event> inputs,
              llvm::unique_function<void()> work, bool here) {
    auto job = std::make_shared<Job>();
    job->devices.assign(devices.begin(), devices.end());
    // Behind itself in the lane of a device, it would never run.
    llvm::sort(job->devices);
    job->devices.erase(llvm::unique(job->devices), job->devices.end());
    job->work = std::move(work);
    // One more, until all inputs have been looked at.
    job->blockers = 1;
    llvm::SmallVector<const Event *, 8> pending;
    for (const Event &input : inputs)
      if (!input.isReady())
        pending.push_back(&input);
    std::unique_lock lock(mutex);
    ++unfinished;
    job->blockers += pending.size();
    for (int32_t device : job->devices) {
      std::deque<std::shared_ptr<Job>> &lane = lanes[device];
      job->blockers += !lane.empty();
      lane.push_back(job);
    }
    if (here && job->blockers == 1) {
      lock.unlock();
      runOne(*job);
      return;
    }
    if (!pending.empty()) {
      lock.unlock();
      for (const Event *input : pending)
        input->onReady([queue = shared_from_this(), job](llvm::StringRef) {
          std::lock_guard lock(queue->mutex);
          queue->unblock(job);
        });
      lock.lock();
    }
    unblock(job);
  }

  void drain() {
    if (current == this)
      return;
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return unfinished == 0; });
  }

  /// Threads go once they find nothing to do.
  void end() {
    std::lock_guard lock(mutex);
    isOver = true;
    changed.notify_all();
  }

private:
  struct Job {
    llvm::SmallVector<int32_t, 8> devices;
    llvm::unique_function<void()> work;
    size_t blockers = 0;
  };

  /// With the mutex held.
  void unblock(const std::shared_ptr<Job> &job) {
    if (--job->blockers > 0)
      return;
    ready.push_back(job);
    if (idle >= ready.size()) {
      changed.notify_one();
      return;
    }
    // Jobs that run at one time have no device in common, and may wait for the
    // host: a thread each, as far as that goes.
    if (threads < maxThreads) {
      ++threads;
      std::thread([queue = shared_from_this()] { queue->serve(); }).detach();
    }
  }

  void runOne(Job &job) {
    const Queue *before = std::exchange(current, this);
    job.work();
    job.work = nullptr;
    current = before;
    std::lock_guard lock(mutex);
    for (int32_t device : job.devices) {
      auto it = lanes.find(device);
      it->second.pop_front();
      if (it->second.empty())
        lanes.erase(it);
      else
        unblock(it->second.front());
    }
    if (--unfinished == 0)
      finished.notify_all();
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      changed.wait(lock, [&] { return isOver || !ready.empty(); });
      --idle;
      if (ready.empty())
        break;
      std::shared_ptr<Job> job = std::move(ready.front());
      ready.pop_front();
      lock.unlock();
      runOne(*job);
      job.reset();
      lock.lock();
    }
    --threads;
  }

  static constexpr size_t maxThreads = 64;
  /// Whose job this thread runs.
  static thread_local const Queue *current;
  std::mutex mutex;
  std::condition_variable changed, finished;
  llvm::DenseMap<int32_t, std::deque<std::shared_ptr<Job>>> lanes;
  std::deque<std::shared_ptr<Job>> ready;
  size_t unfinished = 0, threads = 0, idle = 0;
  bool isOver = false;
};

thread_local const Client::Queue *Client::Queue::current = nullptr;

Client::Client(int threads, int32_t devices)
    : threadPool(std::make_shared<cpu::ThreadPool>(threads)), devices(devices),
      queue(std::make_shared<Queue>()) {}

Client::Client(const Client &other, int32_t devices)
    : threadPool(other.threadPool), devices(devices),
      queue(std::make_shared<Queue>()) {}

Client::~Client() {
  queue->drain();
  queue->end();
}

void Client::run(llvm::ArrayRef<int32_t> devices, llvm::ArrayRef<Event> inputs,
                 llvm::unique_function<void()> work, bool here) {
  queue->submit(devices, inputs, std::move(work), here);
}

void Client::drain() { queue->drain(); }

Client &Client::shared() {
  // Never destroyed: runs may be in flight in other threads at exit.
  static Client *client = new Client();
  return *client;
}
