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

/// A DotSpec, checked, its strides put in order, and the way to compute it
/// chosen. Sums go over k in an order that depends only on the spec, the number
/// of tasks and the machine's instruction set. f16, bf16 and f8 accumulate in
/// float and are rounded once; integers wrap; products of pred are `or` of
/// `and`s.
class DotPlan {
public:
  /// Fails on negative sizes or strides, sizes that overflow, and element types
  /// that do not mix (complex with real).
  static llvm::Expected<DotPlan> create(const DotSpec &spec);

  /// Rough time on one thread.
  double costNs() const;
  /// In how many tasks a program for so many devices computes it: enough to
  /// share between threads, each large enough to be fast. Libraries choose how
  /// to add up by the size of what they are given, so this must not depend on
  /// the number of threads.
  int64_t tasks(int64_t devices) const;
  /// Elements that each operand must have at least.
  int64_t lhsExtent() const { return extents[0]; }
  int64_t rhsExtent() const { return extents[1]; }
  int64_t outExtent() const { return extents[2]; }

  /// Computes task `task` of `tasks`: a disjoint part of the result, cut along
  /// a batch dimension, m or n. Another number of tasks may round otherwise.
  /// The task of a number may be empty. Thread-safe.
  llvm::Error run(const void *lhs, const void *rhs, void *out, int64_t task = 0,
                  int64_t tasks = 1) const;

private:
  enum class Cut : uint8_t { Batch, M, N };
  /// Where it hurts least: the outermost batch dimension, else the longer side
  /// of the result.
  Cut cutFor(int64_t tasks) const;

  DotSpec spec;
  int64_t batches = 1;
  int64_t extents[3] = {0, 0, 0};
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_DOT_DOT_H
