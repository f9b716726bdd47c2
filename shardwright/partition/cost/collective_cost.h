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
//   reduce             (n-1)/n L           log n
//   permute            L                   1
//   broadcast          L                   log n
//
// n: members of a group; L: bytes that a member holds on entry; log: to base 2,
// rounded up. The planner and the predicted step time share this table, and the
// links over which it is evaluated (predicted_seconds.h). Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_COLLECTIVE_COST_H
#define SHARDWRIGHT_PARTITION_COST_COLLECTIVE_COST_H

#include <algorithm>
#include <cstdint>

namespace shardwright {

struct MachineModel;

enum class CollectiveKind : uint8_t {
  AllGather,
  AllToAll,
  ReduceScatter,
  AllReduce,
  Reduce,
  Permute,
  Broadcast
};

/// Bytes that each device sends; `local`: bytes that it holds on entry.
double bytesSent(CollectiveKind kind, double local, int64_t members);

/// The link of a device to its neighbours along a mesh axis.
struct LinkModel {
  /// Bandwidth in one direction.
  double bytesPerSecond = 1e11;
  /// Time until the first byte arrives: the latency of one exchange round.
  double latencySeconds = 1e-6;
  /// 2: a device sends to both neighbours along the axis at the same time.
  int32_t directions = 1;
  /// The devices read each other's memory: every collective takes one round.
  bool isShared = false;

  double totalBytesPerSecond() const { return bytesPerSecond * directions; }
  /// Over both axes at once: that of the slowest.
  LinkModel with(const LinkModel &other) const {
    return {std::min(bytesPerSecond, other.bytesPerSecond),
            std::max(latencySeconds, other.latencySeconds),
            std::min(directions, other.directions), isShared && other.isShared};
  }
  friend bool operator==(const LinkModel &, const LinkModel &) = default;
};

/// Cost of an exchange along some axes: in bytes of the fastest link without a
/// machine, otherwise in seconds.
struct LinkCost {
  /// Latency of one round.
  double alpha = 0;
  /// Cost of each byte that a device sends. With a machine both are lower
  /// bounds.
  double byte = 1;
  /// If not null, the machine, and its weakest link along the axes.
  const MachineModel *machine = nullptr;
  LinkModel link = {};

  static LinkCost onMachine(const MachineModel &machine,
                            const LinkModel &link) {
    return {link.latencySeconds, 1 / link.totalBytesPerSecond(), &machine,
            link};
  }
  /// Cost of a collective among `members` devices that each hold `local` bytes
  /// on entry and send `sent` bytes on average.
  double of(CollectiveKind kind, double local, double sent,
            int64_t members) const {
    if (machine)
      return ofMachine(kind, local, members);
    return alpha == 0 ? byte * sent : withLatency(kind, sent, members);
  }
  /// Along both: the slower link counts. Of a link without a machine that costs
  /// nothing, the other.
  LinkCost with(const LinkCost &other) const {
    if (machine && other.machine)
      return onMachine(*machine, link.with(other.link));
    if (machine || other.machine)
      return machine ? *this : other;
    return {std::max(alpha, other.alpha), std::max(byte, other.byte)};
  }
  friend bool operator==(const LinkCost &, const LinkCost &) = default;

private:
  double withLatency(CollectiveKind kind, double sent, int64_t members) const;
  double ofMachine(CollectiveKind kind, double local, int64_t members) const;
};

/// Rounds times latency plus bytes times their cost, by the table above; for an
/// all-to-all, the cheaper of the two. `isShared`: one round.
double costOfRounds(CollectiveKind kind, double sent, int64_t members,
                    double latency, double byte, bool isShared = false);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_COLLECTIVE_COST_H
