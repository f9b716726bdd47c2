//===- mpi_world.h - the communicator of the MPI engine ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_ENGINES_MPI_WORLD_H
#define SHARDWRIGHT_JOB_ENGINES_MPI_WORLD_H

#include "shardwright/job/engine_module.h"

#include <mpi.h>

#include <string>
#include <vector>

namespace shardwright {

/// The start and the end of MPI. Used by one thread.
struct MpiWorld {
  MPI_Comm comm = MPI_COMM_NULL;
  int32_t process = 0;
  std::vector<int> rankOf, processOf;
  bool hasInitialized = false; ///< MPI, which is finalized by who did

  /// Initializes MPI unless somebody has, makes a communicator and learns which
  /// process has which rank. Returns an error, or an empty text.
  std::string initialize(const EngineOptions &options);
  /// All processes call it.
  void finalize();

private:
  std::string exchangeRanks(const EngineOptions &options);
};

/// What MPI says of an error code.
std::string textOf(int code);

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_ENGINES_MPI_WORLD_H
