//===- collective_cost.cc - bytes, rounds and time of collectives ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/collective_cost.h"

#include "shardwright/partition/cost/predicted_seconds.h"

#include <cmath>

namespace shardwright {

double bytesSent(CollectiveKind kind, double local, int64_t members) {
  double n = double(members);
  switch (kind) {
  case CollectiveKind::AllGather:
    return local * (n - 1);
  case CollectiveKind::AllToAll:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Reduce:
    return local * (n - 1) / n;
  case CollectiveKind::AllReduce:
    return 2 * (local * (n - 1) / n);
  case CollectiveKind::Permute:
  case CollectiveKind::Broadcast:
    return local;
  }
  return local;
}

double costOfRounds(CollectiveKind kind, double sent, int64_t members,
                    double latency, double byte, bool isShared) {
  if (isShared)
    return latency + byte * sent;
  double n = double(members), logRounds = std::ceil(std::log2(n));
  switch (kind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Reduce:
  case CollectiveKind::Broadcast:
    return latency * logRounds + byte * sent;
  case CollectiveKind::AllReduce:
    return latency * 2 * logRounds + byte * sent;
  case CollectiveKind::Permute:
    return latency + byte * sent;
  case CollectiveKind::AllToAll: {
    // In each of log n rounds, half of what a device holds is sent.
    double local = members > 1 ? sent * n / (n - 1) : 0;
    return std::min(latency * (n - 1) + byte * sent,
                    logRounds * (latency + byte * local / 2));
  }
  }
  return byte * sent;
}

double LinkCost::withLatency(CollectiveKind kind, double sent,
                             int64_t members) const {
  return costOfRounds(kind, sent, members, alpha, byte);
}

double LinkCost::ofMachine(CollectiveKind kind, double local,
                           int64_t members) const {
  return collectiveSeconds(*machine, kind, local, members, link);
}

} // namespace shardwright
