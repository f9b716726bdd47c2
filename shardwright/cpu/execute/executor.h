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

#ifndef SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_H
#define SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_H

#include "shardwright/backend/trace.h"
#include "shardwright/cpu/collectives/placement.h"
#include "shardwright/cpu/program/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace shardwright::cpu {

class ThreadPool;

/// Buffers of one device for one run, in the order of the program's arguments
/// and results; 64-byte aligned, owned by the caller. Devices may share
/// argument buffers.
struct DeviceBuffers {
  llvm::SmallVector<void *, 8> arguments, results;
};

/// Memory of one device, kept from run to run.
struct DeviceMemory {
  std::shared_ptr<void> allocation;
  /// Address of every slot. Those of arguments and results are set for each
  /// run; the rest stays.
  std::vector<void *> table;
};

/// A program made ready to run on the local devices of a placement, any number
/// of times and from any threads.
class Executor {
public:
  /// Checks the program (indices, arity, collectives) and prepares it. It must
  /// outlive the executor. A collective whose group has local and remote
  /// members is an error: no data moves between processes yet.
  static llvm::Expected<std::unique_ptr<Executor>>
  create(const Program &program, Placement placement = {});
  ~Executor();

  /// The arenas of one run.
  using Memory = std::vector<DeviceMemory>;
  llvm::Expected<Memory> takeMemory() const;

  /// Runs the program once on its local devices, whose buffers are given in the
  /// order of positions, and returns when every device is done or has failed.
  /// Errors name the op and the device's position. Results do not depend on the
  /// placement.
  llvm::Error run(llvm::ArrayRef<DeviceBuffers> buffers, ThreadPool &pool,
                  RunStatistics *statistics = nullptr,
                  Trace *trace = nullptr) const;
  /// The same in memory that was taken before: nothing of the buffers has been
  /// touched when there is not enough of it.
  llvm::Error run(Memory memory, llvm::ArrayRef<DeviceBuffers> buffers,
                  ThreadPool &pool, RunStatistics *statistics = nullptr,
                  Trace *trace = nullptr) const;

  struct Prepared;

private:
  explicit Executor(std::unique_ptr<Prepared> p);
  std::unique_ptr<Prepared> prepared;
};

/// Prepares and runs once.
llvm::Error execute(const Program &program,
                    llvm::ArrayRef<DeviceBuffers> buffers, ThreadPool &pool,
                    RunStatistics *statistics = nullptr);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_H
