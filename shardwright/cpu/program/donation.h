//===- donation.h - may a result take the memory of an argument -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_DONATION_H
#define SHARDWRIGHT_CPU_PROGRAM_DONATION_H

#include "shardwright/cpu/program/program.h"

namespace shardwright::cpu {

/// Nothing reads the argument once something has written the result, on any way
/// through the program: both may be one buffer of the caller. A step that does
/// both counts against it, unless it copies the one to the other or its kernel
/// allows it (KernelFacts::mayShare).
bool mayReuse(const Program &program, int32_t argument, int32_t result);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_DONATION_H
