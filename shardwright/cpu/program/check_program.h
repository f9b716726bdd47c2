//===- check_program.h - checks of programs read from outside ---*- C++ -*-===//
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

/// Checks the properties that every compiled program has, but a program read
/// from bytes may lack: products of sizes do not overflow, indices that
/// Executor::create does not check are valid, and times are numbers. Reports
/// the first error.
llvm::Error checkProgram(const Program &program, const ProgramCode &code);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_CHECK_PROGRAM_H
