//===- launcher.cc - how a job was started --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/launcher.h"

#include "shardwright/support/error.h"

#include <cstdlib>
#include <optional>

using namespace shardwright;

static std::optional<std::string> readVariable(const char *name) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return std::nullopt;
  return text;
}

static llvm::Error readNumber(const char *name, int32_t least,
                              int32_t &number) {
  std::string text = readVariable(name).value_or("");
  if (llvm::StringRef(text).getAsInteger(10, number) || number < least)
    return fail(name, " is `", text, "`: expected a number of at least ",
                least);
  return llvm::Error::success();
}

static llvm::Error checkRange(const Launch &launch, const char *name) {
  if (launch.process < launch.numProcesses)
    return llvm::Error::success();
  return fail(name, " is ", launch.process, " in a job of ",
              launch.numProcesses, " processes, which count from 0");
}

llvm::Expected<Launch> shardwright::readLaunch() {
  Launch launch;
  auto read = [&](const char *size, const char *rank) -> llvm::Error {
    if (llvm::Error error = readNumber(size, 1, launch.numProcesses))
      return error;
    if (llvm::Error error = readNumber(rank, 0, launch.process))
      return error;
    return checkRange(launch, rank);
  };
  if (readVariable("SHARDWRIGHT_PROCESSES")) {
    if (llvm::Error error =
            read("SHARDWRIGHT_PROCESSES", "SHARDWRIGHT_PROCESS"))
      return std::move(error);
    launch.rendezvous = readVariable("SHARDWRIGHT_RENDEZVOUS").value_or("");
    if (launch.rendezvous.empty())
      return fail("SHARDWRIGHT_PROCESSES is set, but SHARDWRIGHT_RENDEZVOUS is "
                  "not: expected the name of an empty folder that all "
                  "processes see");
    return launch;
  }
  // Of each launcher: the number of processes, and that of this one.
  static constexpr const char *variables[][2] = {
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, // Open MPI
      {"PMI_SIZE", "PMI_RANK"},                         // MPICH
      {"SLURM_NTASKS", "PMIX_RANK"},                    // srun --mpi=pmix
      {"SLURM_NTASKS", "PMI_RANK"},                     // srun --mpi=pmi2
  };
  for (auto [size, rank] : variables) {
    if (!readVariable(size) || !readVariable(rank))
      continue;
    if (llvm::Error error = read(size, rank))
      return std::move(error);
    launch.isMpi = true;
    return launch;
  }
  // srun without MPI. A batch script has no step, and runs one process.
  if (readVariable("SLURM_STEP_NUM_TASKS") && readVariable("SLURM_PROCID")) {
    if (llvm::Error error = read("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"))
      return std::move(error);
    launch.rendezvous = readVariable("SHARDWRIGHT_RENDEZVOUS").value_or("");
  }
  return launch;
}
