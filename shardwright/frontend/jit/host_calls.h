//===- host_calls.h - calls of host functions in a module ----- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_HOST_CALLS_H
#define SHARDWRIGHT_FRONTEND_JIT_HOST_CALLS_H

#include "shardwright/compile/compile.h"
#include "shardwright/frontend/callbacks/host_callback.h"

namespace shardwright::frontend {

/// Prepares a module for `compile`: names its calls of host functions, and
/// removes the tokens from the signature of @main. Lives until the module has
/// been compiled; the executable keeps the functions.
class HostCalls {
public:
  explicit HostCalls(
      const std::vector<std::shared_ptr<const ParamObject>> &callbacks);
  /// Changes the module, and adds to the options what compilation needs.
  /// `devices`: of the program, by position. `known`: meshes of the user.
  mlir::LogicalResult prepare(mlir::ModuleOp module,
                              const std::vector<Device> &devices,
                              const std::vector<Mesh> &known,
                              CompileOptions &options);
  /// The names of the functions that the executable calls; those of programs
  /// that partitioned calls added are known after compilation.
  const std::vector<std::string> &names() const { return called; }
  /// Takes over the functions of a module that becomes a part of this one.
  void adopt(HostCalls &&part);
  /// Forgets what was taken over, once the modules of trial compilations are
  /// gone.
  void dropAdopted();

private:
  /// Those of calls of host functions; other positions are empty.
  std::vector<std::optional<CallbackNumber>> numbers;
  /// As given: of the calls that are expanded during compilation, others null.
  std::vector<std::shared_ptr<const ParamObject>> expanded;
  std::vector<std::string> called;
  /// Of `numbers` and `called`: the program's own.
  size_t ownNumbers = 0, ownNames = 0;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_HOST_CALLS_H
