//===- timed_runs.h - run --repeat and --profile ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_TIMED_RUNS_H
#define SHARDWRIGHT_TOOLS_TIMED_RUNS_H

#include "session.h"

#include "shardwright/report/kernel_profile.h"

namespace shardwright {

/// How often `run` runs the program, and the times for the report.
class TimedRuns {
public:
  TimedRuns(Session &session, const RunOptions &options)
      : session(session), options(options) {}

  /// Gets the machine of a profile: from --machine, or measured. False: the
  /// error has been printed.
  bool prepare(const LoadedProgram &program);

  /// Runs in total, warm-ups included.
  int64_t count() const { return numWarmUps() + options.repeat.value_or(1); }
  /// True if the run with this number, from 0, needs a trace for the profile.
  bool isProfiled(int64_t run) const { return profile && run >= numWarmUps(); }
  /// Adds the run with this number. `trace` is null unless it is profiled.
  void add(int64_t run, double seconds, const Trace *trace = nullptr);
  /// Puts times and profile into the session's report.
  void finish();

private:
  int64_t numWarmUps() const {
    return options.repeat || options.profile ? options.warmUp : 0;
  }

  Session &session;
  const RunOptions &options;
  std::vector<double> seconds;
  MachineModel machine;
  std::optional<KernelProfile> profile;
};

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_TIMED_RUNS_H
