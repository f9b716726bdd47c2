//===- run.cc - execution of one device -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/run.h"

#include "shardwright/support/fault_injection.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

Run::Run(const Executor::Prepared &p, std::vector<DeviceMemory> m)
    : prepared(p), program(p.program), memory(std::move(m)),
      devices(p.localPositions.size()) {
  for (size_t d = 0; d < devices.size(); ++d) {
    devices[d].number = prepared.localPositions[d];
    devices[d].local = d;
    devices[d].table = memory[d].table.data();
  }
}

void Run::begin(llvm::ArrayRef<DeviceBuffers> given, ThreadPool &threads,
                bool isTimed, Trace *recorded) {
  static std::atomic<int64_t> runs{0};
  context = RunContext::current();
  context.id = ++runs;
  pool = &threads;
  splits = int64_t(devices.size()) < threads.size();
  timed = isTimed;
  trace = recorded;
  buffers = given;
  collectiveNs.store(0, std::memory_order_relaxed);
  rejoins = 0;
  doneDevices = 0;
  // A device may have sent what its target, in another branch, did not receive.
  messages.clear();
  for (size_t d = 0; d < devices.size(); ++d) {
    devices[d].pc = 0;
    devices[d].permuteWaits = 0;
    devices[d].awaitsMessage = false;
    devices[d].state = State::Ready;
    devices[d].rendezvous = devices[d].steps = 0;
    for (SlotId s : prepared.callerSlots) {
      const Prepared::Place &p = prepared.places[s];
      void *base = p.home == Slot::Home::Argument
                       ? buffers[d].arguments[p.index]
                       : buffers[d].results[p.index];
      memory[d].table[s] = static_cast<char *>(base) + p.offset;
    }
  }
}

llvm::Error Run::execute(llvm::ArrayRef<DeviceBuffers> given,
                         ThreadPool &threads, RunStatistics *statistics,
                         Trace *recorded, const RemoteOptions *options,
                         RunDescription description) {
  begin(given, threads, statistics != nullptr, recorded);
  if (options)
    beginRemote(*options, std::move(description));
  auto began = statistics ? Clock::now() : Clock::time_point();
  if (trace)
    trace->start(devices.size());
  // Each iteration ends with all devices finished, diverged, or rejoined.
  while (lockstep() == Outcome::Diverged) {
    runDiverged();
    if (failed() || doneDevices == int32_t(devices.size()))
      break;
    ++rejoins;
  }
  if (statistics) {
    statistics->seconds =
        std::chrono::duration<double>(Clock::now() - began).count();
    statistics->collectiveSeconds = collectiveNs * 1e-9;
    statistics->rejoins = rejoins;
    statistics->steps = 0;
    for (const Device &d : devices)
      statistics->steps += d.steps;
  }
  context.data = nullptr; // it lives no longer than the run
  if (remote) {
    if (statistics) {
      statistics->sentBetweenProcesses = remote->sentBytes;
      statistics->overlapped = remote->overlapped;
    }
    endRemote();
  }
  if (!failed())
    return llvm::Error::success();
  return llvm::createStringError(error);
}

void Run::fail(int32_t device, int32_t step, const llvm::Twine &what) {
  std::lock_guard lock(errorMutex);
  poisoned = true;
  // If several devices fail, report the first one, so that errors are
  // deterministic.
  if (!error.empty() && errorDevice <= device)
    return;
  errorDevice = device;
  error = (prepared.describeStep(step) + ": device " + llvm::Twine(device) +
           ": " + what)
              .str();
}

bool Run::kernelSucceeded(int32_t device, int32_t step) {
  if (auto failure = takeKernelFailure())
    fail(device, step, *failure);
  else if (isFaultDue(FaultKind::Kernel, device))
    fail(device, step, injectedFaultText);
  else
    return true;
  return false;
}

bool Run::collectiveMayStart(const Device &device) {
  if (!isFaultDue(FaultKind::Collective, device.number))
    return true;
  fail(device.number, device.pc, injectedFaultText);
  return false;
}

void Run::copyResults(const Device &device) {
  for (auto [slot, result] : prepared.copiedResults)
    std::memcpy(buffers[device.local].results[result], device.table[slot],
                program.slots[slot].bytes());
}

bool Run::isHeavy(const StepInfo &step) const {
  if (step.costNs < heavyNs)
    return false;
  if (step.kind == StepKind::Kernel)
    return program.kernels[step.payload].iterations > 1;
  if (step.kind == StepKind::Library)
    return prepared.libraryOps[step.payload].tasks > 1;
  return step.kind == StepKind::Dot && prepared.dotTasks[step.payload] > 1;
}

