//===- executor.h - runs a Program on virtual devices -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The segment executor: resumable per-device states on one pool, a parallel-for
// over the devices while they agree on the program counter, no thread that ever
// blocks, deadlocks reported with op and devices.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTOR_H
#define SHARDWRIGHT_CPU_EXECUTOR_H

#include "shardwright/cpu/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace shardwright::cpu {

class ThreadPool;

/// Buffers of one device for one run, in the order of the program's arguments
/// and results; 64-byte aligned, owned by the caller. Devices may share
/// argument buffers.
struct DeviceBuffers {
  llvm::SmallVector<void *, 8> arguments, results;
};

struct RunStatistics {
  double seconds = 0;
  double collectiveSeconds = 0;
  int64_t steps = 0;
};

/// Runs `program` once on all its devices (buffers.size() == numDevices()) and
/// returns when every device is done. Several runs may be in flight at once.
llvm::Error execute(const Program &program,
                    llvm::ArrayRef<DeviceBuffers> buffers, ThreadPool &pool,
                    RunStatistics *statistics = nullptr);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTOR_H
