//===- exchange_sizes.h - bytes of collectives between processes *- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of the messages of a collective whose group has members in several
// processes. The executor (cpu/collectives/exchange.h) and the cost model
// (partition/cost/process_traffic.h) share these rules. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_EXCHANGE_SIZES_H
#define SHARDWRIGHT_JOB_EXCHANGE_SIZES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace shardwright {

/// A subtree of a reduction of several operands. The reduction is a fixed tree:
/// n operands are split at the largest power of two below n, and each part
/// again.
struct ReductionSubtree {
  int32_t first, count; ///< operands
  int32_t owner;
};
/// The largest power of two below n; n is at least 2.
int64_t leftOperands(int64_t n);
/// The largest subtrees whose operands all have the same owner, in order.
std::vector<ReductionSubtree> ownedSubtrees(llvm::ArrayRef<int32_t> owners);

/// Of the largest subtrees that lie in a part of the operands, how many have
/// one operand, and how many have several.
struct SubtreeCounts {
  int64_t ofOne = 0, ofSeveral = 0;
  friend bool operator==(const SubtreeCounts &,
                         const SubtreeCounts &) = default;
};
/// For operands [first, first + count) of n. Logarithmic in n.
SubtreeCounts countSubtrees(int64_t n, int64_t first, int64_t count);

/// True if an all_reduce of an operand of so many bytes takes two rounds: each
/// process finishes one slice of the elements, and sends it to the others.
/// Otherwise each process finishes all elements.
inline bool takesTwoRounds(int64_t bytes) { return bytes >= (32 << 10); }
/// The elements [first, second) that process `rank` of `processes` finishes in
/// an all_reduce of two rounds.
std::pair<int64_t, int64_t> sliceOfProcess(int64_t elements, int64_t rank,
                                           int64_t processes);

/// One operand of a collective of a group.
struct ExchangeShape {
  enum class Kind : uint8_t {
    AllReduce,
    ReduceScatter,
    AllGather,
    AllToAll,
    Broadcast
  };
  Kind kind;
  int64_t elements; ///< of one member's operand
  int64_t width;    ///< bytes of an element
  int64_t sumWidth; ///< of the result of a subtree of several operands

  int64_t bytes() const { return elements * width; }
};

/// The part of one process in a group that has members in several processes.
struct GroupShare {
  int64_t members = 1;    ///< of the group
  int64_t ownMembers = 1; ///< in this process
  int64_t processes = 1;  ///< that have members
  int64_t rank = 0;       ///< of this process among them, ascending
  SubtreeCounts subtrees; ///< of this process
  bool hasRoot = false;   ///< owns the first member, which broadcasts
  friend bool operator==(const GroupShare &, const GroupShare &) = default;
};

/// What a process sends to all others of the group in one round; rounds wait
/// for the ones before. Messages of a round have the same size, up to the
/// uneven slices of an all_reduce.
struct ExchangeRound {
  int64_t messages = 0, bytes = 0;
};
llvm::SmallVector<ExchangeRound, 2>
roundsToProcesses(const ExchangeShape &shape, const GroupShare &share);
/// Bytes of all rounds.
int64_t bytesToProcesses(const ExchangeShape &shape, const GroupShare &share);

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_EXCHANGE_SIZES_H
