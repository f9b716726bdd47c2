//===- lockstep.cc - execution of all devices in lockstep -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/run.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

/// Approximate cost of distributing work: smaller work runs on the calling
/// thread.
static constexpr double worthSharingNs = 2000;
/// Minimum time of a task.
static constexpr double taskNs = 500;
/// Estimated cost of a collective's bytes, read and written in cache.
static constexpr double nsPerByte = 0.05;

bool Run::allAtOneStep() const {
  return llvm::all_of(
      devices, [&](const Device &d) { return d.pc == devices.front().pc; });
}

Run::Outcome Run::lockstep() {
  for (;;) {
    if (waitsAt(devices.front().pc)) {
      finishDeferred(devices.front().pc);
      if (failed())
        return Outcome::Finished;
    }
    runSegment();
    if (failed())
      return Outcome::Finished;
    if (defers())
      advanceExchanges();
    if (!allAtOneStep()) {
      if (defers())
        finishDeferred(-1);
      return failed() ? Outcome::Finished : Outcome::Diverged;
    }
    int32_t step = devices.front().pc;
    if (waitsAt(step)) {
      const StepInfo &s = prepared.steps[step];
      bool isPlain = s.kind != StepKind::Collective &&
                     s.kind != StepKind::Return && !prepared.mayBlock(s) &&
                     !(splits && isHeavy(s));
      if (isPlain || mustFinishBefore(step))
        continue;
    }
    switch (prepared.steps[step].kind) {
    case StepKind::Return:
      return Outcome::Finished;
    case StepKind::Collective: {
      for (const Device &d : devices)
        if (!collectiveMayStart(d))
          return Outcome::Finished;
      auto begin = traceNow();
      runCollective(step);
      if (failed())
        return Outcome::Finished;
      for (Device &d : devices) {
        record(d, step, Trace::What::Collective, begin);
        ++d.rendezvous;
      }
      break;
    }
    default: {
      if (prepared.mayBlock(prepared.steps[step])) {
        // Each device blocks a thread of its own. A single device blocks the
        // calling thread, because only the caller waits for it.
        if (devices.size() > 1)
          return Outcome::Diverged;
        if (!callHost(devices.front()))
          return Outcome::Finished;
        break;
      }
      auto begin = traceNow();
      runSplit(step);
      for (const Device &d : devices)
        record(d, step, Trace::What::Work, begin);
      if (failed())
        return Outcome::Finished;
    }
    }
    for (Device &d : devices) {
      ++d.pc;
      ++d.steps;
    }
  }
}

void Run::runSegment() {
  std::atomic<float> &estimate = prepared.segmentNs[devices.front().pc];
  double ns = estimate.load(std::memory_order_relaxed);
  int64_t count = devices.size();
  auto measured = [&](Clock::time_point begin, int64_t n) {
    double now =
        std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
        n;
    // Exponential average with factor 1/2, so that one outlier does not decide.
    estimate.store(ns > 0 ? (ns + now) / 2 : now, std::memory_order_relaxed);
  };
  if (pool->size() == 1 || count == 1) { // the estimate decides nothing
    for (Device &d : devices)
      advance(d, splits);
    return;
  }
  if (ns * count < worthSharingNs) {
    auto begin = Clock::now();
    for (Device &d : devices)
      advance(d, splits);
    measured(begin, count);
    return;
  }
  int64_t grain = std::max<int64_t>(1, taskNs / std::max(ns, 1.0));
  pool->parallelFor(count, grain, [&](int64_t begin, int64_t end) {
    auto start = Clock::now();
    for (int64_t d = begin; d < end; ++d)
      advance(devices[d], splits);
    if (begin == 0)
      measured(start, end - begin);
  });
}

void Run::runSplit(int32_t step) {
  const StepInfo &s = prepared.steps[step];
  int64_t count = devices.size();
  const SlotId *operands = prepared.operandSlots.data() + s.operands;
  if (s.kind == StepKind::Dot) {
    int64_t tasks = prepared.dotTasks[s.payload];
    pool->parallelFor(count * tasks, 1, [&](int64_t i, int64_t) {
      Device &d = devices[i / tasks];
      if (llvm::Error e = prepared.dots[s.payload].run(
              d.table[operands[0]], d.table[operands[1]], d.table[operands[2]],
              i % tasks, tasks))
        fail(d.number, step, toString(std::move(e)));
    });
    return;
  }
  if (s.kind == StepKind::Library) {
    const LibraryCall &call = program.libraryCalls[s.payload];
    int64_t tasks = prepared.libraryOps[s.payload].tasks;
    int64_t ranges =
        std::clamp<int64_t>((pool->size() + count - 1) / count, 1, tasks);
    if (call.scratchBytes > 0)
      ranges = std::min(ranges, call.scratchCopies);
    pool->parallelFor(count * ranges, 1, [&](int64_t i, int64_t) {
      Device &d = devices[i / ranges];
      int64_t range = i % ranges;
      if (llvm::Error e = callLibrary(d, s, tasks * range / ranges,
                                      tasks * (range + 1) / ranges, range))
        fail(d.number, step, toString(std::move(e)));
    });
    return;
  }
  const Kernel &kernel = program.kernels[s.payload];
  // More tasks than threads balance their different costs.
  int64_t tasks = std::clamp<int64_t>(
      2 * pool->size() / count, 1,
      std::min<int64_t>(kernel.iterations, s.costNs / (heavyNs / 4)));
  int32_t pointerCount = s.numInputs + s.numOutputs;
  pool->parallelFor(count * tasks, 1, [&](int64_t i, int64_t) {
    Device &d = devices[i / tasks];
    int64_t task = i % tasks;
    llvm::SmallVector<void *, 24> pointers(pointerCount);
    for (int32_t k = 0; k < pointerCount; ++k)
      pointers[k] = d.table[operands[k]];
    kernel.function(pointers.data(), kernel.iterations * task / tasks,
                    kernel.iterations * (task + 1) / tasks);
    kernelSucceeded(d.number, step);
  });
}

