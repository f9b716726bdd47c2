//===- program_hash.h - do two processes run the same program? --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_PROGRAM_HASH_H
#define SHARDWRIGHT_CPU_EXECUTE_PROGRAM_HASH_H

#include <cstdint>
#include <vector>

namespace shardwright::cpu {

struct Program;

/// Differs between programs that compute or communicate differently. Equal in
/// all processes that compile a program, although the numbers of their host
/// functions (attributes of library calls) may differ.
uint64_t hashOf(const Program &program);

/// The collective steps of a program, in an order that programs share which
/// compute differently but communicate alike: sorted by what they exchange
/// (kind, types, shapes, groups), then by step.
std::vector<int32_t> orderedCollectives(const Program &program);

/// Equal for programs of as many devices whose lists of orderedCollectives
/// exchange the same: devices may run either of them together.
uint64_t hashOfCommunication(const Program &program);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_PROGRAM_HASH_H
