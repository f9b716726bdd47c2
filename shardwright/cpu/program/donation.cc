//===- donation.cc - reuse of argument memory for results -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/donation.h"

#include "shardwright/cpu/program/memory_plan.h"
#include "shardwright/cpu/program/program_code.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::cpu;

/// True if step `index` may read `from` and write `to` in the same buffer.
static bool isInPlace(const Program &program, int32_t index, SlotId from,
                      SlotId to) {
  const Step &step = program.steps[index];
  const ProgramCode *code = program.code.get();
  // Other views are a part of the buffer, or have an offset.
  auto isWhole = [&](SlotId slot, SlotId of) {
    const Slot &view = program.slots[slot];
    return slot == of ||
           (view.home == Slot::Home::View && view.index == of &&
            view.offset == 0 && view.bytes() == program.slots[of].bytes());
  };
  auto mayShare = [&](int32_t output, int32_t input) {
    SlotId written = step.outputs[output], read = step.inputs[input];
    if (step.kind == StepKind::Copy)
      return isWhole(written, to) && isWhole(read, from);
    if (written != to || read != from)
      return false;
    return step.kind == StepKind::Kernel && code &&
           llvm::is_contained(code->kernels[step.payload].mayShare,
                              std::pair(output, input));
  };
  for (auto [o, output] : llvm::enumerate(step.outputs))
    for (auto [i, input] : llvm::enumerate(step.inputs))
      if (baseOf(program, output) == to && baseOf(program, input) == from &&
          !mayShare(o, i))
        return false;
  return true;
}

bool cpu::mayReuse(const Program &program, int32_t argument, int32_t result) {
  SlotId from = program.arguments[argument];
  SlotId to = baseOf(program, program.results[result]);
  if (to < 0 || program.slots[from].bytes() !=
                    program.slots[program.results[result]].bytes())
    return false;
  // A result that is copied at the end must not read a buffer that an earlier
  // copy has overwritten.
  for (SlotId other : program.results)
    if (baseOf(program, other) == from)
      return false;
  auto touches = [&](llvm::ArrayRef<SlotId> slots, SlotId base) {
    return llvm::any_of(slots,
                        [&](SlotId s) { return baseOf(program, s) == base; });
  };
  int32_t steps = program.steps.size(), lastRead = -1, firstWrite = steps;
  bool inPlaceResult = program.slots[to].home == Slot::Home::Result;
  for (int32_t i = 0; i < steps; ++i) {
    const Step &step = program.steps[i];
    if (touches(step.inputs, from))
      lastRead = i;
    if (inPlaceResult && firstWrite == steps && touches(step.outputs, to))
      firstWrite = i;
  }
  if (!inPlaceResult)
    return true;
  // A backward jump repeats all steps that it spans.
  auto span = [&](int32_t i, int32_t target) {
    if (target > i)
      return;
    if (lastRead >= target && lastRead <= i)
      lastRead = i;
    if (firstWrite >= target && firstWrite <= i)
      firstWrite = target;
  };
  for (int32_t i = 0; i < steps; ++i) {
    const Step &step = program.steps[i];
    if (step.kind == StepKind::Jump || step.kind == StepKind::JumpIfFalse)
      span(i, step.target);
    else if (step.kind == StepKind::Switch)
      for (int32_t target : program.switchTargets[step.payload])
        span(i, target);
  }
  // In a loop, one step becomes a range, and lastRead and firstWrite differ.
  return lastRead < firstWrite ||
         (lastRead == firstWrite && isInPlace(program, lastRead, from, to));
}
