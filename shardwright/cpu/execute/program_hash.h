//===- program_hash.h - do two processes run the same program? --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_PROGRAM_HASH_H
#define SHARDWRIGHT_CPU_EXECUTE_PROGRAM_HASH_H

#include <cstdint>

namespace shardwright::cpu {

struct Program;

/// Differs between programs that compute or communicate differently. Equal in
/// all processes that compile a program, although the numbers of their host
/// functions (attributes of library calls) may differ.
uint64_t hashOf(const Program &program);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_PROGRAM_HASH_H
