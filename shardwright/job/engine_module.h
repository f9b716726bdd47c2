//===- engine_module.h - loads engines --------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine on TCP is part of the library (tcp_engine.h). The others are
// modules, `libshardwright_mpi.so` and `libshardwright_gloo.so`, beside the
// library that contains this code. They are opened in a job only, so that the
// library needs neither MPI nor Gloo.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_ENGINE_MODULE_H
#define SHARDWRIGHT_JOB_ENGINE_MODULE_H

#include "shardwright/job/engine.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>

namespace shardwright {

/// What an engine needs to connect the processes.
struct EngineOptions {
  /// Numbers in the job. MPI: -1 and 0 mean rank and size.
  int32_t process = -1, numProcesses = 0;
  /// MPI: a communicator as its Fortran handle, or -1 for MPI_COMM_WORLD.
  int64_t communicator = -1;
  /// TCP, Gloo: the address on which it listens, as a name or number.
  std::string address;
  /// TCP, Gloo: limit of a connection attempt in milliseconds.
  int64_t startTimeout = 300000;
  /// TCP, Gloo: bytes by key that all processes see. Both return false, and set
  /// `error`, if they fail.
  std::function<bool(const std::string &key, const std::string &value,
                     std::string &error)>
      put;
  std::function<bool(const std::string &key, std::string &value,
                     std::string &error)>
      get;
};

/// The function that a module exports: returns null and sets `error` if it
/// fails. `version` is engineInterfaceVersion of the caller.
using MakeEngine = Engine *(int32_t version, const EngineOptions &options,
                            std::string &error);
inline constexpr const char *makeEngineName = "shardwrightMakeEngine";
/// Changes with this file and engine.h.
inline constexpr int32_t engineInterfaceVersion = 1;

/// Connects the processes by an engine, `mpi`, `tcp` or `gloo`, whose module it
/// opens.
llvm::Expected<std::unique_ptr<Engine>>
makeEngine(llvm::StringRef name, const EngineOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_ENGINE_MODULE_H
