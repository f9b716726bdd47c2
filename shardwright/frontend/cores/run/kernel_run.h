//===- kernel_run.h - one run of a kernel -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each core is a task with an explicit state: a stack of frames, one for each
// program that it is in. A core that waits for a semaphore is parked: no thread
// waits with it. Copies are tasks of their own. The threads that call the
// kernel, one for each device, carry out tasks until all cores are done; they
// are helped by a pool.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_RUN_KERNEL_RUN_H
#define SHARDWRIGHT_FRONTEND_CORES_RUN_KERNEL_RUN_H

#include "shardwright/frontend/cores/run/plan.h"
#include "shardwright/frontend/cores/run/races.h"
#include "shardwright/runtime/custom_call.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <random>

namespace shardwright::frontend::kernels {

/// What does not change from run to run.
class Kernel {
public:
  /// False once the computation of this step has been compiled.
  bool firstUse(int32_t step) const { return !isCompiled[step]; }
  /// Applies it, while other first uses wait.
  Tensors compileFirst(int32_t step,
                       const std::function<Tensors()> &apply) const {
    std::lock_guard lock(compiling);
    Tensors outs = apply();
    isCompiled[step] = true;
    return outs;
  }

  KernelParam param;
  PlanPtr plan;
  std::vector<bool> written; ///< of the inputs
  /// The devices around the kernel; empty: each device is alone.
  AbstractMesh devices;
  /// Cores reach other devices: the kernels of all devices run together.
  bool isJoint = false;
  bool x64 = false;
  explicit Kernel(int32_t numSteps) : isCompiled(numSteps) {}

private:
  mutable std::mutex compiling;
  mutable std::vector<std::atomic<bool>> isCompiled;
};
using KernelPtr = std::shared_ptr<const Kernel>;

/// The call of a kernel on one device.
struct DeviceCall {
  int64_t position = 0; ///< in the mesh of devices
  std::vector<CustomCallBuffer> operands, results;
};

/// What a variable of a core's program is.
struct CoreValue {
  Tensor value;
  MemoryPtr memory; ///< of a reference
};

/// A program that a core is in.
struct Frame {
  PlanPtr plan;
  size_t next = 0; ///< number of the next step
  std::vector<CoreValue> env;
  /// The step of the frame below that it carries out; null for the kernel.
  const Step *caller = nullptr;
  /// Of a while loop: the condition is computed.
  bool isTest = false;
  // Of loops: operands, the carry, and the results so far of scans.
  std::vector<CoreValue> operands, carry;
  std::vector<Tensors> stacked;
  int64_t iteration = 0;
  /// Of a run_scoped: what it has allocated.
  std::vector<MemoryPtr> scratch;
  MemoryKey scope;
};

struct Core {
  int32_t index = 0;  ///< in the run
  int64_t device = 0; ///< number of the call
  Ints coordinates;
  std::vector<Frame> stack;
  bool isDone = false;
  /// Of a parked core: the operation, and what it waits for.
  const Step *waitsIn = nullptr;
  MemoryPtr waitsFor;
  int64_t waitsForElement = 0, waitsForAmount = 0;
  /// Entries of each run_scoped so far, and the memory that is allocated now.
  std::map<int32_t, int64_t> entries;
  std::map<MemoryKey, MemoryPtr> memories;
  Clock clock;
};

/// A copy that has been started.
struct Copy {
  int32_t core = 0; ///< that started it
  MemoryPtr from, to;
  Box fromBox, toBox;
  MemoryPtr sendSem, recvSem;
  int64_t sendElement = 0, recvElement = 0, bytes = 0;
  std::string op;
  Actor actor;
  Clock clock;
};

/// What is done at another core, once that has allocated the memory.
struct Remote {
  int32_t target = 0;
  std::vector<MemoryKey> needs;
  std::function<Status()> act; ///< with the mutex
  std::string op;
  int32_t core = 0; ///< that started it
};

class KernelRun : public std::enable_shared_from_this<KernelRun> {
public:
  /// `calls`: of one device, or of all in the order of their positions.
  static Expected<std::shared_ptr<KernelRun>>
  create(KernelPtr kernel, std::vector<DeviceCall> calls,
         const cpu::RunContext &context);
  KernelRun(KernelPtr kernel, std::vector<DeviceCall> calls,
            const cpu::RunContext &context);
  /// Carries out tasks until all cores are done. Each device's thread calls it.
  Status work();

private:
  using Lock = std::unique_lock<std::mutex>;
  /// Yields: others may go first.
  enum class Progress { Continues, Parked, Yields };

