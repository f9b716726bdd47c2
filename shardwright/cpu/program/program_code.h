//===- program_code.h - what is known of a program's kernels ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `Program::code` points to: what running a program does not need, but
// writing it to a file or planning for it does.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_PROGRAM_CODE_H
#define SHARDWRIGHT_CPU_PROGRAM_PROGRAM_CODE_H

#include "shardwright/cpu/program/program.h"

namespace shardwright::cpu {

class LinkedCode;

struct KernelFacts {
  /// Arithmetic operations, and calls of functions such as exp among them.
  double flops = 0, transcendentals = 0;
  /// (output, input) that may be one buffer: each element is read before it is
  /// written. Of arguments and results alone.
  std::vector<std::pair<int32_t, int32_t>> mayShare;
};

struct ProgramCode {
  /// What the kernels lie in.
  std::vector<std::shared_ptr<const LinkedCode>> objects;
  /// By kernel.
  std::vector<KernelFacts> kernels;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_PROGRAM_CODE_H
