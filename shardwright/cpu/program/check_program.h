//===- check_program.h - a Program from outside -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_CHECK_PROGRAM_H
#define SHARDWRIGHT_CPU_PROGRAM_CHECK_PROGRAM_H

#include "shardwright/cpu/program/program_code.h"

#include "llvm/Support/Error.h"

namespace shardwright::cpu {

/// What a program that the compiler made has anyway, and one that was read need
/// not have: sizes that do not overflow when they are multiplied, indices that
/// Executor::create does not look at, times that are numbers. Says what is
/// wrong with the first thing that is.
llvm::Error checkProgram(const Program &program, const ProgramCode &code);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_CHECK_PROGRAM_H
