//===- cost_model.h - what communication and work cost ----------*- C++ -*-===//
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

/// How long the partitioner may think. Fast: recipes that are right for the
/// common cases. Normal: searches. Most: longer ones, and direct exchanges
/// where staged collectives would send more.
enum class Effort : uint8_t { Fast = 0, Normal = 1, Most = 2 };

/// What an exchange costs along some axes.
struct LinkCost {
  /// Fixed, of one communicating step.
  double alpha = 0;
  /// Of each byte that a device sends.
  double byte = 1;

  double of(double bytes) const { return alpha + byte * bytes; }
  /// Along both: the weaker decides.
  LinkCost with(LinkCost other) const {
    return {std::max(alpha, other.alpha), std::max(byte, other.byte)};
  }
  friend bool operator==(const LinkCost &, const LinkCost &) = default;
};

/// How much the collectives that become one (join_collectives.h) may be of.
struct JoinLimits {
  /// What collectives that do not wait for each other send is copied into one
  /// message up to this size: beyond it the copies cost more than another
  /// message.
  double packedBytes = 512 << 10;
  /// What one reduction of several operands gives: they stay alive until the
  /// last of them is there, and beyond some size there is nothing left to save.
  double reducedBytes = 32 << 20;
  /// What one gather of several operands gives, which is more than it takes.
  double gatheredBytes = 256 << 10;
};

struct CostModel {
  /// Fixed cost of one communicating step, in bytes. 0: bytes decide, and of
  /// equal bytes the fewer steps.
  double alpha = 0;
  /// Added to it where a loop repeats the step that could take place once,
  /// outside of it: by default the latency of the built-in machine
  /// (machine_model.h), so that messages count there.
  double repeated = 1e5;
  /// What a device may hold, while loops run, of what was gathered in front of
  /// them: a part of the built-in machine's memory.
  double heldBytes = 4.0 * (1 << 30);
  /// Of mesh axes that have their own; the others are as `alpha` says.
  std::map<std::string, LinkCost> links;
  /// Reading or writing one byte locally.
  double touch = 0.05;
  /// One scalar multiply-add of a contraction.
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
