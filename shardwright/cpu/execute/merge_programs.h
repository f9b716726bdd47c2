//===- merge_programs.h - one program of several ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replicas of PyTorch/XLA may call different programs whose collectives belong
// together: the number of a replica is often a constant of its program. The
// executor runs one program on all devices, so such programs are merged: each
// device branches to the code of its own program, and the devices meet at
// collective steps that all codes share. No code is generated.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_MERGE_PROGRAMS_H
#define SHARDWRIGHT_CPU_EXECUTE_MERGE_PROGRAMS_H

#include "shardwright/cpu/program/program.h"

#include "llvm/Support/Error.h"

namespace shardwright::cpu {

/// Several programs as one.
struct MergedProgram {
  /// Its arguments and results are those of all programs, one after the other.
  /// A device uses those of its own program; the addresses of the others are
  /// not accessed, but must not be null.
  Program program;
  /// By program: its first argument and result.
  std::vector<int32_t> firstArgument, firstResult;
};

/// Merges programs of equal `hashOfCommunication`. `programOf`: by position,
/// the index of the program that its device runs. Fails if the programs
/// communicate differently or have several partitions. The generated code of
/// all programs must outlive the result.
llvm::Expected<MergedProgram>
mergePrograms(llvm::ArrayRef<const Program *> programs,
              llvm::ArrayRef<int32_t> programOf);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_MERGE_PROGRAMS_H
