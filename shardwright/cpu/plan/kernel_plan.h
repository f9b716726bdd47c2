//===- kernel_plan.h - the loops of a kernel --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the elements of a cluster are visited. Its *domain* is a shape, cut into
// rows and a tail:
//   Map     tail = innermost loop, vectorised; nothing is reduced up front
//   Row     reductions over the tail, from rows; then more loops over the tail
//           (softmax, layer norm): a row stays in L1 between them
//   Column  reductions over leading or middle dimensions: vectorised over what
//           is innermost, reduced by a loop inside
//   Scatter, Scan, Sort   loops of their own
// Adjacent dimensions that nothing tells apart are merged into one loop (a
// *group*).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PLAN_KERNEL_PLAN_H
#define SHARDWRIGHT_CPU_PLAN_KERNEL_PLAN_H

#include "shardwright/cpu/plan/index_map.h"

namespace shardwright::cpu {

struct KernelPlan {
  enum class Kind : uint8_t { Map, Row, Column, Scatter, Scan, Sort };
  Kind kind = Kind::Map;

  /// Sizes of the merged loops, outermost first. Map: tail has one. Column:
  /// tail is the vectorised one, reduced are those inside.
  Shape rows, tail, reduced;
  /// Dimensions that each group merges (sizes, outermost first).
  std::vector<Shape> rowDims, tailDims, reducedDims;
  /// Lanes of the innermost loop, a power of two; 1: scalar.
  int lanes = 1;
  /// Map: elements are so dear that those left over at the end of a row are
  /// computed by another vector, and some twice, rather than by other code.
  bool overlaps = false;
  /// Map: index into `rows` along which some operands are contiguous although
  /// the tail is not: they are transposed by blocks. -1: none.
  int transposedRow = -1;
  /// Row and Column: reduces, by level (a level needs those before it).
  std::vector<llvm::SmallVector<int32_t, 4>> levels;
  /// Row: nodes whose row is kept in scratch, and the first level (or
  /// levels.size(), for the final loop) that computes them.
  std::vector<std::pair<int32_t, int>> scratch;

  /// Of the kernel function.
  int64_t iterations = 1;
  /// Tail elements an iteration when there are no rows; 0: all. Scan: lines.
  int64_t chunk = 0;
  double costNs = 0;

  /// For fusion: loads that are neither contiguous nor uniform in the innermost
  /// loop, and nodes evaluated at so many different indices.
  int badAccesses = 0;
  int maxVisits = 1;
};

/// `maxLanes`: of f32 in a vector register.
KernelPlan planKernel(const Cluster &cluster, int maxLanes);

/// Why fusion may not make this cluster, or none. (Any cluster that lowering
/// makes of a single operation is fine.)
std::optional<std::string> whyNotFused(const Cluster &cluster);

/// May the output's buffer be that of the param? Only if each element of the
/// param is read for the same element of the output alone.
bool mayShareBuffer(const Cluster &cluster, int output, int param);

/// Domain index from one expression for each group.
IndexVector domainIndex(llvm::ArrayRef<IndexExpr> groups,
                        llvm::ArrayRef<Shape> groupDims, IndexSpace &space);

/// Is the body one operation that may be computed in any order, on any lanes?
std::optional<Op> commutativeBody(const Body &body);
/// Is it log(exp(x) + exp(y)) as JAX writes it (cumlogsumexp)? Of that -inf
/// accumulates nothing, to the bit.
bool isLogAddExp(const Body &body);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PLAN_KERNEL_PLAN_H
