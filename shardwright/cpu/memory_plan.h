//===- memory_plan.h - offsets of arena slots -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_MEMORY_PLAN_H
#define SHARDWRIGHT_CPU_MEMORY_PLAN_H

#include "shardwright/cpu/program.h"

namespace shardwright::cpu {

/// Gives every arena slot an offset (multiples of 64) such that slots alive at
/// the same time never overlap, over all paths of the control flow, and sets
/// program.arenaBytes. Deterministic.
void planMemory(Program &program);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_MEMORY_PLAN_H
