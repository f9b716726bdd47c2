//===- compile_options.h - compile options for other compilers --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_COMPILE_OPTIONS_H
#define SHARDWRIGHT_PJRT_CLIENT_COMPILE_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace shardwright::pjrt_client {

/// The xla.CompileOptionsProto of a program of replicas; replica i runs on the
/// plugin's device `devices[i]`.
std::string compileOptionsOfReplicas(llvm::ArrayRef<int64_t> devices);

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_COMPILE_OPTIONS_H
