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

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace shardwright {

/// How much time the partitioner spends on planning. Fast: fixed recipes for
/// the common cases. Normal: searches. Most: longer searches, and direct
/// exchanges where staged collectives would send more.
enum class Effort : uint8_t { Fast = 0, Normal = 1, Most = 2 };

/// Cost of an exchange along some axes.
struct LinkCost {
  /// Latency of one communicating step.
  double alpha = 0;
  /// Cost of each byte that a device sends.
  double byte = 1;

  double of(double bytes) const { return alpha + byte * bytes; }
  /// Along both: the slower link counts.
  LinkCost with(LinkCost other) const {
    return {std::max(alpha, other.alpha), std::max(byte, other.byte)};
  }
  friend bool operator==(const LinkCost &, const LinkCost &) = default;
};

struct CostModel {
  /// Latency of one communicating step, in bytes. 0: bytes decide, and the
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

  /// Bytes sent per device, L = local bytes on entry, n = group size.
  static double allGather(double l, int64_t n) { return l * double(n - 1); }
  static double allToAll(double l, int64_t n) {
    return l * double(n - 1) / double(n);
  }
  static double reduceScatter(double l, int64_t n) { return allToAll(l, n); }
  static double allReduce(double l, int64_t n) { return 2 * allToAll(l, n); }
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_COST_MODEL_H
