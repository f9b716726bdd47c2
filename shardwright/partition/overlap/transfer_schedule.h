//===- transfer_schedule.h - an order that hides transfers ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// List scheduling of a block: a transfer begins as soon as its operands are
// there and its link is free, and the device computes what does not wait for
// it, the longest remaining path first. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_TRANSFER_SCHEDULE_H
#define SHARDWRIGHT_PARTITION_OVERLAP_TRANSFER_SCHEDULE_H

#include "shardwright/partition/overlap/timeline.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace shardwright {

struct ScheduleNode {
  /// What the device does itself; of a transfer, nothing.
  StepTime time;
  Transfer transfer;
  bool isTransfer = false;
  /// A transfer that may run beside computing.
  bool mayOverlap = false;
  /// Nodes that it waits for: earlier ones, each once.
  llvm::SmallVector<int32_t, 3> operands;
  /// Bytes of its results, held until the last node that uses them is done.
  double bytes = 0;
};

struct ScheduleItem {
  enum What : uint8_t {
    Run,   ///< the node, to its end
    Start, ///< of a transfer
    Done,  ///< its result is there
  };
  int32_t node;
  What what;
  friend bool operator==(const ScheduleItem &, const ScheduleItem &) = default;
};

struct TransferSchedule {
  std::vector<ScheduleItem> items;
  StepTime time;
  /// Of all results at once.
  double peakBytes = 0;
};

/// The nodes as they are, one after another.
TransferSchedule orderAsGiven(llvm::ArrayRef<ScheduleNode> nodes);

/// The best of several orders that hold no more than the larger of `bytes` and
/// what the given order holds; the given one where none takes less time. A
/// transfer beside which nothing is computed stays in one piece.
TransferSchedule hideTransfers(llvm::ArrayRef<ScheduleNode> nodes,
                               double bytes);

/// Every transfer that may is in two pieces, whatever it brings.
TransferSchedule splitTransfers(llvm::ArrayRef<ScheduleNode> nodes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_TRANSFER_SCHEDULE_H
