//===- process_record.cc - descriptions of processes ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/job.h"

using namespace shardwright;

Job::~Job() = default;

std::string ProcessRecord::describe(int32_t process) const {
  return "process " + std::to_string(process) + " (" + host + ", pid " +
         std::to_string(pid) + ")";
}
