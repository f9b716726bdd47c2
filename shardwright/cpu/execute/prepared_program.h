//===- prepared_program.h - checks and preparation of a program -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to the executor: the state that all runs of a Program share.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_PREPARED_PROGRAM_H
#define SHARDWRIGHT_CPU_EXECUTE_PREPARED_PROGRAM_H

#include "shardwright/cpu/collectives/collectives.h"
#include "shardwright/cpu/dot/dot.h"
#include "shardwright/cpu/execute/executor.h"
#include "shardwright/cpu/library/library_op.h"

#include <atomic>
#include <mutex>

namespace shardwright::cpu {

/// Memory of one device.
struct DeviceMemory {
  std::shared_ptr<void> allocation;
  /// Address of every slot. Arguments and results are set for each run; the
  /// other addresses do not change.
  std::vector<void *> table;
};

struct Executor::Prepared {
  Prepared(const Program &p, Placement placement)
      : program(p), placement(std::move(placement)) {}
  ~Prepared();
  Prepared(const Prepared &) = delete;
  Prepared &operator=(const Prepared &) = delete;

  /// Checks all properties of the program that running relies on.
  llvm::Error prepare();

  /// Returns a run that has ended, with its arenas, or a new one.
  llvm::Expected<std::shared_ptr<Run>> takeRun();
  /// Keeps a run that has ended without failure: small ones here, others where
  /// they are freed if other allocations need memory (idle_memory.h).
  void giveBack(std::shared_ptr<Run> run);

  struct StepInfo {
    StepKind kind;
    int32_t payload, target;
    int32_t operands; ///< inputs, then outputs, in `operandSlots`
    int32_t numInputs, numOutputs;
    double costNs; ///< for one device
  };
  struct Place {
    Slot::Home home; ///< of the slot that owns the bytes
    int32_t index;
    int64_t offset;
  };

  llvm::ArrayRef<SlotId> inputs(const StepInfo &s) const {
    return llvm::ArrayRef(operandSlots).slice(s.operands, s.numInputs);
  }
  llvm::ArrayRef<SlotId> outputs(const StepInfo &s) const {
    return llvm::ArrayRef(operandSlots)
        .slice(s.operands + s.numInputs, s.numOutputs);
  }
  /// Returns `stablehlo.add at file.py:12:3`, or else the kind of the step.
  std::string describeStep(int32_t step) const;
  /// True if some collective has local and remote members.
  bool hasSharedGroups() const;
  /// True if the step may wait for the host.
  bool mayBlock(const StepInfo &s) const {
    return s.kind == StepKind::Library && hostCalls[s.payload];
  }

  const Program &program;
  const Placement placement;
  int32_t numDevices = 1;   ///< of all processes
  /// With remote positions: see program_hash.h.
  uint64_t programHash = 0, communicationHash = 0;
  /// With remote positions, the collective steps by the number that messages
  /// have, and the number by step.
  std::vector<int32_t> collectiveSteps, collectiveNumbers;
  std::vector<int32_t> localPositions;
  std::vector<StepInfo> steps;
  std::vector<SlotId> operandSlots;
  std::vector<Place> places; ///< by slot
  /// Slots in buffers of the caller.
  std::vector<SlotId> callerSlots;
  /// Results that are in another slot and are copied at the end: (slot,
  /// result).
  std::vector<std::pair<SlotId, int32_t>> copiedResults;
  std::vector<DotPlan> dots;
  /// By dot: number of tasks, independent of the number of threads.
  std::vector<int64_t> dotTasks;
  std::vector<LibraryOp> libraryOps;
  /// By library op: true for host functions, which may block.
  std::vector<bool> hostCalls;
  std::vector<CollectivePlan> collectives;
  /// By step: of a collective with other processes, the step before which it
  /// must be finished, because that step uses its results or overwrites its
  /// operands, or may jump; else -1.
  std::vector<int32_t> finishBefore;
  /// By step: some collective must be finished before it.
  std::vector<bool> isWaitPoint;
  /// By step: time in ns of one device from the step to the next rendezvous,
  /// first estimated, then measured. It only affects scheduling.
  mutable std::vector<std::atomic<float>> segmentNs;

private:
  llvm::Expected<std::vector<DeviceMemory>> allocateMemory() const;
  /// Bytes of the arenas of all local devices.
  int64_t arenaBytes() const {
    return program.arenaBytes * int64_t(localPositions.size());
  }

  std::mutex idleMutex;
  llvm::SmallVector<std::shared_ptr<Run>, 4> idleRuns; ///< small ones

  int64_t bytes(SlotId slot) const { return program.slots[slot].bytes(); }
  llvm::Error checkSlots();
  llvm::Error addStep(int32_t index);
  llvm::Expected<double> checkStep(const Step &step) const;
  llvm::Expected<double> checkKernel(const Step &step) const;
  llvm::Expected<double> checkDot(const Step &step) const;
  llvm::Expected<double> checkLibraryCall(const Step &step) const;
  llvm::Error checkCollective(const Step &step) const;
  llvm::Error checkJump(const Step &step) const;
  double guessSegment(int32_t begin) const;
  void findWaitPoints();
  bool mayRunBeside(const StepInfo &collective, const StepInfo &other) const;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_PREPARED_PROGRAM_H
