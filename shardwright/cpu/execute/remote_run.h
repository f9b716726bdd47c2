//===- remote_run.h - a run with devices in other processes -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to the executor: one execution of a Run between processes. Callbacks
// of the transport hold it, and may come when the run has ended.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_REMOTE_RUN_H
#define SHARDWRIGHT_CPU_EXECUTE_REMOTE_RUN_H

#include "shardwright/cpu/collectives/exchange.h"
#include "shardwright/cpu/execute/executor.h"
#include "shardwright/job/transport.h"

#include <map>
#include <mutex>

namespace shardwright::cpu {

/// A collective that waits for other processes: a shared group, a device that
/// receives from the source of a permute, or a source that has sent too much.
struct OpenExchange {
  OpenExchange(int32_t step, const CollectivePlan::SharedGroup &group)
      : step(step), group(group) {}

  const int32_t step;
  const CollectivePlan::SharedGroup &group; ///< of the prepared program
  int32_t occurrence = 0;
  /// Null for permutes.
  std::unique_ptr<Exchange> exchange;
  size_t stage = 0;
  /// Transfers of the stage that are not done.
  int64_t transfers = 0;
  /// Of a permute: the local device that waits.
  int32_t waiter = -1;
  /// In lockstep: all its stages are done.
  bool isFinished = false;

  /// A source waits until it may send more.
  bool isThrottle() const { return !exchange && waiter != group.group; }
};

class RemoteRun {
public:
  RemoteRun(Run &run, const RemoteOptions &options, RunDescription description)
      : options(options), description(std::move(description)), run(&run) {}

  /// Calls `what` with the run, unless it has ended.
  template <typename Function> void withRun(const Function &what) {
    std::lock_guard lock(mutex);
    if (run)
      what(*run);
  }
  /// No callback reaches the run after this.
  void detach() {
    std::lock_guard lock(mutex);
    run = nullptr;
  }

  const RemoteOptions options;
  const RunDescription description;
  /// (step, group) -> how often the group has come there. Used by the leader in
  /// lockstep, and under the run's mutex while diverged.
  std::map<std::pair<int32_t, int32_t>, int32_t> sentOccurrences,
      receivedOccurrences;
  /// Exchanges whose transfers of the current stage are done, for the leader in
  /// lockstep. This and the following are guarded by the run's mutex.
  std::vector<std::shared_ptr<OpenExchange>> advanced;
  /// Collectives beside which the devices go on in lockstep: (step before which
  /// it must be finished, exchange). Used by the leader.
  std::vector<std::pair<int32_t, std::shared_ptr<OpenExchange>>> deferred;
  int64_t overlapped = 0;
  /// Exchanges that are not finished.
  llvm::SmallVector<std::shared_ptr<OpenExchange>, 4> open;
  int64_t sentBytes = 0;
  int64_t numDone = 0; ///< transfers
  /// Sources that have sent too much: to this process.
  llvm::SmallVector<std::pair<int32_t, std::shared_ptr<OpenExchange>>, 2>
      throttled;
  /// What may be sent beyond the limit of owned bytes, and the next allowance.
  int64_t bytesBeyondLimit = 0, nextBytesBeyondLimit = int64_t(64) << 20;
  /// The transport knows that this process only waits.
  bool isReportedQuiet = false;

private:
  std::mutex mutex; ///< locked before the run's
  Run *run;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_REMOTE_RUN_H
