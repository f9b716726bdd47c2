//===- cpu_program.h - a Program as a LoadedProgram -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to cpu/backend.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_BACKEND_CPU_PROGRAM_H
#define SHARDWRIGHT_CPU_BACKEND_CPU_PROGRAM_H

#include "shardwright/backend/host_storage.h"
#include "shardwright/cpu/backend/cpu_backend.h"
#include "shardwright/cpu/backend/device_queue.h"
#include "shardwright/cpu/execute/executor.h"
#include "shardwright/cpu/execute/merged_executors.h"

#include <atomic>
#include <map>
#include <mutex>

namespace shardwright::cpu {

inline constexpr llvm::StringLiteral backendName("cpu");

class CpuBackend final : public Backend {
public:
  CpuBackend(std::shared_ptr<ThreadPool> pool, std::vector<DeviceInfo> devices,
             std::shared_ptr<Job> job);
  ~CpuBackend() override;

  std::string description() const override;
  std::string codeIdentity() const override;
  bool isAddressable(DeviceId device) const override;
  llvm::FailureOr<std::shared_ptr<LoadedProgram>>
  compile(mlir::ModuleOp module, const ProgramOptions &options) override;
  llvm::Expected<std::shared_ptr<LoadedProgram>>
  load(llvm::StringRef bytes) override;
  llvm::Expected<std::shared_ptr<DeviceStorage>>
  allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
           MemoryPlace place) override;
  llvm::Expected<StorageTransfer> copyFromHost(const HostArray &array,
                                               MemoryPlace place) override;
  llvm::Expected<StorageTransfer>
  viewHost(const HostArray &array, MemoryPlace place,
           llvm::unique_function<void()> release) override;
  llvm::Expected<StorageTransfer> adoptHost(std::shared_ptr<void> memory,
                                            ElementType type,
                                            llvm::ArrayRef<int64_t> shape,
                                            MemoryPlace place) override;
  void drain() override { queue.drain(); }

  /// The process of each device.
  Placement placementOn(llvm::ArrayRef<DeviceId> devices) const;
  /// Numbers the launches on a list of devices with remote ones, and submits
  /// them in that order: `submit` is called under a lock.
  void launch(llvm::ArrayRef<DeviceId> devices,
              llvm::function_ref<void(const RunKey &)> submit);

  /// The pool of runs, which may outlive the backend.
  const std::shared_ptr<ThreadPool> pool;
  /// The processes that have the devices; null if all belong to this one.
  const std::shared_ptr<Job> job;
  /// For storage: refuses devices of other processes of a job.
  const HostStorage::DeviceCheck deviceCheck;
  DeviceQueue queue;
  /// For replicas that run different programs together.
  MergedExecutors mergedExecutors;

private:
  /// Which backend of this process in the job: keys of runs differ.
  const uint64_t generation;
  std::mutex launchMutex;
  std::map<uint64_t, uint64_t> launches; ///< by hash of the devices
};

/// Formats the devices in ascending order, like `devices 0-2, 5`.
std::string nameDevices(llvm::ArrayRef<DeviceId> devices);

class CpuProgram final : public LoadedProgram {
public:
  static llvm::Expected<std::shared_ptr<CpuProgram>>
  create(Program program, llvm::ArrayRef<ArgumentDonation> donations);

