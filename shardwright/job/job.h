//===- job.h - the processes of a job ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job is N processes, numbered from 0, that run the same programs together,
// each on its own devices. Device ids count through the processes: those of
// process 0 come first.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_JOB_H
#define SHARDWRIGHT_JOB_JOB_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardwright {

class KeyValueStore;
class Transport;

/// What a process tells the others when it joins.
struct ProcessRecord {
  int32_t numDevices = 1; ///< devices of that process
  std::string host;
  int64_t pid = 0;

  /// `process 1 (host7, pid 4711)`, for messages.
  std::string describe(int32_t process) const;
};

struct JobOptions {
  /// Devices of this process.
  int32_t numDevices = 1;
  /// What must be equal in all processes, with a name for messages, such as the
  /// build of the library and the features of the CPU.
  std::vector<std::pair<std::string, std::string>> mustAgree;

  /// `mpi`, `tcp`, `gloo`, or `auto`: MPI if a launcher of MPI has started as
  /// many processes as the job has, else TCP. Empty: SHARDWRIGHT_TRANSPORT, or
  /// auto.
  std::string engine;
  /// Process number and count, and where the processes find each other; not
  /// used by MPI unless `store` is set. numProcesses 0: from the launcher's
  /// environment.
  int32_t process = -1, numProcesses = 0;
  std::shared_ptr<KeyValueStore> store;
  /// A communicator of a caller who has initialised MPI with
  /// MPI_THREAD_MULTIPLE, as its Fortran handle (MPI_Comm_c2f); it is
  /// duplicated. -1: MPI_COMM_WORLD.
  int64_t communicator = -1;
  /// How long to wait for the others to start; 0: SHARDWRIGHT_START_TIMEOUT, or
  /// five minutes.
  std::chrono::seconds startTimeout{0};
};

class Job {
public:
  /// Joins the job; returns when all processes have joined. One process joins
  /// one job: later calls, which all processes make, return an object with the
  /// same connections and with records exchanged anew. Errors name the process
  /// that has not started, or that disagrees.
  static llvm::Expected<std::shared_ptr<Job>> open(const JobOptions &options);
  /// True if the environment names a job of more than one process (launcher.h).
  static bool isLaunched();
  virtual ~Job();

  virtual int32_t process() const = 0;
  int32_t numProcesses() const { return records.size(); }
  llvm::ArrayRef<ProcessRecord> processes() const { return records; }
  virtual Transport &transport() = 0;
  virtual llvm::StringRef engineName() const = 0;

  /// Calls of the host program; all processes make the same ones in the same
  /// order. They fail if a process is lost.
  virtual llvm::Error barrier() = 0;
  /// Returns the bytes that process `root` gives.
  virtual llvm::Expected<std::string> broadcast(int32_t root,
                                                llvm::StringRef bytes) = 0;
  /// Returns the bytes of each process, in order, in all processes.
  virtual llvm::Expected<std::vector<std::string>>
  allGather(llvm::StringRef bytes) = 0;
  /// As allGather, in process `root`; empty in the others.
  virtual llvm::Expected<std::vector<std::string>>
  gather(int32_t root, llvm::StringRef bytes) = 0;

  /// Says that a process has failed, as a service that watches the processes
  /// has found: running and later runs with it fail. Thread-safe; does not
  /// block.
  virtual void processLost(int32_t process, llvm::StringRef why) {}
  /// Leaves the job in order: waits at most five seconds for the others to do
  /// the same. Nothing of any object of the job may be called afterwards. The
  /// process may end without it after a failure. It can join a job again,
  /// but not with MPI, which starts once a process.
  virtual void leave() = 0;

protected:
  std::vector<ProcessRecord> records;
};

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_JOB_H
