//===- cost_model.h - cost of communication and work ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time model behind every decision of the partitioner:
//
//   alpha * rounds + beta * bytes sent + touch * bytes touched + flop * flops
//
// per device. The unit is the time to send one byte over the fastest link of
// the mesh, so beta is 1 there and more along axes with slower links.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_COST_MODEL_H
#define SHARDWRIGHT_PARTITION_COST_COST_MODEL_H

#include "shardwright/partition/cost/collective_cost.h"

#include <cstdint>
#include <map>
#include <string>

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
  /// Links of mesh axes; an axis that is not listed has latency `alpha`.
  std::map<std::string, LinkCost> links;
  /// Cost of reading or writing one byte locally.
  double touch = 0.05;
  /// Cost of one scalar multiply-add of a contraction.
  double flop = 0.05;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_COST_MODEL_H
