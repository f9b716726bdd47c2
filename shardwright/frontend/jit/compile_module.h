//===- compile_module.h - from a module to an executable --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_COMPILE_MODULE_H
#define SHARDWRIGHT_FRONTEND_JIT_COMPILE_MODULE_H

#include "shardwright/compile/compile.h"
#include "shardwright/frontend/jit/program.h"

namespace shardwright::frontend {

/// Compiles a module for a device list.
Expected<CompiledPtr> compileModule(const LoweredPtr &lowered,
                                    const std::vector<Device> &devices);

/// The meshes of the user in a program: those of its inputs, of its results, in
/// context and in its equations.
std::vector<Mesh> meshesOf(const LoweredProgram &lowered,
                           const std::vector<Device> &devices);
/// Replicated over the devices of a program; `known`: its meshes.
Sharding replicatedOn(const std::vector<Device> &devices,
                      const std::vector<Mesh> &known);
/// An entry of a list that may be too short. Null for row-major ones; AUTO is
/// row-major.
std::shared_ptr<const Layout>
layoutAt(const std::vector<std::optional<Layout>> &list, size_t i);
/// True if results of the program are on devices that the user chose.
bool isCommitted(const LoweredProgram &lowered,
                 const std::vector<Device> &devices,
                 const std::vector<Mesh> &known);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_COMPILE_MODULE_H
