//===- cost_model.h - cost of communication and work ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs behind every decision of the partitioner, per device. With a
// machine: seconds (predicted_seconds.h). Without one:
//
//   alpha * rounds + bytes sent + touch * bytes touched + flop * flops
//
// in units of the time to send one byte.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_COST_MODEL_H
#define SHARDWRIGHT_PARTITION_COST_COST_MODEL_H

#include "shardwright/partition/cost/collective_cost.h"

#include <cstdint>
#include <memory>

namespace shardwright {

/// How much time the partitioner spends on planning. Fast: fixed recipes for
/// the common cases. Normal: searches. Most: longer searches, and direct
/// exchanges where staged collectives would send more.
enum class Effort : uint8_t { Fast = 0, Normal = 1, Most = 2 };

struct CostModel {
  /// Latency of one communicating round, in bytes. 0: bytes decide, and the
  /// number of steps breaks ties.
  double alpha = 0;
  /// Added to the latency if a loop repeats a step that could run once outside
  /// of the loop. Default: latency of the built-in machine (machine_model.h),
  /// so that messages in loops have a cost.
  double repeated = 1e5;
  /// Bytes that a device may hold, while loops run, of values gathered in front
  /// of them: a fraction of the built-in machine's memory.
  double heldBytes = 4.0 * (1 << 30);
  /// If not null, costs are seconds on this machine, and the weights above and
  /// below are not used, but `repeated` (0) and `heldBytes`.
  std::shared_ptr<const MachineModel> machine;
  /// Cost of reading or writing one byte locally.
  double touch = 0.05;
  /// Cost of one scalar multiply-add of a contraction.
  double flop = 0.05;

  /// Machines are compared by value.
  bool operator==(const CostModel &other) const;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_COST_MODEL_H
