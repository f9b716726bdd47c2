//===- executor.h - runs a Program on virtual devices -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor keeps a resumable state per device and runs all devices on one
// pool: a parallel-for over the devices while they are at the same step. It
// never blocks a thread, and reports deadlocks with op and devices.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_H
#define SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_H

#include "shardwright/backend/trace.h"
#include "shardwright/cpu/collectives/placement.h"
#include "shardwright/cpu/program/program.h"
#include "shardwright/job/transport.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace shardwright::cpu {

class Run;
class ThreadPool;

/// Buffers of one device for one run, in the order of the program's arguments
/// and results. They are 64-byte aligned and owned by the caller. Devices may
/// share argument buffers.
struct DeviceBuffers {
  llvm::SmallVector<void *, 8> arguments, results;
};

/// What a run needs whose program has devices in other processes.
struct RemoteOptions {
  Transport *transport = nullptr;
  RunKey key;
  std::string devices; ///< for messages, like `devices 0-7`
  /// Kept until the transport no longer uses the buffers of the run; after a
  /// failure that may be longer than the run.
  std::shared_ptr<void> keepsAlive;
  /// Processes may run different programs that communicate alike
  /// (program_hash.h).
  bool mayDiffer = false;
};

/// A prepared program. It may run any number of times on the local devices of
/// its placement, from any threads.
class Executor {
public:
  /// Checks the program (indices, arity, collectives) and prepares it. It must
  /// outlive the executor.
  static llvm::Expected<std::unique_ptr<Executor>>
  create(const Program &program, Placement placement = {});
  ~Executor();

  /// The arenas and the state of one run, used again by later runs.
  using Memory = std::shared_ptr<Run>;
  llvm::Expected<Memory> takeMemory() const;

  /// Runs the program once on its local devices, with their buffers in the
  /// order of positions. Returns when every device is done or has failed.
  /// Errors name the op and the device's position. Results do not depend on the
  /// placement. `remote` is needed if some position is remote; all processes
  /// with local positions must run the program with equal keys. A run with
  /// `remote` may wait for other processes.
  llvm::Error run(llvm::ArrayRef<DeviceBuffers> buffers, ThreadPool &pool,
                  RunStatistics *statistics = nullptr, Trace *trace = nullptr,
                  const RemoteOptions *remote = nullptr) const;
  /// Runs in memory that takeMemory returned. If takeMemory fails, no buffer
  /// has been modified.
  llvm::Error run(Memory memory, llvm::ArrayRef<DeviceBuffers> buffers,
                  ThreadPool &pool, RunStatistics *statistics = nullptr,
                  Trace *trace = nullptr,
                  const RemoteOptions *remote = nullptr) const;

  /// The run as the transport knows it, for runs that fail before they start.
  /// Refers to the executor.
  RunDescription describe(const RemoteOptions &remote) const;

  struct Prepared;

private:
  explicit Executor(std::unique_ptr<Prepared> p);
  std::unique_ptr<Prepared> prepared;
};

/// Formats ascending positions as `device 3` or `devices 0-2, 5`.
std::string nameDevices(llvm::ArrayRef<int32_t> positions);

/// Prepares a program and runs it once.
llvm::Error execute(const Program &program,
                    llvm::ArrayRef<DeviceBuffers> buffers, ThreadPool &pool,
                    RunStatistics *statistics = nullptr);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_H
