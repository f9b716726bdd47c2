//===- run_data.cc - data of a run for the functions it calls -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/run_data.h"

#include "shardwright/frontend/mesh/call_depth.h"
#include "shardwright/runtime/custom_call.h"

namespace shardwright::frontend::detail {

/// The innermost is last.
static thread_local std::vector<std::pair<int64_t, void *>> userData;

void pushUserData(int64_t type, void *object) {
  userData.push_back({type, object});
}
void popUserData() { userData.pop_back(); }

std::shared_ptr<const void> currentRunData() {
  size_t depth = callDepth();
  if (depth == 0 && userData.empty())
    return nullptr;
  auto data = std::make_shared<RunData>();
  data->depth = depth;
  if (!userData.empty()) {
    auto given = std::make_shared<::shardwright::ffi::FfiUserData>();
    given->byType.append(userData.rbegin(), userData.rend());
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
