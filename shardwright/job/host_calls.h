//===- host_calls.h - calls of the host program -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_HOST_CALLS_H
#define SHARDWRIGHT_JOB_HOST_CALLS_H

#include "shardwright/job/transport.h"

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <string>
#include <vector>

namespace shardwright {

/// Collective calls of all processes of a job on its transport. Each is a run,
/// so that different calls are found as different programs are. They block.
class HostCalls {
public:
  HostCalls(Transport &transport, int32_t process, int32_t numProcesses)
      : transport(transport), self(process), count(numProcesses) {}

  /// Each process gives bytes to those processes for which `sendsTo` is true;
  /// `receivesFrom` must agree. Returns the bytes by process, the own ones too.
  /// `name` tells calls apart, like `broadcast from process 0`.
  llvm::Expected<std::vector<std::string>>
  exchange(llvm::StringRef name, llvm::StringRef bytes,
           llvm::function_ref<bool(int32_t)> sendsTo,
           llvm::function_ref<bool(int32_t)> receivesFrom);

private:
  Transport &transport;
  const int32_t self, count;
  std::atomic<uint64_t> numCalls = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_HOST_CALLS_H