llvm::Error Run::callLibrary(const Device &device, const StepInfo &step,
                             int64_t begin, int64_t end, int64_t worker) const {
  const SlotId *operands = prepared.operandSlots.data() + step.operands;
  int32_t count = step.numInputs + step.numOutputs;
  llvm::SmallVector<void *, 16> pointers(count);
  for (int32_t i = 0; i < count; ++i)
    pointers[i] = device.table[operands[i]];
  const LibraryCall &call = program.libraryCalls[step.payload];
  LibraryBuffers buffers{pointers.data(), pointers.data() + step.numInputs,
                         nullptr};
  if (step.numOutputs > int32_t(call.outputs.size()))
    buffers.scratch =
        static_cast<char *>(pointers.back()) + worker * call.scratchBytes;
  buffers.replica = device.number / program.numPartitions;
  buffers.partition = device.number % program.numPartitions;
  RunContext::Scope scope(context, device.number);
  return prepared.libraryOps[step.payload].run(buffers, begin, end);
}

bool Run::callHost(const Device &device) {
  auto begin = traceNow();
  llvm::Error e = callLibrary(device, at(device), 0, 1, 0);
  record(device, device.pc, Trace::What::Work, begin);
  if (!e)
    return true;
  fail(device.number, device.pc, toString(std::move(e)));
  return false;
}

bool Run::runDot(const Device &device, int32_t step) {
  const StepInfo &s = prepared.steps[step];
  const SlotId *operands = prepared.operandSlots.data() + s.operands;
  void *const *table = device.table;
  int64_t tasks = prepared.dotTasks[s.payload];
  auto begin = traceNow();
  for (int64_t task = 0; task < tasks; ++task)
    if (llvm::Error e =
            prepared.dots[s.payload].run(table[operands[0]], table[operands[1]],
                                         table[operands[2]], task, tasks)) {
      fail(device.number, step, toString(std::move(e)));
      return false;
    }
  record(device, step, Trace::What::Work, begin);
  return true;
}

int32_t Run::switchTarget(const StepInfo &step, const void *value) const {
  int32_t index;
  std::memcpy(&index, value, sizeof index);
  const std::vector<int32_t> &targets = program.switchTargets[step.payload];
  if (index < 0 || index >= int32_t(targets.size()))
    index = targets.size() - 1;
  return targets[index];
}

void Run::advance(Device &device, bool stopAtHeavy) {
  void *const *table = device.table;
  llvm::SmallVector<void *, 24> pointers;
  int32_t pc = device.pc;
  int64_t steps = 0;
  for (;;) {
    // A step at which the device has waited is run.
    if (pc != device.pc && waitsAt(pc))
      goto stop;
    const StepInfo &s = prepared.steps[pc];
    const SlotId *operands = prepared.operandSlots.data() + s.operands;
    switch (s.kind) {
    case StepKind::Kernel: {
      if (stopAtHeavy && isHeavy(s))
        goto stop;
      pointers.resize_for_overwrite(s.numInputs + s.numOutputs);
      for (size_t i = 0; i < pointers.size(); ++i)
        pointers[i] = table[operands[i]];
      const Kernel &kernel = program.kernels[s.payload];
      auto begin = traceNow();
      kernel.function(pointers.data(), 0, kernel.iterations);
      record(device, pc, Trace::What::Work, begin);
      if (!kernelSucceeded(device.number, pc))
        goto stop;
      ++pc;
      break;
    }
    case StepKind::Dot:
      if ((stopAtHeavy && isHeavy(s)) || !runDot(device, pc))
        goto stop;
      ++pc;
      break;
    case StepKind::Library: {
      if (prepared.mayBlock(s) || (stopAtHeavy && isHeavy(s)))
        goto stop;
      auto begin = traceNow();
      if (llvm::Error e = callLibrary(
              device, s, 0, prepared.libraryOps[s.payload].tasks, 0)) {
        fail(device.number, pc, toString(std::move(e)));
        goto stop;
      }
      record(device, pc, Trace::What::Work, begin);
      ++pc;
      break;
    }
    case StepKind::Copy:
      if (table[operands[0]] != table[operands[1]]) {
        auto begin = traceNow();
        std::memmove(table[operands[1]], table[operands[0]],
                     program.slots[operands[0]].bytes());
        record(device, pc, Trace::What::Work, begin);
      }
      ++pc;
      break;
    case StepKind::DeviceId:
    case StepKind::ReplicaId: {
      uint32_t id = s.kind == StepKind::DeviceId
                        ? device.number % program.numPartitions
                        : device.number / program.numPartitions;
      std::memcpy(table[operands[0]], &id, sizeof id);
      ++pc;
      break;
    }
    case StepKind::Jump:
      // Every loop has a backward jump: check for failure there.
      recordJump(device, pc);
      if (s.target <= pc && failed())
        goto stop;
      pc = s.target;
      break;
    case StepKind::JumpIfFalse: {
      recordJump(device, pc);
      bool isTrue = *static_cast<const uint8_t *>(table[operands[0]]) != 0;
      if (!isTrue && s.target <= pc && failed())
        goto stop;
      pc = isTrue ? pc + 1 : s.target;
      break;
    }
    case StepKind::Switch: {
      recordJump(device, pc);
      int32_t target = switchTarget(s, table[operands[0]]);
      if (target <= pc && failed())
        goto stop;
      pc = target;
      break;
    }
    case StepKind::Return:
      device.pc = pc;
      copyResults(device);
      goto stop;
    case StepKind::Collective:
      goto stop;
    }
    ++steps;
  }
stop:
  device.pc = pc;
  device.steps += steps;
}
