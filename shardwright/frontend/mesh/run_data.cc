//===- run_data.cc - data of a run for the functions it calls -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/run_data.h"

#include "shardwright/frontend/mesh/call_depth.h"
#include "shardwright/frontend/mesh/user_data.h"
#include "shardwright/runtime/custom_call.h"

namespace shardwright::frontend::detail {

const UserDataEntry *&innermostUserData() {
  static thread_local const UserDataEntry *innermost = nullptr;
  return innermost;
}

std::shared_ptr<const void> currentRunData(std::shared_ptr<const RunInfo> run) {
  size_t depth = callDepth();
  const UserDataEntry *innermost = innermostUserData();
  if (depth == 0 && !innermost && !run)
    return nullptr;
  auto data = std::make_shared<RunData>();
  data->depth = depth;
  data->run = std::move(run);
  if (innermost) {
    auto given = std::make_shared<::shardwright::ffi::FfiUserData>();
    for (const UserDataEntry *entry = innermost; entry; entry = entry->outer)
      given->byType.push_back({entry->type, entry->object});
    data->userData = std::move(given);
  }
  // Handlers read the base class.
  return std::shared_ptr<const ::shardwright::ffi::FfiRunData>(std::move(data));
}

size_t depthOfRun() {
  auto *data = static_cast<const ::shardwright::ffi::FfiRunData *>(
      cpu::RunContext::current().data.get());
  return data ? static_cast<const RunData *>(data)->depth : 0;
}

} // namespace shardwright::frontend::detail
