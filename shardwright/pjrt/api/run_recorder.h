//===- run_recorder.h - records the runs on devices -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_RUN_RECORDER_H
#define SHARDWRIGHT_PJRT_API_RUN_RECORDER_H

#include "shardwright/pjrt/api/program.h"

#include <map>

namespace shardwright {
class ProtoWriter;
}

namespace shardwright::pjrt {

/// Nanoseconds since the epoch.
int64_t nowInNanoseconds();

/// A completed run.
struct RecordedRun {
  std::shared_ptr<const ClientProgram> program;
  llvm::SmallVector<DeviceId, 8> devices; ///< of this process
  std::shared_ptr<const Trace> trace;     ///< of each of these
  int64_t submitted, done;                ///< nanoseconds since the epoch
  bool hasFailed;
};

/// Records the runs that end between `start` and `stop`. Thread-safe.
class RunRecorder {
public:
  ~RunRecorder() { stop(); }
  void start();
  void stop();
  std::vector<RecordedRun> runs() const;

  /// True if any recorder is started.
  static bool isAny();
  /// Adds the run, when it ends, to all recorders that are started.
  static void note(std::shared_ptr<const ClientProgram> program,
                   llvm::SmallVector<DeviceId, 8> localDevices,
                   std::shared_ptr<const Trace> trace, int64_t submitted,
                   const Event &done);

private:
  mutable std::mutex mutex;
  std::vector<RecordedRun> recorded;
};

/// As serialised tensorflow.profiler.XSpace: a plane a device of this process,
/// with a line of
/// its runs and one of the operations in them. A device works in order: a run
/// that failed before its first operation began when it was submitted or when
/// the one before it ended.
std::string toXSpace(llvm::ArrayRef<RecordedRun> runs);
/// Writes the names of a plane's events, by their numbers.
void writeEventNames(ProtoWriter &plane,
                     const std::map<std::string, int64_t> &names);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_RUN_RECORDER_H
