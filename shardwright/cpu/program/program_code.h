//===- program_code.h - metadata of a program's kernels ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pointee of `Program::code`: data that running a program does not need,
// but serialization and memory planning do.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_PROGRAM_CODE_H
#define SHARDWRIGHT_CPU_PROGRAM_PROGRAM_CODE_H

#include "shardwright/cpu/program/program.h"

namespace shardwright::cpu {

class LinkedCode;

struct KernelFacts {
  /// Arithmetic operations, and the calls of functions such as exp among them.
  double flops = 0, transcendentals = 0;
  /// (output, input) pairs of results and arguments that may share a buffer,
  /// because each element is read before it is written.
  std::vector<std::pair<int32_t, int32_t>> mayShare;
};

struct ProgramCode {
  /// The object files that contain the kernels.
  std::vector<std::shared_ptr<const LinkedCode>> objects;
  /// Facts by kernel.
  std::vector<KernelFacts> kernels;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_PROGRAM_CODE_H
