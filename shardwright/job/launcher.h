//===- launcher.h - how a job was started -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_LAUNCHER_H
#define SHARDWRIGHT_JOB_LAUNCHER_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace shardwright {

/// What the environment of this process says about its job.
struct Launch {
  int32_t process = -1, numProcesses = 0; ///< 0: no job
  /// The launcher belongs to an MPI.
  bool isMpi = false;
  /// SHARDWRIGHT_RENDEZVOUS: the folder where the processes find each other.
  std::string rendezvous;
};

/// Reads the variables of mpirun (Open MPI, MPICH), srun (with MPI or
/// SHARDWRIGHT_RENDEZVOUS), or
/// SHARDWRIGHT_PROCESSES, SHARDWRIGHT_PROCESS and SHARDWRIGHT_RENDEZVOUS, which
/// come first. Fails if they are incomplete.
llvm::Expected<Launch> readLaunch();

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_LAUNCHER_H
