//===- run.h - one run of a program -----------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to the executor: the state of one call of Executor::run; a program
// keeps it for later calls. While all
// devices are at the same step, the thread that called `run` leads
// (lockstep.cc): a segment is a parallel-for over the devices, a collective a
// parallel-for over its tasks. When devices diverge (diverged.cc), each device
// runs to its next rendezvous as a task of its own. The last member to arrive
// turns the collective into a job for any free thread. Only the leader ever
// waits. When all devices are at the same step again, the leader takes over.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_RUN_H
#define SHARDWRIGHT_CPU_EXECUTE_RUN_H

#include "shardwright/backend/trace.h"
#include "shardwright/cpu/execute/prepared_program.h"
#include "shardwright/cpu/execute/remote_run.h"
#include "shardwright/cpu/library/run_context.h"
#include "shardwright/support/thread_pool.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <queue>

namespace shardwright::cpu {

class Run : public std::enable_shared_from_this<Run> {
public:
  Run(const Executor::Prepared &p, std::vector<DeviceMemory> memory);

  /// Runs the program. May be called again if it has succeeded.
  llvm::Error execute(llvm::ArrayRef<DeviceBuffers> buffers, ThreadPool &pool,
                      RunStatistics *statistics, Trace *trace,
                      const RemoteOptions *options, RunDescription description);

private:
  friend class RemoteRun;
  using Prepared = Executor::Prepared;
  using StepInfo = Prepared::StepInfo;
  using Clock = std::chrono::steady_clock;
  /// A step of at least this time is split between threads.
  static constexpr double heavyNs = 20000;

  enum class State : uint8_t {
    Ready,   ///< can continue
    Running, ///< executed by a thread
    Waiting, ///< at a rendezvous
    Done,
  };
  struct alignas(64) Device {
    int32_t number = 0; ///< its position in the program
    int32_t local = 0;  ///< its index in `devices`
    int32_t pc = 0;
    State state = State::Ready;
    int64_t rendezvous = 0; ///< number of rendezvous passed
    int64_t steps = 0;
    /// Diverged, at a permute: for how many things it waits, and whether one
    /// is the message of a local source.
    int32_t permuteWaits = 0;
    bool awaitsMessage = false;
    void *const *table = nullptr;
    Clock::time_point
        arrived; ///< time of arrival at the current rendezvous, for the trace
  };

  /// Returns to the state before a run, with these buffers.
  void begin(llvm::ArrayRef<DeviceBuffers> buffers, ThreadPool &pool,
             bool isTimed, Trace *trace);

  // --- one device ---
  /// Runs to the next collective or return, or, if `stopAtHeavy`, to a step
  /// that is worth splitting. Stops at once if the run has failed.
  void advance(Device &device, bool stopAtHeavy);
  /// The device stops here, where a collective must be finished first.
  bool waitsAt(int32_t pc) const {
    return defers() && prepared.isWaitPoint[pc];
  }
  bool isHeavy(const StepInfo &step) const;
  /// Runs tasks [begin, end) of a library call in one of its scratch memories.
  llvm::Error callLibrary(const Device &device, const StepInfo &step,
                          int64_t begin, int64_t end, int64_t worker) const;
  /// Runs a complete call that may wait for the host; returns false if the run
  /// failed.
  bool callHost(const Device &device);
  /// Runs a complete dot; returns false if the run failed.
  bool runDot(const Device &device, int32_t step);
  /// The target step of a Switch for the index at `value`.
  int32_t switchTarget(const StepInfo &step, const void *value) const;
  void copyResults(const Device &device);
  /// Current time if tracing is on, otherwise a default value.
  Clock::time_point traceNow() const {
    return trace ? Clock::now() : Clock::time_point();
  }
  void record(const Device &device, int32_t step, Trace::What what,
              Clock::time_point begin) {
    if (trace)
      trace->record(device.local, step, what, begin, Clock::now());
  }
  void recordJump(const Device &device, int32_t step) {
    if (trace)
      trace->recordJump(device.local, step, Clock::now());
  }
  /// The local device at a position of the program.
  Device &at(int32_t position) {
    return devices[prepared.placement.localIndex(position)];
  }
  const StepInfo &at(const Device &device) const {
    return prepared.steps[device.pc];
  }
  void fail(int32_t device, int32_t step, const llvm::Twine &what);
  /// Called after each kernel on its thread; returns false if the kernel
  /// failed, and fails the run.
  bool kernelSucceeded(int32_t device, int32_t step);
  /// Called once for each device that arrives at a collective.
  bool collectiveMayStart(const Device &device);
  bool failed() const { return poisoned.load(std::memory_order_relaxed); }

  // --- all devices at one step ---
  enum class Outcome { Finished, Diverged };
  Outcome lockstep();
  void runSegment();
  void runSplit(int32_t step);
  void runCollective(int32_t step);
  bool allAtOneStep() const;

  // --- diverged ---
  /// A collective whose members have all arrived.
  struct Job {
    int32_t step = 0, group = 0;
    int64_t tasks = 0, next = 0, done = 0;
    std::vector<const void *> inputs; ///< [operand][position]
    std::vector<void *> outputs;
    /// If set, the job is the current stage of this exchange.
    std::shared_ptr<OpenExchange> exchange;
  };
  struct PermuteMessage {
    std::shared_ptr<void> data; ///< the operands, concatenated
  };
  using Lock = std::unique_lock<std::mutex>;

