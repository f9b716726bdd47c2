//===- transfer_schedule.h - schedules that hide transfers ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// List scheduling of a block: a transfer starts as soon as its operands are
// ready and its lanes are free; meanwhile the device runs nodes that do not
// depend on it, longest remaining path first. Value types; no IR.
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
  /// Compute time; zero for a transfer.
  StepTime time;
  Transfer transfer;
  bool isTransfer = false;
  /// A transfer that may overlap with computing.
  bool mayOverlap = false;
  /// Nodes that it depends on: earlier ones, without duplicates.
  llvm::SmallVector<int32_t, 3> operands;
  /// Bytes of its results, live until the last user is done.
  double bytes = 0;
};

struct ScheduleItem {
  enum What : uint8_t {
    Run,   ///< runs the node
    Start, ///< starts the transfer
    Done,  ///< the transfer has arrived
  };
  int32_t node;
  What what;
  friend bool operator==(const ScheduleItem &, const ScheduleItem &) = default;
};

struct TransferSchedule {
  std::vector<ScheduleItem> items;
  StepTime time;
  /// Maximum of the live bytes.
  double peakBytes = 0;
};

/// The nodes in the given order, without overlap.
TransferSchedule orderAsGiven(llvm::ArrayRef<ScheduleNode> nodes);

/// The fastest of several schedules whose peak memory is at most the larger of
/// `bytes` and that of the given order; the given order if none is faster. A
/// transfer that would overlap with nothing is not split.
TransferSchedule hideTransfers(llvm::ArrayRef<ScheduleNode> nodes,
                               double bytes);

/// Splits every transfer that may overlap, even without benefit.
TransferSchedule splitTransfers(llvm::ArrayRef<ScheduleNode> nodes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_TRANSFER_SCHEDULE_H
