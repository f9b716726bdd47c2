//===- client_job.h - the job that a client is created in -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_CLIENT_JOB_H
#define SHARDWRIGHT_PJRT_API_CLIENT_JOB_H

#include "shardwright/job/job.h"
#include "shardwright/pjrt/api/client_options.h"

namespace shardwright::pjrt {

/// What the processes of a job tell each other beside their records.
struct ClientJob {
  std::shared_ptr<Job> job;
  /// Threads of this process: the cores that it may use, divided by the number
  /// of processes that use the same ones.
  int threads = 1;
  /// By process: option `partition_index`.
  std::vector<std::optional<int64_t>> partitionIndices;
};

/// Joins the job of `options.numNodes` processes; returns when all have joined.
/// The job is left in order when this process ends.
llvm::Expected<ClientJob> joinJob(const ClientOptions &options,
                                  const PJRT_Client_Create_Args &args);
/// As above, for a job that is open.
llvm::Expected<ClientJob> joinJob(const ClientOptions &options,
                                  std::shared_ptr<Job> job);

/// A client of the devices of a job, until PJRT_Client_Destroy.
PJRT_Client *newClient(ClientJob job, const ClientOptions &options);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_CLIENT_JOB_H
