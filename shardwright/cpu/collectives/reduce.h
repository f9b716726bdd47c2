//===- reduce.h - reduction of several devices' buffers ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_COLLECTIVES_REDUCE_H
#define SHARDWRIGHT_CPU_COLLECTIVES_REDUCE_H

#include "shardwright/cpu/program/program.h"
#include "shardwright/job/exchange_sizes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace shardwright::cpu {

/// Reduces arrays element by element in the order of a fixed tree
/// (ReductionSubtree): n operands are split at the largest power of two below
/// n, and each part again. Results
/// of subtrees may be computed in different processes, and the bits of the
/// result do not depend on where.
///
/// Types narrower than 32 bits that are floats are reduced in float and rounded
/// once, at the root. Max and Min propagate NaN, and order -0 before +0. For
/// Pred, Add, Max and Or are `or`; Mul, Min and And are `and`.
class Reduction {
public:
  /// Fails if `type` does not support the reduction (bitwise on floats,
  /// ordering on complex numbers).
  static llvm::Expected<Reduction> create(ElementType type, ReduceKind kind);
  /// A reduction by a kernel: see CollectiveSpec::reduceKernel.
  static Reduction withKernel(ElementType type, const Kernel &kernel);

  /// Reduces elements [begin, end) of the inputs to the same elements of `out`,
  /// which overlaps no input.
  void run(const void *const *inputs, int64_t count, void *out, int64_t begin,
           int64_t end) const;

  /// The type of results of subtrees.
  ElementType accumulator() const;
  /// Reduces elements [begin, end) of the operands of a subtree to accumulators
  /// `out`[0, end - begin).
  void runSubtree(const void *const *inputs, int64_t count, void *out,
                  int64_t begin, int64_t end) const;
  /// A part of the operands of a tree, from its first element to be computed:
  /// one operand as it is, or the accumulators of a subtree of several.
  struct Part {
    int64_t count;
    const void *data;
  };
  /// Reduces the first n elements of all parts, in the order of the tree.
  void finish(llvm::ArrayRef<Part> parts, void *out, int64_t n) const;

  /// The loops of a type and an operation.
  /// Leaves: out := the tree of 1 to 4 operands, in accumulators; or
  /// out := out op that tree.
  using Leaves = void (*)(const Reduction &, const void *const *leaves,
                          int64_t count, void *out, int64_t n,
                          bool accumulates);
  /// out := out op other, both accumulators.
  using Combine = void (*)(const Reduction &, void *out, const void *other,
                           int64_t n);
  /// Rounds accumulators to elements.
  using Store = void (*)(const Reduction &, const void *sums, void *out,
                         int64_t n);
  struct Functions {
    Leaves leaves = nullptr;
    Combine combine = nullptr;
    Store store = nullptr; ///< null: accumulators are elements
  };

  ElementType type;
  ReduceKind kind;
  Functions functions;
  KernelFn kernel = nullptr;
  int64_t iterations = 0;
};

/// `add`, `max`: for messages.
llvm::StringRef str(ReduceKind kind);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_COLLECTIVES_REDUCE_H
