//===- build_identity.h - which code is this --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_JIT_BUILD_IDENTITY_H
#define SHARDWRIGHT_CPU_JIT_BUILD_IDENTITY_H

#include "llvm/Support/Error.h"

#include <string>

namespace shardwright::cpu {

/// Hex digits that the linker gave to the library or program that holds this
/// code; empty when it gave none. Another build, other digits.
const std::string &buildIdentity();

/// What machine code depends on.
struct CodeTarget {
  /// Of the interface between generated code and the runtime, and of LLVM.
  std::string version;
  std::string triple;
  /// LLVM's names, `+avx2,-sse4a`, sorted.
  std::string cpu, features;
};
/// Of this process.
const CodeTarget &codeTarget();
/// Fails when code made for `target` cannot run in this process; says why.
llvm::Error checkRunsHere(const CodeTarget &target);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_BUILD_IDENTITY_H
