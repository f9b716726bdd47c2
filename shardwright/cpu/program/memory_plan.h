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

/// Assigns every arena slot an offset (a multiple of 64) such that slots alive
/// at the same time never overlap on any path of the control flow, and sets
/// program.arenaBytes. Deterministic.
///
/// A slot is alive at a step that reads or writes it (so inputs and outputs of
/// one step never share memory, unless they are one slot), and between steps
/// where it may hold a value that may be read. Views count as their base. A
/// write to a full slot ends the life of its old value; a write through a view,
/// or by a step that also reads the slot, does not. A program with indices out
/// of range gets no offsets: Executor::create reports the error.
void planMemory(Program &program);

/// Steps [begin, end) at which a slot is alive.
struct LiveRange {
  int32_t begin, end;
  friend bool operator==(const LiveRange &, const LiveRange &) = default;
};

/// Live ranges by slot, ascending and not adjacent; empty for slots that are
/// unused or not in the arena.
std::vector<llvm::SmallVector<LiveRange, 1>> liveRanges(const Program &program);

/// The most bytes alive at one step: no plan is smaller.
int64_t minimumArenaBytes(const Program &program);

/// The slot that owns the bytes of `slot`: itself unless it is a view; -1 if
/// the chain of views is invalid or cyclic.
SlotId baseOf(const Program &program, SlotId slot);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_MEMORY_PLAN_H
