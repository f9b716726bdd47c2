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
// per device. The unit is the time to send one byte, so beta is 1.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_MODEL_H
#define SHARDWRIGHT_PARTITION_COST_MODEL_H

#include <cstdint>

namespace shardwright {

/// How long the partitioner may think. Fast: recipes that are right for the
/// common cases. Normal: searches. Most: longer ones, and direct exchanges
/// where staged collectives would send more.
enum class Effort : uint8_t { Fast = 0, Normal = 1, Most = 2 };

struct CostModel {
  /// Fixed cost of one communicating step, in bytes. 0: bytes decide, and of
  /// equal bytes the fewer steps.
  double alpha = 0;
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

#endif // SHARDWRIGHT_PARTITION_COST_MODEL_H