  llvm::StringRef backendName() const override { return cpu::backendName; }
  llvm::Expected<StartedRun> start(Backend &backend,
                                   RunRequest &request) override;
  llvm::Expected<std::shared_ptr<shardwright::GatheredRun>>
  gather(Backend &backend, llvm::ArrayRef<DeviceId> devices,
         std::optional<int32_t> only) override;
  bool runsWith(const LoadedProgram &other) const override;
  bool communicates() const override {
    return !loaded->program.collectives.empty();
  }
  void abandon(Backend &backend, llvm::ArrayRef<DeviceId> devices,
               llvm::StringRef why) override;
  MemoryStatistics memory() const override;
  CostAnalysis cost() const override;
  PeakMemory peakMemory() const override;
  std::string stepName(int32_t step) const override;
  std::vector<std::string> fusedOps(int32_t step) const override;
  StepCost stepCost(int32_t step) const override;
  std::vector<ProgramLoop> loops() const override;
  llvm::Expected<std::string> serialize() const override;

private:
  /// State needed by runs; runs in flight keep it alive when the program is
  /// destroyed.
  struct Loaded {
    Program program;
    std::vector<ArgumentDonation> donations;
    /// By argument: the result that reuses its memory, or -1.
    llvm::SmallVector<int32_t, 8> reusedBy;
    llvm::SmallVector<int64_t, 4> resultBytes;
    /// All positions are local.
    std::unique_ptr<Executor> executor;
    /// Returns the executor for a placement, made at first use.
    llvm::Expected<Executor *> executorFor(const Placement &placement);
    std::mutex mutex;
    /// By this process, and the owners of all positions.
    std::map<std::pair<int32_t, std::vector<int32_t>>,
             std::unique_ptr<Executor>>
        executors;
    /// Hashes of program_hash.h, computed at first use.
    struct Hashes {
      uint64_t program, communication;
    };
    const Hashes &hashes();
    std::once_flag areHashed;
    Hashes hashed;
    /// Duration of the last run in seconds: short runs do not change threads.
    std::atomic<double> lastSeconds{1};

    void planReuse();
  };
  struct PendingRun;
  class GatheredRun;

  using Addresses = llvm::SmallVector<DeviceBuffers, 1>;
  /// The storage of every result, by local position: the caller's, an
  /// argument's, or new memory; and the addresses for the executor.
  struct Placed {
    RunResults results;
    Addresses buffers;
  };
  llvm::Expected<Placed> place(const CpuBackend &cpu, RunRequest &request,
                               size_t numLocal) const;
  llvm::Expected<RunResults> placeResults(const CpuBackend &cpu,
                                          RunRequest &request,
                                          size_t numLocal) const;
  llvm::Expected<Addresses>
  addresses(llvm::ArrayRef<RunArgument> arguments,
            llvm::ArrayRef<std::shared_ptr<DeviceStorage>> results,
            size_t numLocal) const;
  /// Runs on the calling thread, for RunRequest::Mode::Now.
  static llvm::Error runNow(Executor &executor, const RunRequest &request,
                            const Addresses &buffers, ThreadPool &pool,
                            const RemoteOptions *remote);
  /// A run for the queue. Takes over the request.
  std::shared_ptr<PendingRun> makePending(const CpuBackend &cpu,
                                          Executor &executor,
                                          RunRequest &request,
                                          Placed placed) const;
  /// Runs on the calling thread, whose use of the devices is exclusive.
  /// Returns the failure of the run.
  static llvm::Error runHere(Loaded &loaded, Executor &executor,
                             RunRequest &request, const Addresses &buffers,
                             ThreadPool &pool, const RemoteOptions *remote);
  /// `start` on devices of which some are remote.
  llvm::Expected<StartedRun> startBetweenProcesses(CpuBackend &cpu,
                                                   Executor &executor,
                                                   const Placement &placement,
                                                   RunRequest &request);

  std::shared_ptr<Loaded> loaded;
};

/// Owns everything that a run keeps alive.
struct CpuProgram::PendingRun {
  std::shared_ptr<Loaded> loaded;
  Executor *executor = nullptr;        ///< of `loaded`
  std::optional<RemoteOptions> remote; ///< with devices of other processes
  std::shared_ptr<Job> job;
  std::shared_ptr<ThreadPool> pool;
  RunRequest request;
  Addresses buffers;
  /// Kept here, because their holders may drop them before they are ready.
  RunResults results;
  Event done;
  /// Further owners of what the executor uses.
  std::shared_ptr<const void> keepsAlive;

  /// Runs, and sets `done`. `failure`: see DeviceQueue::Work.
  void run(llvm::StringRef failure);
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_BACKEND_CPU_PROGRAM_H
