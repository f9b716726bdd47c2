//===- program_loops.h - loops of a program ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_PROGRAM_LOOPS_H
#define SHARDWRIGHT_CPU_PROGRAM_PROGRAM_LOOPS_H

#include "shardwright/backend/loop_spans.h"
#include "shardwright/cpu/program/program.h"

namespace shardwright::cpu {

/// Returns the loops of a program: each backward jump ends one, which begins at
/// its target. Loops that overlap without nesting are extended until they nest.
/// In order of begin, an enclosing loop first.
std::vector<ProgramLoop> programLoops(const Program &program);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_PROGRAM_LOOPS_H
