//===- collective_cost.h - bytes and time of collectives --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of a collective on one device, by its best-known algorithm:
//
//                      bytes sent          rounds
//   all-gather         (n-1) L             log n
//   all-to-all         (n-1)/n L           n-1
//     or               1/2 L log n         log n
//   reduce-scatter     (n-1)/n L           log n
//   all-reduce         2 (n-1)/n L         2 log n
//   permute            L                   1
//   broadcast          L                   log n
//
// n: members of a group; L: bytes that a member holds on entry; log: to base 2,
// rounded up. The planner and the predicted step time share this table. Value
// types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_COLLECTIVE_COST_H
#define SHARDWRIGHT_PARTITION_COST_COLLECTIVE_COST_H

#include <algorithm>
#include <cstdint>

namespace shardwright {

enum class CollectiveKind : uint8_t {
  AllGather,
  AllToAll,
  ReduceScatter,
  AllReduce,
  Permute,
  Broadcast
};

/// Bytes that each device sends; `local`: bytes that it holds on entry.
double bytesSent(CollectiveKind kind, double local, int64_t members);

/// Cost of an exchange along some axes, in any unit of time.
struct LinkCost {
  /// Latency of one round.
  double alpha = 0;
  /// Cost of each byte that a device sends.
  double byte = 1;

  /// Cost of a collective among `members` devices that each send `sent` bytes.
  double of(CollectiveKind kind, double sent, int64_t members) const {
    return alpha == 0 ? byte * sent : withLatency(kind, sent, members);
  }
  /// Along both: the slower link counts.
  LinkCost with(LinkCost other) const {
    return {std::max(alpha, other.alpha), std::max(byte, other.byte)};
  }
  friend bool operator==(const LinkCost &, const LinkCost &) = default;

private:
  double withLatency(CollectiveKind kind, double sent, int64_t members) const;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_COLLECTIVE_COST_H
