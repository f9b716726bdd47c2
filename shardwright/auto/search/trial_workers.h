//===- trial_workers.h - tasks on copies of the module ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each worker is a thread with a copy of the module in a context of its own,
// and runs one task at a time. Without threads (one core, functions of the
// caller in the pipeline, a module that cannot be copied to another context)
// there is one copy, and tasks run in the calling thread when their results are
// awaited.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_TRIAL_WORKERS_H
#define SHARDWRIGHT_AUTO_TRIAL_WORKERS_H

#include "shardwright/auto/search/trial_context.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace shardwright {

class TrialWorkers {
public:
  /// What is to be done on a copy of the module.
  class Task {
  public:
    /// `work` changes only the context, and what it synchronises itself.
    explicit Task(std::function<void(TrialContext &)> work)
        : work(std::move(work)) {}

  private:
    friend class TrialWorkers;
    enum class State : uint8_t { New, Waiting, Running, Done };
    std::function<void(TrialContext &)> work;
    /// Guarded by the workers' mutex.
    State state = State::New;
    bool isAwaited = false;
  };

  /// `isParallel`: tasks may run in other threads. `imported` and `problem`
  /// must outlive the workers, and must not change while tasks run.
  TrialWorkers(mlir::ModuleOp imported, const AutoProblem &problem,
               bool isParallel)
      : imported(imported), problem(problem), isParallel(isParallel) {}
  /// Waits for the tasks that run; others are never run.
  ~TrialWorkers();
  TrialWorkers(const TrialWorkers &) = delete;
  TrialWorkers &operator=(const TrialWorkers &) = delete;

  /// Tasks that will be awaited: they start before all that are only expected.
  void start(llvm::ArrayRef<Task *> tasks);
  /// Tasks that may be awaited, in the likely order. A worker runs them while
  /// others are not done with what is awaited. Those of earlier calls that have
  /// not started are forgotten, and may be given again. Without threads nothing
  /// is run.
  void expect(llvm::ArrayRef<Task *> tasks);
  /// Waits until the task is done. It must outlive the call.
  void finish(Task &task);

private:
  /// Makes the copies and starts the threads, at the first task.
  void prepare();
  /// Copies the module to the contexts of workers; to none if that fails.
  void copyModule();
  void runTasks(TrialContext &context);
  /// Takes the next task for a worker; null if there is none. The mutex is
  /// held.
  Task *take();
  void runHere(Task &task);

  mlir::ModuleOp imported;
  const AutoProblem &problem;
  bool isParallel;
  std::vector<std::unique_ptr<TrialContext>> contexts;
  std::vector<std::thread> threads;

  std::mutex mutex;
  std::condition_variable hasTask, isDone;
  /// The next one first.
  std::deque<Task *> awaited, expected;
  /// Awaited tasks that run. If none does, the calling thread is about to say
  /// what it needs next, and that may be other than what was expected.
  int numRunning = 0;
  bool isEnd = false;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_TRIAL_WORKERS_H
