//===- host_target.h - the machine that this process runs on ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_JIT_HOST_TARGET_H
#define SHARDWRIGHT_CPU_JIT_HOST_TARGET_H

#include "shardwright/cpu/codegen/kernel_emitter.h"

namespace shardwright::cpu {

/// The machine that this process runs on. The first call initialises LLVM's
/// code generator for it and loads the libraries that generated code calls.
const TargetInfo &hostTarget();

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_HOST_TARGET_H