  void runDiverged();
  void work(Lock &lock, bool isLeader);
  void workOnJob(Lock &lock, Job &job, bool isLeader);
  void makeReady(Device &device);
  void arrive(Lock &lock, Device &device);
  std::shared_ptr<void> takeMessage(int32_t step, const Device &target);
  void copyMessage(int32_t step, const Device &target, const void *data);
  void deliver(int32_t step, Device &target, std::shared_ptr<void> data);
  void arriveAtPermute(Lock &lock, Device &device);
  void leave(Device &device);
  void finish(Job &job);
  bool mayRejoin() const;
  void arriveAtHost(Device &device);
  enum class Caller : uint8_t { Leader, Helper, Other };
  /// Leader and helpers also take a task themselves after the call.
  void callHelpers(Caller caller);
  void reportDeadlock();
  /// Where the devices wait, and for which others.
  std::string describeWaits() const;

  // --- with other processes (between_processes.cc) ---
  void beginRemote(const RemoteOptions &options, RunDescription description);
  void endRemote();
  void failFromPeer(const RunFailure &failure);
  using Exchanges = llvm::SmallVector<std::shared_ptr<OpenExchange>, 4>;
  std::shared_ptr<OpenExchange>
  openExchange(int32_t step, const CollectivePlan::SharedGroup &group);
  std::shared_ptr<void> ownerOf(const std::shared_ptr<OpenExchange> &open);
  Transport::Done whenDone(const std::shared_ptr<OpenExchange> &open);
  void postMessages(const std::shared_ptr<OpenExchange> &open);
  void transferDone(const std::shared_ptr<OpenExchange> &open,
                    const std::string &why);
  void stageDone(const std::shared_ptr<OpenExchange> &open);
  void
  runExchangeTasks(llvm::ArrayRef<std::shared_ptr<OpenExchange>> exchanges);
  Exchanges startExchanges(int32_t step);
  void advanceExchanges();
  void finishExchanges(llvm::ArrayRef<std::shared_ptr<OpenExchange>> wanted);
  void finishDeferred(int32_t step);
  /// Some deferred collective must be finished before the step.
  bool mustFinishBefore(int32_t step) const;
  bool defers() const { return remote && !remote->deferred.empty(); }
  void waitForPeers(Lock &lock);
  void addExchangeJob(const std::shared_ptr<OpenExchange> &open);
  void finishStage(const std::shared_ptr<OpenExchange> &open);
  /// Exchanges wait for other processes.
  bool waitsForPeers() const { return remote && !remote->open.empty(); }

  // --- permutes to and from other processes (remote_permutes.cc) ---
  using Operands = llvm::SmallVector<std::shared_ptr<const char>, 1>;
  Operands copyOperands(int32_t step, const Device &source);
  std::shared_ptr<OpenExchange>
  sendOperands(int32_t step, const CollectivePlan::SharedGroup &pair,
               const Operands &copies);
  std::shared_ptr<OpenExchange>
  receiveOperands(int32_t step, const CollectivePlan::SharedGroup &pair);
  Exchanges startPermutes(int32_t step);
  void ownedSendDone(int32_t peer);
  void sendBeyondLimit();
  void endThrottles(llvm::function_ref<bool(int32_t peer)> ofPeer);
  void finishPermuteWait(Device &device);

  const Prepared &prepared;
  const Program &program;
  ThreadPool *pool = nullptr;
  bool timed = false;
  Trace *trace = nullptr; ///< may be null
  RunContext context;
  std::vector<DeviceMemory> memory;
  llvm::ArrayRef<DeviceBuffers> buffers; ///< valid during `execute`
  std::vector<Device> devices;
  /// There are fewer devices than threads: heavy steps are split.
  bool splits = false;

  /// Set during a run with devices in other processes.
  std::shared_ptr<RemoteRun> remote;

  std::atomic<bool> poisoned{false};
  std::atomic<int64_t> collectiveNs{0};
  std::mutex errorMutex;
  std::string error;
  int32_t errorDevice = -1;

  // Used by the leader in lockstep.
  std::vector<const void *> scratchInputs;
  std::vector<void *> scratchOutputs;
  int64_t rejoins = 0;

  // Guarded by `mutex`; used while diverged.
  std::mutex mutex;
  std::condition_variable leaderWakes;
  bool isDiverged = false;
  bool leaderWaits = false;
  int32_t helpers = 0;     ///< tasks of this run in the pool
  int32_t busyHelpers = 0; ///< helpers that are working on a device or a job
  int32_t inProgress = 0;  ///< devices, tasks of jobs and messages in progress
  int32_t doneDevices = 0;
  /// (rendezvous passed, index in `devices`): devices that are behind run
  /// first.
  std::priority_queue<std::pair<int64_t, int32_t>,
                      std::vector<std::pair<int64_t, int32_t>>, std::greater<>>
      ready;
  /// (step, group) -> members that have arrived
  std::map<std::pair<int32_t, int32_t>, int32_t> arrivals;
  std::deque<std::unique_ptr<Job>> jobs;
  /// (step, target) -> messages sent by the source and not yet received
  std::map<std::pair<int32_t, int32_t>, std::deque<PermuteMessage>> messages;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_RUN_H
