//===- join_job.cc - jobs whose processes run programs --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/join_job.h"

#include "shardwright/cpu/backend/cpu_backend.h"

using namespace shardwright;

llvm::Expected<std::shared_ptr<Job>> shardwright::joinJob(JobOptions options) {
  for (auto &fact : cpu::whatMustAgree())
    options.mustAgree.push_back(std::move(fact));
  return Job::open(options);
}
