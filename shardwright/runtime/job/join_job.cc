//===- join_job.cc - jobs whose processes run programs --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/job/join_job.h"

#include "shardwright/cpu/backend/cpu_backend.h"

#include "llvm/ADT/STLExtras.h"

#include <sched.h>

using namespace shardwright;

llvm::Expected<std::shared_ptr<Job>> shardwright::joinJob(JobOptions options) {
  for (auto &fact : cpu::whatMustAgree())
    options.mustAgree.push_back(std::move(fact));
  return Job::open(options);
}

llvm::Expected<int> shardwright::shareOfCores(Job &job) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  llvm::StringRef own(reinterpret_cast<const char *>(&cores), sizeof cores);
  auto all = job.allGather(own);
  if (!all)
    return all.takeError();
  const std::string &host = job.processes()[job.process()].host;
  int sharers = 0;
  for (auto [record, theirs] : llvm::zip_equal(job.processes(), *all))
    sharers += record.host == host && theirs == own;
  return std::max(1, CPU_COUNT(&cores) / std::max(1, sharers));
}