  // kernel_run.cc: scheduling
  Status setUp();
  Status setUpOperands(const DeviceCall &call);
  bool hasTasks() const { return !readyCores.empty() || !copies.empty(); }
  /// Carries out one task, meanwhile without the mutex.
  void doTask(Lock &lock);
  void workOn(Lock &lock, bool isHelper);
  void callHelpers();
  void runCore(Core &core);
  void fail(const Error &error);
  void makeReady(int32_t core);
  Error deadlock() const;
  std::string nameOf(const Core &core) const;
  std::string opText(const Core &core, const Step &step) const;
  /// The error with the core, the operation and its place.
  Error errorIn(const Core &core, const Step &step, const Error &error) const;

  // steps.cc: one step of a core
  Expected<Progress> advance(Core &core);
  Expected<Progress> carryOut(Core &core, const Step &step);
  Status compute(Core &core, const Step &step);
  Status access(Core &core, const Step &step);
  void axisIndex(Core &core, const Step &step);

  // control.cc: programs in programs
  Status enter(Core &core, const Step &step);
  Status enterScope(Core &core, const Step &step);
  Status leaveScope(Core &core, Frame &frame);
  Status leave(Core &core);
  Status nextIteration(Core &core);
  Status finish(Core &core, std::vector<CoreValue> results);
  Status checkScope(const Core &core, const Frame &frame) const;
  std::string groupOf(const Core &core, const AxisNames &axes) const;
  void push(Core &core, const Step *caller, const PlanPtr &plan,
            std::vector<CoreValue> args);
  void restart(Frame &frame, const PlanPtr &plan, std::vector<CoreValue> args);

  // synchronize.cc: copies and semaphores
  Status startCopy(Core &core, const Step &step);
  int32_t taskOfCopy(const Core &core);
  void launch(const std::shared_ptr<Copy> &copy);
  Status carryOut(Copy &copy);
  Status finishCopy(Copy &copy);
  Status signal(Core &core, const Step &step);
  Expected<Progress> wait(Core &core, const Step &step);
  Status readSemaphore(Core &core, const Step &step);
  Expected<int32_t> targetOf(const Core &core, const Step &step,
                             size_t firstScalar);
  Status addTo(const MemoryPtr &sem, int64_t element, int64_t amount,
               const Clock &clock, const std::string &what);
  void subtract(Counter &counter, Core &core, int64_t amount);
  /// Does something with memory of another core, now or when it is allocated.
  Status actRemotely(Remote remote);
  Status retryRemotes(int32_t target);
  /// Null: not allocated yet. An error if it has been freed.
  Expected<MemoryPtr> memoryOf(int32_t core, const MemoryKey &key) const;

  // Values of operands.
  CoreValue valueOf(const Core &core, const Atom &atom) const;
  Expected<int64_t> integerOf(const Core &core, const Atom &atom) const;
  void setResult(Core &core, const Step &step, Tensor value);
  struct Part {
    MemoryPtr memory;
    Box box;
  };
  Expected<Part> partOf(const Core &core, const Step &step, size_t refAt,
                        size_t firstPosition, const View &view) const;
  bool detectsRaces() const { return kernel->param.options.detectRaces; }

  const KernelPtr kernel;
  std::vector<DeviceCall> calls;
  const cpu::RunContext context;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Core> cores;
  /// Of each device, the memory of the kernel's operands; null for scalars.
  std::vector<std::vector<MemoryPtr>> operands;
  std::vector<std::vector<Tensor>> scalars;
  std::deque<int32_t> readyCores;
  std::deque<std::shared_ptr<Copy>> copies;
  std::vector<Remote> remotes;
  /// Allocations that several cores share, by scope and group of cores, and how
  /// many cores have not left.
  struct Shared {
    std::vector<MemoryPtr> scratch;
    size_t remaining = 0;
  };
  std::map<std::pair<MemoryKey, std::string>, Shared> shared;
  size_t numDone = 0, inProgress = 0;
  int32_t helpers = 0;
  std::atomic<bool> failed = false;
  Error failure;
  RaceDetector races;
  std::mt19937_64 random;
  // Where races are detected: tasks of copies that have ended, and the time of
  // each task.
  std::vector<int32_t> freeTasks;
  Clock taskTimes;
  int32_t numTasks = 0;
};

} // namespace shardwright::frontend::kernels

#endif // SHARDWRIGHT_FRONTEND_CORES_RUN_KERNEL_RUN_H