void Run::runCollective(int32_t step) {
  auto begin = timed ? Clock::now() : Clock::time_point();
  const StepInfo &s = prepared.steps[step];
  const CollectivePlan &plan = prepared.collectives[s.payload];
  auto inputs = prepared.inputs(s), outputs = prepared.outputs(s);
  int64_t count = devices.size(), operands = inputs.size();
  // Other processes work on their part while this one runs its own groups.
  Exchanges exchanges;
  if (!plan.sharedGroups().empty())
    exchanges = startExchanges(step);
  if (failed())
    return;

  // Tasks of all devices, operands and groups are independent.
  int64_t tasks;
  llvm::unique_function<void(int64_t)> runTask;
  constexpr int64_t copyBytes = 1 << 17;
  int64_t bytes = plan.outputBytes();
  int64_t copies = (bytes + copyBytes - 1) / copyBytes;
  auto copyBlock = [&](int64_t i, int64_t blocks) {
    int64_t operand = i / blocks % operands;
    Device &target = devices[i / blocks / operands];
    int64_t offset = i % blocks * copyBytes;
    int64_t size = std::min(copyBytes, bytes - offset);
    char *to = static_cast<char *>(target.table[outputs[operand]]) + offset;
    int32_t source = plan.isPermute() ? plan.sourceOf(target.number) : -1;
    if (source < 0)
      std::memset(to, 0, size);
    else if (prepared.placement.isLocal(source))
      std::memcpy(to,
                  static_cast<const char *>(at(source).table[inputs[operand]]) +
                      offset,
                  size);
  };
  if (plan.isPermute()) {
    tasks = count * operands * copies;
    runTask = [&](int64_t i) { copyBlock(i, copies); };
  } else {
    llvm::ArrayRef<int32_t> groups = plan.localGroups();
    scratchInputs.resize(operands * count);
    scratchOutputs.resize(operands * count);
    llvm::SmallVector<int64_t, 8> firstOf(groups.size());
    int64_t next = 0;
    for (auto [g, group] : llvm::enumerate(groups)) {
      firstOf[g] = next;
      for (int32_t member : plan.groups()[group]) {
        const Device &device = at(member);
        for (int64_t k = 0; k < operands; ++k) {
          scratchInputs[k * count + next] = device.table[inputs[k]];
          scratchOutputs[k * count + next] = device.table[outputs[k]];
        }
        ++next;
      }
    }
    int64_t perGroup = groups.empty() ? 0 : plan.tasks(0),
            perOperand = perGroup * groups.size();
    tasks = perOperand * operands;
    runTask = [this, &plan, groups, firstOf, perGroup, perOperand,
               count](int64_t i) {
      int64_t k = i / perOperand, g = i % perOperand / perGroup;
      int64_t at = k * count + firstOf[g];
      plan.run(groups[g], &scratchInputs[at], &scratchOutputs[at],
               i % perGroup);
    };
    if (next < count) // some devices are in no group
      for (int64_t d = 0; d < count; ++d)
        if (plan.groupOf(devices[d].number) < 0)
          for (int64_t i = 0; i < operands * copies; ++i)
            copyBlock(d * operands * copies + i, copies);
  }

  double ns =
      nsPerByte * count * operands * (plan.inputBytes() + plan.outputBytes()) +
      20.0 * tasks;
  if (ns < worthSharingNs || pool->size() == 1) {
    for (int64_t i = 0; i < tasks; ++i)
      runTask(i);
  } else {
    int64_t grain = std::max<int64_t>(1, tasks * taskNs / ns);
    pool->parallelFor(tasks, grain, [&](int64_t first, int64_t end) {
      for (int64_t i = first; i < end; ++i)
        runTask(i);
    });
  }
  if (!exchanges.empty() && prepared.finishBefore[step] > step + 1) {
    for (auto &open : exchanges)
      remote->deferred.push_back({prepared.finishBefore[step], open});
    ++remote->overlapped;
  } else if (!exchanges.empty()) {
    finishExchanges(exchanges);
  }
  if (timed)
    collectiveNs += (Clock::now() - begin) / std::chrono::nanoseconds(1);
}
