//===- dot.h - matrix products ----------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_DOT_DOT_H
#define SHARDWRIGHT_CPU_DOT_DOT_H

#include "shardwright/cpu/program/program.h"

#include "llvm/Support/Error.h"

namespace shardwright::cpu {

/// A checked DotSpec with normalized strides and a chosen implementation. The
/// order of the sums over k depends only on the spec, the number of tasks and
/// the instruction set of the machine. f16, bf16 and f8 accumulate in float and
/// are rounded once; integers wrap; products of pred are `or` of `and`s.
class DotPlan {
public:
  /// Fails for negative sizes or strides, sizes that overflow, and incompatible
  /// element types (complex with real).
  static llvm::Expected<DotPlan> create(const DotSpec &spec);

  /// Rough time on one thread.
  double costNs() const;
  /// Number of tasks for a program of `devices` devices: enough to share
  /// between threads, each large enough to be fast. It must not depend on the
  /// number of threads, because libraries choose the order of sums by the size
  /// of their operands.
  int64_t tasks(int64_t devices) const;
  /// Minimum number of elements of each operand.
  int64_t lhsExtent() const { return extents[0]; }
  int64_t rhsExtent() const { return extents[1]; }
  int64_t outExtent() const { return extents[2]; }

  /// Computes task `task` of `tasks`: disjoint slices of the result, split
  /// along a batch dimension, m or n. Another `tasks` may round differently. A
  /// task may be empty. Thread-safe.
  llvm::Error run(const void *lhs, const void *rhs, void *out, int64_t task = 0,
                  int64_t tasks = 1) const;

private:
  enum class Cut : uint8_t { Batch, M, N };
  /// The cheapest dimension to split: the outermost batch dimension, else the
  /// longer side of the result.
  Cut cutFor(int64_t tasks) const;

  DotSpec spec;
  int64_t batches = 1;
  int64_t extents[3] = {0, 0, 0};
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_DOT_DOT_H
