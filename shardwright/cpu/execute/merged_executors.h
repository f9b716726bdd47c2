//===- merged_executors.h - executors of merged programs --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_MERGED_EXECUTORS_H
#define SHARDWRIGHT_CPU_EXECUTE_MERGED_EXECUTORS_H

#include "shardwright/cpu/execute/executor.h"
#include "shardwright/cpu/execute/merge_programs.h"

#include <list>
#include <mutex>

namespace shardwright::cpu {

/// The program that a device runs, among others that run different ones.
struct DeviceProgram {
  const Program *program = nullptr; ///< null: that of another process
  uint64_t hash = 0;                ///< hashOf(*program)
  std::shared_ptr<const void> owner;
};

/// An executor of several programs at once.
struct MergedExecutor {
  MergedProgram merged;
  std::vector<int32_t> programOf; ///< by position
  std::unique_ptr<Executor> executor;
  std::vector<std::shared_ptr<const void>> owners;
};

/// Executors of combinations of programs, kept for later runs: those of the 64
/// combinations that were used last. Thread-safe.
class MergedExecutors {
public:
  /// The executor for these programs, by position, of which at least one is
  /// local. Fails if they cannot run together (mergePrograms).
  llvm::Expected<std::shared_ptr<const MergedExecutor>>
  get(llvm::ArrayRef<DeviceProgram> programs, const Placement &placement);

private:
  using Key = std::vector<uint64_t>;
  std::mutex mutex;
  /// The most recently used first.
  std::list<std::pair<Key, std::shared_ptr<const MergedExecutor>>> kept;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_EXECUTE_MERGED_EXECUTORS_H
