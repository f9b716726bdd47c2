//===- mpi_world.cc - the communicator of the MPI engine ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/engines/mpi_world.h"

using namespace shardwright;

std::string shardwright::textOf(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

std::string MpiWorld::initialize(const EngineOptions &options) {
  int isInitialized = 0, isFinalized = 0, level = 0;
  MPI_Initialized(&isInitialized);
  MPI_Finalized(&isFinalized);
  if (isFinalized)
    return "MPI has been finalized in this process";
  if (isInitialized) {
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
      return "MPI has been initialized without MPI_THREAD_MULTIPLE";
  } else {
    if (options.communicator != -1)
      return "a communicator was given, but MPI is not initialized";
    if (int code =
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level))
      return "MPI_Init_thread: " + textOf(code);
    hasInitialized = true;
  }
  std::string error = exchangeRanks(options);
  if (!error.empty() && hasInitialized)
    MPI_Finalize();
  return error;
}

/// Makes a communicator and learns which process has which rank.
std::string MpiWorld::exchangeRanks(const EngineOptions &options) {
  MPI_Comm from = options.communicator == -1
                      ? MPI_COMM_WORLD
                      : MPI_Comm_f2c(MPI_Fint(options.communicator));
  int size = 0, rank = 0;
  MPI_Comm_size(from, &size);
  if (options.numProcesses && size != options.numProcesses)
    return "MPI has " + std::to_string(size) + " processes where the job has " +
           std::to_string(options.numProcesses) +
           ": the launcher belongs to another MPI than the one that is loaded";
  if (int code = MPI_Comm_dup(from, &comm))
    return "MPI_Comm_dup: " + textOf(code);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  int own = options.process >= 0 ? options.process : rank;
  processOf.assign(size, -1);
  rankOf.assign(size, -1);
  if (int code =
          MPI_Allgather(&own, 1, MPI_INT, processOf.data(), 1, MPI_INT, comm))
    return "MPI_Allgather: " + textOf(code);
  for (int r = 0; r < size; ++r) {
    if (processOf[r] < 0 || processOf[r] >= size || rankOf[processOf[r]] != -1)
      return "rank " + std::to_string(r) + " of MPI is process " +
             std::to_string(processOf[r]) +
             " of the job: expected each number from 0 to " +
             std::to_string(size - 1) + " once";
    rankOf[processOf[r]] = r;
  }
  void *bound = nullptr;
  int isSet = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void *>(&bound), &isSet);
  if (isSet && *static_cast<int *>(bound) <= (1 << 24))
    return "MPI has tags up to " + std::to_string(*static_cast<int *>(bound)) +
           " only";
  process = own;
  return "";
}

void MpiWorld::finalize() {
  MPI_Comm_free(&comm);
  if (hasInitialized)
    MPI_Finalize();
}
