//===- device_queue.cc - execution order of device work -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/device_queue.h"

#include "shardwright/support/start_thread.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <utility>

using namespace shardwright;
using namespace shardwright::cpu;

struct DeviceQueue::Job {
  llvm::SmallVector<DeviceId, 8> devices;
  Work work;
  /// What the job waits for: devices that have not joined, jobs before it in
  /// the lanes of its devices, inputs.
  size_t blockers = 0;
  size_t notJoined = 0; ///< devices; counted in `blockers`
  bool waitsForPeers = false;
  std::string failure; ///< of a cancelled job
};

/// Submitted jobs, with one lane per device. A job runs when it is first in all
/// its lanes and its inputs are ready. A program of several devices is one job,
/// so that no collective waits for a device that runs another job.
class DeviceQueue::State
    : public std::enable_shared_from_this<DeviceQueue::State> {
public:
  void submit(llvm::ArrayRef<DeviceId> devices, llvm::ArrayRef<Event> inputs,
              Work work, bool waitsForPeers) {
    auto job = std::make_shared<Job>();
    job->waitsForPeers = waitsForPeers;
    job->work = std::move(work);
    job->blockers = 1; // released by `enqueue`
    std::unique_lock lock(mutex);
    ++unfinished;
    enqueue(job, distinct(devices), inputs, lock);
  }

  std::shared_ptr<Job> gather(size_t numDevices, Work work,
                              bool waitsForPeers) {
    auto job = std::make_shared<Job>();
    job->waitsForPeers = waitsForPeers;
    job->work = std::move(work);
    job->blockers = job->notJoined = numDevices;
    std::lock_guard lock(mutex);
    ++unfinished;
    return job;
  }

  bool join(const std::shared_ptr<Job> &job, DeviceId device,
            llvm::ArrayRef<Event> inputs) {
    std::unique_lock lock(mutex);
    if (job->notJoined == 0)
      return false;
    --job->notJoined;
    enqueue(job, device, inputs, lock);
    return true;
  }

  void cancel(const std::shared_ptr<Job> &job, llvm::StringRef why) {
    std::unique_lock lock(mutex);
    if (job->notJoined == 0)
      return;
    job->failure = why;
    job->blockers -= job->notJoined - 1;
    job->notJoined = 0;
    unblock(job);
    failWithoutThreads(lock);
  }

  bool runIfIdle(llvm::ArrayRef<DeviceId> devices,
                 llvm::function_ref<void()> work) {
    Devices sorted;
    if (devices.size() > 1) {
      sorted = distinct(devices);
      devices = sorted;
    }
    {
      std::lock_guard lock(mutex);
      for (DeviceId device : devices)
        if (auto it = lanes.find(device.number());
            it != lanes.end() && !it->second.isIdle())
          return false;
      for (DeviceId device : devices)
        lanes[device.number()].isTaken = true;
      ++unfinished;
    }
    const State *before = std::exchange(current, this);
    work();
    current = before;
    std::unique_lock lock(mutex);
    for (DeviceId device : devices) {
      Lane &lane = lanes.find(device.number())->second;
      lane.isTaken = false;
      if (!lane.jobs.empty())
        unblock(lane.jobs.front());
    }
    finishOne();
    failWithoutThreads(lock);
    return true;
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
  using Devices = llvm::SmallVector<DeviceId, 8>;
  struct Lane {
    /// A job of runIfIdle uses the device.
    bool isTaken = false;
    std::list<std::shared_ptr<Job>> jobs;
    bool isIdle() const { return !isTaken && jobs.empty(); }
  };
  using Lock = std::unique_lock<std::mutex>;

  /// A device given twice would make a job wait for itself.
  static Devices distinct(llvm::ArrayRef<DeviceId> devices) {
    Devices sorted(devices);
    llvm::sort(sorted);
    sorted.erase(llvm::unique(sorted), sorted.end());
    return sorted;
  }

  /// Adds the job to the lanes of these devices, and releases one blocker once
  /// all inputs have been checked. Requires the mutex, which it releases
  /// meanwhile if inputs are pending.
  void enqueue(const std::shared_ptr<Job> &job,
               llvm::ArrayRef<DeviceId> devices, llvm::ArrayRef<Event> inputs,
               Lock &lock) {
    llvm::SmallVector<const Event *, 8> pending;
    for (const Event &input : inputs)
      if (!input.isReady())
        pending.push_back(&input);
    job->blockers += pending.size();
    llvm::append_range(job->devices, devices);
    for (DeviceId device : devices) {
      Lane &lane = lanes[device.number()];
      job->blockers += !lane.isIdle();
      lane.jobs.push_back(job);
    }
    if (!pending.empty()) {
      lock.unlock();
      for (const Event *input : pending)
        input->onReady([state = shared_from_this(), job](llvm::StringRef) {
          std::unique_lock lock(state->mutex);
          state->unblock(job);
          state->failWithoutThreads(lock);
        });
      lock.lock();
    }
    unblock(job);
    failWithoutThreads(lock);
  }

  /// Requires the mutex; then call failWithoutThreads.
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
    if ((threads < maxThreads || job->waitsForPeers) &&
        cpu::startThread([state = shared_from_this()] { state->serve(); }))
      ++threads;
  }

  /// Fails the jobs that could run if there were any thread.
  void failWithoutThreads(Lock &lock) {
    while (threads == 0 && !ready.empty()) {
      std::shared_ptr<Job> job = std::move(ready.front());
      ready.pop_front();
      lock.unlock();
      runOne(*job, "the system grants no thread that runs a program; end other "
                   "threads or processes, or raise the limit (ulimit -u)");
      job.reset();
      lock.lock();
    }
  }

  void runOne(Job &job, llvm::StringRef failure = {}) {
    const State *before = std::exchange(current, this);
    job.work(job.failure.empty() ? failure : job.failure);
    job.work = nullptr;
    current = before;
    std::lock_guard lock(mutex);
    for (DeviceId device : job.devices) {
      auto it = lanes.find(device.number());
      it->second.jobs.pop_front();
      if (!it->second.jobs.empty())
        unblock(it->second.jobs.front());
    }
    finishOne();
  }

  void finishOne() {
    if (--unfinished == 0)
      finished.notify_all();
  }

  void serve() {
    Lock lock(mutex);
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
  /// Kept for the next job when they are idle.
  llvm::DenseMap<int32_t, Lane> lanes;
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
                      llvm::ArrayRef<Event> inputs, Work work, bool here,
                      bool waitsForPeers) {
  if (here &&
      llvm::all_of(inputs, [](const Event &e) { return e.isReady(); }) &&
      runIfIdle(devices, [&] { work({}); }))
    return;
  // The job may end this queue.
  std::shared_ptr<State> kept = state;
  kept->submit(devices, inputs, std::move(work), waitsForPeers);
}

std::shared_ptr<DeviceQueue::Job>
DeviceQueue::gather(size_t numDevices, Work work, bool waitsForPeers) {
  return state->gather(numDevices, std::move(work), waitsForPeers);
}

bool DeviceQueue::join(const std::shared_ptr<Job> &job, DeviceId device,
                       llvm::ArrayRef<Event> inputs) {
  std::shared_ptr<State> kept = state; // the job may end this queue
  return kept->join(job, device, inputs);
}

void DeviceQueue::cancel(const std::shared_ptr<Job> &job, llvm::StringRef why) {
  std::shared_ptr<State> kept = state; // the job may end this queue
  kept->cancel(job, why);
}

bool DeviceQueue::runIfIdle(llvm::ArrayRef<DeviceId> devices,
                            llvm::function_ref<void()> work) {
  std::shared_ptr<State> kept = state; // the job may end this queue
  return kept->runIfIdle(devices, work);
}

void DeviceQueue::drain() { state->drain(); }
