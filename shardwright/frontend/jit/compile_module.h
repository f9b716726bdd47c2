//===- compile_module.h - from a module to an executable --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_COMPILE_MODULE_H
#define SHARDWRIGHT_FRONTEND_JIT_COMPILE_MODULE_H

#include "shardwright/frontend/jit/program.h"

namespace shardwright::frontend {

/// Compiles a module for a device list.
Expected<CompiledPtr> compileModule(const LoweredPtr &lowered,
                                    const std::vector<Device> &devices);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_COMPILE_MODULE_H
