//===- device_queue.h - the order in which devices work ---------*- C++ -*-===//
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

#include <memory>

namespace shardwright::cpu {

/// Runs jobs: each device works in order, and devices without a common job side
/// by side. Thread-safe. The destructor waits for the jobs that were submitted,
/// unless it is called from one of them.
class DeviceQueue {
public:
  DeviceQueue();
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue &) = delete;

  /// Runs `work` once all of `inputs` have happened and everything is done that
  /// was submitted before for any of `devices`. On a thread of the queue; at
  /// once and on the calling thread when nothing is in the way and `here`.
  void run(llvm::ArrayRef<DeviceId> devices, llvm::ArrayRef<Event> inputs,
           llvm::unique_function<void()> work, bool here);
  /// Waits until nothing is pending; returns at once in one of the jobs.
  void drain();

private:
  class State;
  std::shared_ptr<State> state;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_BACKEND_DEVICE_QUEUE_H
