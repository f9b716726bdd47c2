//===- program_test_util.h - programs for unit tests ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_PROGRAM_TEST_UTIL_H
#define SHARDWRIGHT_CPU_PROGRAM_PROGRAM_TEST_UTIL_H

#include "shardwright/cpu/program/program.h"

#include "llvm/ADT/ArrayRef.h"

namespace shardwright::cpu {

/// Appends a step; `target` is the target of a jump.
inline void step(Program &p, StepKind kind, llvm::ArrayRef<SlotId> in,
                 llvm::ArrayRef<SlotId> out, int32_t target = -1) {
  Step s;
  s.kind = kind;
  s.inputs.assign(in.begin(), in.end());
  s.outputs.assign(out.begin(), out.end());
  s.target = target;
  p.steps.push_back(s);
}

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_PROGRAM_TEST_UTIL_H
