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
  mlir::LogicalResult prepare(mlir::ModuleOp module, int64_t numDevices,
                              CompileOptions &options);

private:
  std::vector<CallbackNumber> numbers;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_HOST_CALLS_H
