//===- join_job.h - jobs whose processes run programs -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_JOB_JOIN_JOB_H
#define SHARDWRIGHT_RUNTIME_JOB_JOIN_JOB_H

#include "shardwright/job/job.h"

namespace shardwright {

/// Job::open, which also requires that all processes have the same build of the
/// library and CPUs with the same features: results would differ otherwise.
/// Client(job) then has the devices of all processes.
llvm::Expected<std::shared_ptr<Job>> joinJob(JobOptions options);

/// Threads for this process: the cores that it may use, divided among the
/// processes of its host that may use the same ones; at least 1. All processes
/// call it together.
llvm::Expected<int> shareOfCores(Job &job);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_JOB_JOIN_JOB_H
