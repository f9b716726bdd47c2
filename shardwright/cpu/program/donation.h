//===- donation.h - reuse of argument memory for results --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_DONATION_H
#define SHARDWRIGHT_CPU_PROGRAM_DONATION_H

#include "shardwright/cpu/program/program.h"

namespace shardwright::cpu {

/// True if, on every path through the program, no step reads the argument after
/// a step has written the result, so that both may be one caller buffer. A step
/// that reads the argument and writes the result is only allowed if it is a
/// copy or its kernel allows it (KernelFacts::mayShare).
bool mayReuse(const Program &program, int32_t argument, int32_t result);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_DONATION_H
