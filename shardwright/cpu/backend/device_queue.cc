//===- device_queue.cc - execution order of device work -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/device_queue.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

using namespace shardwright;
using namespace shardwright::cpu;

/// Submitted jobs, with one lane per device. A job runs when it is first in all
/// its lanes and its inputs are ready. A program of several devices is one job,
/// so that no collective waits for a device that runs another job.
class DeviceQueue::State
    : public std::enable_shared_from_this<DeviceQueue::State> {
public:
  void submit(llvm::ArrayRef<DeviceId> devices, llvm::ArrayRef<Event> inputs,
              llvm::unique_function<void()> work, bool here) {
    auto job = std::make_shared<Job>();
    job->devices.assign(devices.begin(), devices.end());
    // A duplicate device would make the job wait for itself.
    llvm::sort(job->devices);
    job->devices.erase(llvm::unique(job->devices), job->devices.end());
    job->work = std::move(work);
    // One extra blocker until all inputs have been checked.
    job->blockers = 1;
    llvm::SmallVector<const Event *, 8> pending;
    for (const Event &input : inputs)
      if (!input.isReady())
        pending.push_back(&input);
    std::unique_lock lock(mutex);
    ++unfinished;
    job->blockers += pending.size();
    for (DeviceId device : job->devices) {
      std::deque<std::shared_ptr<Job>> &lane = lanes[device.number()];
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
        input->onReady([state = shared_from_this(), job](llvm::StringRef) {
          std::lock_guard lock(state->mutex);
          state->unblock(job);
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

  /// Makes threads exit once they find no job.
  void end() {
    std::lock_guard lock(mutex);
    isOver = true;
    changed.notify_all();
  }

private:
  struct Job {
    llvm::SmallVector<DeviceId, 8> devices;
    llvm::unique_function<void()> work;
    size_t blockers = 0;
  };

  /// Requires the mutex.
  void unblock(const std::shared_ptr<Job> &job) {
    if (--job->blockers > 0)
      return;
    ready.push_back(job);
    if (idle >= ready.size()) {
      changed.notify_one();
      return;
    }
    // Concurrent jobs have no common device and may wait for the host, so each
    // gets a thread, up to maxThreads.
    if (threads < maxThreads) {
      ++threads;
      std::thread([state = shared_from_this()] { state->serve(); }).detach();
    }
  }

  void runOne(Job &job) {
    const State *before = std::exchange(current, this);
    job.work();
    job.work = nullptr;
    current = before;
    std::lock_guard lock(mutex);
    for (DeviceId device : job.devices) {
      auto it = lanes.find(device.number());
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
  /// The queue whose job this thread runs.
  static thread_local const State *current;
  std::mutex mutex;
  std::condition_variable changed, finished;
  llvm::DenseMap<int32_t, std::deque<std::shared_ptr<Job>>> lanes;
  std::deque<std::shared_ptr<Job>> ready;
  size_t unfinished = 0, threads = 0, idle = 0;
  bool isOver = false;
};

thread_local const DeviceQueue::State *DeviceQueue::State::current = nullptr;

DeviceQueue::DeviceQueue() : state(std::make_shared<State>()) {}

DeviceQueue::~DeviceQueue() {
  state->drain();
  state->end();
}

void DeviceQueue::run(llvm::ArrayRef<DeviceId> devices,
                      llvm::ArrayRef<Event> inputs,
                      llvm::unique_function<void()> work, bool here) {
  state->submit(devices, inputs, std::move(work), here);
}

void DeviceQueue::drain() { state->drain(); }
