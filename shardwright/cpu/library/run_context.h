//===- run_context.h - context of the current run ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_RUN_CONTEXT_H
#define SHARDWRIGHT_CPU_LIBRARY_RUN_CONTEXT_H

#include "shardwright/backend/device.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>

namespace shardwright::cpu {

/// The properties of a run that host functions can query while they are called.
/// The context is thread-local: the starter of a run sets it on its thread, and
/// the run sets a copy on each thread that calls a host function.
struct RunContext {
  /// Set by the run: equal on all devices, different for each run.
  int64_t id = 0;
  /// The global device at each position of the program; empty: 0, 1, 2, ...
  llvm::SmallVector<DeviceId, 8> devices;
  /// Passed by the starter of the run; kept alive until the run ends.
  std::shared_ptr<const void> data;

  /// The context of this thread.
  static const RunContext &current();
  /// The global number of the device for which this thread calls a function; -1
  /// if there is none.
  static int32_t currentDevice();

  /// Sets the context of this thread, and the position in the program of the
  /// device that it works for, during the lifetime of the Scope.
  class Scope {
  public:
    explicit Scope(const RunContext &context, int32_t position = -1);
    ~Scope();
    Scope(const Scope &) = delete;

  private:
    const RunContext *before;
    int32_t positionBefore;
  };
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LIBRARY_RUN_CONTEXT_H
