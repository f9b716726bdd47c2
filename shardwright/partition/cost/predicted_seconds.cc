//===- predicted_seconds.cc - time of collectives and kernels -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/predicted_seconds.h"

namespace shardwright {

/// Bytes of the results of a collective, and those that combining reads.
static double bytesTouched(CollectiveKind kind, double local, int64_t members) {
  switch (kind) {
  case CollectiveKind::AllGather:
    return local * double(members);
  case CollectiveKind::ReduceScatter:
    return local / double(members) + bytesSent(kind, local, members);
  case CollectiveKind::AllReduce:
  case CollectiveKind::Reduce:
    return local + bytesSent(CollectiveKind::ReduceScatter, local, members);
  case CollectiveKind::AllToAll:
  case CollectiveKind::Permute:
  case CollectiveKind::Broadcast:
    return local;
  }
  return local;
}

double collectiveSeconds(const MachineModel &machine, CollectiveKind kind,
                         double local, int64_t members, const LinkModel &link,
                         int64_t near) {
  bool isPermute = kind == CollectiveKind::Permute;
  if (members < 2 && !isPermute)
    return 0;
  double touched = machine.memorySeconds(bytesTouched(kind, local, members));
  if (near < 0)
    near = members;
  if (near < 2 && !isPermute)
    return touched;
  double rate = isPermute ? link.bytesPerSecond : link.totalBytesPerSecond();
  return costOfRounds(kind, bytesSent(kind, local, near), near,
                      link.latencySeconds, 1 / rate, link.isShared) +
         touched;
}

double kernelSeconds(const MachineModel &machine, const KernelWork &work) {
  double launch = work.isLaunched ? machine.operationSeconds : 0;
  if (work.isContraction)
    launch += machine.contractionSeconds;
  double operations = work.operations * machine.shareOfColumns(work.columns);
  return launch + std::max(operations / work.operationsPerSecond,
                           machine.memorySeconds(work.bytes));
}

} // namespace shardwright
