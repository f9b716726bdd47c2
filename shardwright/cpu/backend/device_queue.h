//===- device_queue.h - execution order of device work ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_BACKEND_DEVICE_QUEUE_H
#define SHARDWRIGHT_CPU_BACKEND_DEVICE_QUEUE_H

#include "shardwright/backend/device.h"
#include "shardwright/support/event.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace shardwright::cpu {

/// Runs jobs: each device runs its jobs in order, and devices without a common
/// job run in parallel. Thread-safe. The destructor waits for submitted jobs,
/// unless it is called from one of them.
class DeviceQueue {
public:
  DeviceQueue();
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue &) = delete;

  /// A job. `failure` is empty, or says why the job cannot do its work: the
  /// system grants no thread.
  using Work = llvm::unique_function<void(llvm::StringRef failure)>;
  /// Runs `work` once all of `inputs` are ready and all jobs submitted earlier
  /// for any of `devices` are done. It runs on a thread of the queue, or, if
  /// nothing blocks it and `here`, immediately on the calling thread. The
  /// number of threads is limited, except for jobs that `waitForPeers`: other
  /// processes may wait for such a job, whatever the jobs before it wait for.
  void run(llvm::ArrayRef<DeviceId> devices, llvm::ArrayRef<Event> inputs,
           Work work, bool here, bool waitsForPeers = false);

  /// A job whose devices join one after the other.
  struct Job;
  /// A job of `numDevices` devices, of which each joins once, from any thread.
  /// It runs once all have joined, as a job that was submitted for each device
  /// when that device joined.
  std::shared_ptr<Job> gather(size_t numDevices, Work work,
                              bool waitsForPeers = false);
  /// Returns false, and does nothing, if the job was cancelled.
  bool join(const std::shared_ptr<Job> &job, DeviceId device,
            llvm::ArrayRef<Event> inputs);
  /// If a device has not joined, no further one joins, and `work` gets this
  /// failure when the jobs before it are done.
  void cancel(const std::shared_ptr<Job> &job, llvm::StringRef why);

  /// If no job is pending for any of `devices`, runs `work` on the calling
  /// thread, without allocating memory, and returns true. Jobs submitted for
  /// these devices meanwhile run after it.
  bool runIfIdle(llvm::ArrayRef<DeviceId> devices,
                 llvm::function_ref<void()> work);
  /// Waits until no job is pending; returns immediately if called from a job.
  void drain();

private:
  class State;
  std::shared_ptr<State> state;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_BACKEND_DEVICE_QUEUE_H
