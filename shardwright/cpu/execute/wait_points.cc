//===- wait_points.cc - how long a collective may take --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices go on beside a collective between processes until a step needs its
// results, or the memory of its operands. The memory plan knows nothing of
// that: it may give the operands' memory to the next step.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/prepared_program.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::cpu;

/// True if the other step neither uses the collective's results nor writes to
/// its operands, and is no control flow.
bool Executor::Prepared::mayRunBeside(const StepInfo &collective,
                                      const StepInfo &other) const {
  switch (other.kind) {
  case StepKind::Jump:
  case StepKind::JumpIfFalse:
  case StepKind::Switch:
  case StepKind::Return:
    return false;
  default:
    if (mayBlock(other))
      return false;
  }
  auto overlap = [&](SlotId a, SlotId b) {
    const Place &p = places[a], &q = places[b];
    return p.home == q.home &&
           (p.home == Slot::Home::Arena || p.index == q.index) &&
           p.offset < q.offset + bytes(b) && q.offset < p.offset + bytes(a);
  };
  // A result may have the memory of a donated argument.
  auto mayAlias = [&](SlotId read, SlotId written) {
    return overlap(read, written) ||
           (places[read].home == Slot::Home::Argument &&
            places[written].home == Slot::Home::Result);
  };
  for (SlotId own : outputs(collective))
    for (SlotId slot :
         llvm::concat<const SlotId>(inputs(other), outputs(other)))
      if (mayAlias(slot, own) || overlap(own, slot))
        return false;
  for (SlotId own : inputs(collective))
    for (SlotId slot : outputs(other))
      if (mayAlias(own, slot))
        return false;
  return true;
}

void Executor::Prepared::findWaitPoints() {
  finishBefore.assign(steps.size(), -1);
  isWaitPoint.assign(steps.size(), false);
  for (int32_t s = 0; s < int32_t(steps.size()); ++s) {
    const StepInfo &step = steps[s];
    if (step.kind != StepKind::Collective ||
        collectives[step.payload].sharedGroups().empty())
      continue;
    int32_t end = s + 1; // a program does not end with a collective
    while (mayRunBeside(step, steps[end]))
      ++end;
    finishBefore[s] = end;
    isWaitPoint[end] = true;
  }
}
