//===- prepared_program.h - a program checked and ready to run --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to the executor: what it computes once for all runs of a Program.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_PREPARED_PROGRAM_H
#define SHARDWRIGHT_CPU_EXECUTE_PREPARED_PROGRAM_H

#include "shardwright/cpu/collectives/collectives.h"
#include "shardwright/cpu/dot/dot.h"
#include "shardwright/cpu/execute/executor.h"
#include "shardwright/cpu/library/library_op.h"

#include <atomic>

namespace shardwright::cpu {

struct Executor::Prepared {
  Prepared(const Program &p, Placement placement)
      : program(p), placement(std::move(placement)) {}
  ~Prepared();
  Prepared(const Prepared &) = delete;
  Prepared &operator=(const Prepared &) = delete;

  /// Checks everything that running relies on.
  llvm::Error prepare();

  /// One DeviceMemory a local device: from an earlier run (idle_memory.h), or
  /// new.
  llvm::Expected<std::vector<DeviceMemory>> takeMemory();
  void giveBack(std::vector<DeviceMemory> memory);

  struct StepInfo {
    StepKind kind;
    int32_t payload, target;
    int32_t operands; ///< inputs, then outputs, in `operandSlots`
    int32_t numInputs, numOutputs;
    double costNs; ///< of one device
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
  /// `stablehlo.add at file.py:12:3`, or what kind of step it is.
  std::string describeStep(int32_t step) const;
  /// It may wait for the host.
  bool mayBlock(const StepInfo &s) const {
    return s.kind == StepKind::Library && hostCalls[s.payload];
  }

  const Program &program;
  const Placement placement;
  int32_t numDevices = 1; ///< of all processes
  std::vector<int32_t> localPositions;
  std::vector<StepInfo> steps;
  std::vector<SlotId> operandSlots;
  std::vector<Place> places; ///< by slot
  /// Slots whose address is the caller's, or within it.
  std::vector<SlotId> callerSlots;
  /// Results that live elsewhere and are copied at the end: (slot, result).
  std::vector<std::pair<SlotId, int32_t>> copiedResults;
  std::vector<DotPlan> dots;
  /// By dot: in how many tasks it is computed, on any number of threads.
  std::vector<int64_t> dotTasks;
  std::vector<LibraryOp> libraryOps;
  /// By library op: a function of the host, which may wait for anything.
  std::vector<bool> hostCalls;
  std::vector<CollectivePlan> collectives;
  /// By step: time of one device from there to the next rendezvous, in ns; a
  /// guess at first, then measured. It decides only who does the work.
  mutable std::vector<std::atomic<float>> segmentNs;

private:
  int64_t bytes(SlotId slot) const { return program.slots[slot].bytes(); }
  llvm::Error checkSlots();
  llvm::Error addStep(int32_t index);
  llvm::Expected<double> checkStep(const Step &step) const;
  llvm::Expected<double> checkKernel(const Step &step) const;
  llvm::Expected<double> checkDot(const Step &step) const;
  llvm::Expected<double> checkLibraryCall(const Step &step) const;
  llvm::Error checkCollective(const Step &step) const;
  llvm::Error checkIsLocal(const CollectivePlan &plan) const;
  llvm::Error checkJump(const Step &step) const;
  double guessSegment(int32_t begin) const;
};

/// `device 3`, `devices 0-2, 5`; the positions are ascending.
std::string nameDevices(llvm::ArrayRef<int32_t> positions);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_PREPARED_PROGRAM_H
