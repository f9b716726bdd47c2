//===- program_bytes.h - a Program with its code as bytes -------*- C++ -*-===//
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

/// Writes the program, its constants, and the object files that its kernels lie
/// in. Fails when a kernel is in none of them.
llvm::Error writeProgram(const Program &program, ByteWriter &bytes);

/// Reads what writeProgram wrote and links the object files; no code is
/// generated. Sizes, indices, and that the machine code is the one that was
/// compiled for these operands, are checked here; whether steps, slots and the
/// like fit together is for Executor::create to say. The object files are
/// trusted. The caller has
/// checked that code of the writer runs here (build_identity.h).
llvm::Expected<Program> readProgram(ByteReader &bytes);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_PROGRAM_BYTES_H
