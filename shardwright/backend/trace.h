//===- trace.h - activities of devices over time ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_TRACE_H
#define SHARDWRIGHT_BACKEND_TRACE_H

#include "llvm/ADT/ArrayRef.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace shardwright {

struct RunStatistics {
  double seconds = 0;
  /// Time in collectives, summed over all threads.
  double collectiveSeconds = 0;
  /// Number of steps executed, summed over the devices.
  int64_t steps = 0;
  /// Number of times that diverged devices rejoined at one step.
  int64_t rejoins = 0;
  /// Bytes that this process sent to others.
  int64_t sentBetweenProcesses = 0;
  /// Number of collectives between processes beside which the devices went on.
  int64_t overlapped = 0;
};

/// The activities of each device over time, recorded by one run. Recording
/// needs no lock, because only one thread at a time executes a device.
class Trace {
public:
  using Clock = std::chrono::steady_clock;
  enum class What : uint8_t {
    Work,       ///< a kernel, a dot, a copy
    Collective, ///< a collective
    Waiting,    ///< at a collective, for other devices
  };
  struct Span {
    int32_t step; ///< of the program
    What what;
    /// Nanoseconds since the run began.
    int64_t begin, end;
  };
  /// A jump or a branch of the program, from which spans of loops are computed
  /// (loop_spans.h).
  struct Jump {
    int32_t step;       ///< the step that jumps
    int64_t time;       ///< nanoseconds since the run began
    int64_t spanNumber; ///< number of the device's spans recorded before it
  };

  /// Called at the beginning of a run.
  void start(int64_t devices) {
    origin = Clock::now();
    spans.assign(devices, {});
    jumps.assign(devices, {});
  }
  void record(int32_t device, int32_t step, What what, Clock::time_point begin,
              Clock::time_point end) {
    spans[device].push_back({step, what, since(begin), since(end)});
  }

  void recordJump(int32_t device, int32_t step, Clock::time_point time) {
    jumps[device].push_back({step, since(time), int64_t(spans[device].size())});
  }

  /// Adds the activities of a further device, recorded by another process.
  void addDevice(llvm::ArrayRef<Span> activities,
                 llvm::ArrayRef<Jump> itsJumps = {}) {
    spans.emplace_back(activities.begin(), activities.end());
    jumps.emplace_back(itsJumps.begin(), itsJumps.end());
  }

  Clock::time_point began() const { return origin; }
  int64_t numDevices() const { return spans.size(); }
  /// The activities of a device in order of begin.
  llvm::ArrayRef<Span> of(int64_t device) const { return spans[device]; }
  /// The jumps of a device in order of time.
  llvm::ArrayRef<Jump> jumpsOf(int64_t device) const { return jumps[device]; }

private:
  int64_t since(Clock::time_point t) const {
    return (t - origin) / std::chrono::nanoseconds(1);
  }
  Clock::time_point origin;
  std::vector<std::vector<Span>> spans;
  std::vector<std::vector<Jump>> jumps;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_TRACE_H
