//===- run_waits.h - runs that wait for each other --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_RUN_WAITS_H
#define SHARDWRIGHT_FRONTEND_MESH_RUN_WAITS_H

#include "shardwright/frontend/mesh/device.h"
#include "shardwright/support/event.h"

namespace shardwright::frontend::detail {

/// A run of a program that calls functions of the user.
struct RunInfo {
  std::string program; ///< `jit(f)`
  /// Settings of the thread that started it, in seconds; 0: never.
  double reportAfter = 0, timeout = 0;
  /// The run that calls the function which started this one, and the device
  /// that calls it; null: none.
  std::shared_ptr<const RunInfo> outer = nullptr;
  int32_t outerDevice = -1;
  /// Set when the run has ended.
  Event end = {};
  /// Of its start; see RunStart.
  uint64_t ticket = 0;
  size_t depth = 0;
};

/// The run that calls the function which this thread is in, or null.
std::shared_ptr<const RunInfo> currentRun();

/// The start of a run. Those of later tickets wait for the devices of earlier
/// ones, among programs of one depth (call_depth.h).
struct RunStart {
  /// 0: nobody will ask, because no run that calls functions is in flight.
  uint64_t ticket = 0;
  /// The run does not end before them.
  std::vector<Event> after = {};
};
/// `run`: what is started, if it calls functions of the user; null: another
/// run.
RunStart beginRun(RunInfo *run);
/// The run has started on these devices, and ends with `done`.
void recordStart(RunStart start, const Event &done,
                 const std::vector<Device> &devices,
                 const std::shared_ptr<const RunInfo> &run);
/// The run has ended, or could not start; null is ignored.
void endRun(const RunInfo *run);

/// A function of the user that this thread calls: `callback 'f'`. Scopes are
/// nested.
class ScopedUserCall {
public:
  explicit ScopedUserCall(const std::string &what);
  ~ScopedUserCall();
  ScopedUserCall(const ScopedUserCall &) = delete;
  ScopedUserCall &operator=(const ScopedUserCall &) = delete;

private:
  const std::string *outer;
};

/// An error if this thread is in a function that a program calls, and `event`
/// is not set before the function has returned: to wait for it would never end.
Status checkWait(const Event &event);

} // namespace shardwright::frontend::detail

#endif // SHARDWRIGHT_FRONTEND_MESH_RUN_WAITS_H
