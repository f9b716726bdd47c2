//===- run_context.h - what calls may know of their run ---------*- C++ -*-===//
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

/// What functions of the host that a program calls may ask of the run that
/// they are called in. It belongs to a thread: whoever starts a run sets it
/// there, the run takes it along and sets it on each thread that calls such a
/// function.
struct RunContext {
  /// The same on all devices, another for each run; the run sets it.
  int64_t id = 0;
  /// The global device at each position of the program; empty: 0, 1, 2, ...
  llvm::SmallVector<DeviceId, 8> devices;
  /// Given along by whoever started the run; kept until it ends.
  std::shared_ptr<const void> data;

  /// This thread's.
  static const RunContext &current();
  /// The global number of the device that this thread calls a function for; -1:
  /// none.
  static int32_t currentDevice();

  /// Sets that of this thread for as long as it lives, and the position in the
  /// program of the device that it works for.
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
