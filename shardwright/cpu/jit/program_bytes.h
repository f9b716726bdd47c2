//===- program_bytes.h - serialization of programs with code ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_JIT_PROGRAM_BYTES_H
#define SHARDWRIGHT_CPU_JIT_PROGRAM_BYTES_H

#include "shardwright/cpu/program/program.h"
#include "shardwright/support/byte_stream.h"

#include "llvm/Support/Error.h"

namespace shardwright::cpu {

/// Writes the program, its constants, and the object files of its kernels.
/// Fails if a kernel is in none of them.
llvm::Error writeProgram(const Program &program, ByteWriter &bytes);

/// Reads what writeProgram wrote and links the object files; no code is
/// generated. Checks sizes, indices, and that the machine code was compiled for
/// these operands; Executor::create checks that steps and slots are consistent.
/// The object files are trusted. The caller must have checked that the writer's
/// code runs here (build_identity.h).
llvm::Expected<Program> readProgram(ByteReader &bytes);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_PROGRAM_BYTES_H
