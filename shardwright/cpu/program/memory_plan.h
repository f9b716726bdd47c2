//===- memory_plan.h - offsets of arena slots -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_MEMORY_PLAN_H
#define SHARDWRIGHT_CPU_PROGRAM_MEMORY_PLAN_H

#include "shardwright/cpu/program/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace shardwright::cpu {

/// Gives every arena slot an offset (multiples of 64) such that slots alive at
/// the same time never overlap, over all paths of the control flow, and sets
/// program.arenaBytes. Deterministic.
///
/// A slot is alive at a step that reads or writes it (so inputs and outputs of
/// one step never share memory, unless they are one slot), and between steps
/// where it may hold a value that may be read. Views count as their base. A
/// write to a whole slot ends what it held; a write through a view, or by a
/// step that also reads the slot, does not. A program whose indices are out of
/// range is left without offsets: Executor::create says what is wrong.
void planMemory(Program &program);

/// Steps [begin, end) at which a slot is alive, in order, not touching.
struct LiveRange {
  int32_t begin, end;
  friend bool operator==(const LiveRange &, const LiveRange &) = default;
};

/// By slot; empty for those that are not in the arena and those never used.
std::vector<llvm::SmallVector<LiveRange, 1>> liveRanges(const Program &program);

/// The most bytes alive at one step: no plan is smaller.
int64_t minimumArenaBytes(const Program &program);

/// The slot that owns the bytes of `slot`: itself unless it is a view; -1 when
/// the chain of views is broken or goes in a circle.
SlotId baseOf(const Program &program, SlotId slot);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_MEMORY_PLAN_H
