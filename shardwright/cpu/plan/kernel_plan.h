//===- kernel_plan.h - the loops of a kernel --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the elements of a cluster are visited. Most clusters are computed over a
// *domain*, a shape that is cut into rows and a tail (MapPlan, RowPlan,
// ColumnPlan); scatters, scans and sorts have loops of their own.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PLAN_KERNEL_PLAN_H
#define SHARDWRIGHT_CPU_PLAN_KERNEL_PLAN_H

#include "shardwright/cpu/plan/index_map.h"
#include "shardwright/cpu/plan/scan.h"

#include <variant>

namespace shardwright::cpu {

/// Nested loops over some dimensions of the domain. Adjacent dimensions are
/// merged into one loop, a *group*, where all accesses allow it.
struct LoopGroups {
  Shape sizes;             ///< of the loops, outermost first
  std::vector<Shape> dims; ///< the dimensions of each loop, outermost first
};

/// The loops over a domain: rows outside, the tail inside.
struct DomainLoops {
  LoopGroups rows, tail;
  /// Lanes of the innermost loop of the tail, a power of two; 1: scalar.
  int lanes = 1;
};

/// The tail is one vectorised loop; no reduction is computed ahead of it.
struct MapPlan : DomainLoops {
  /// True if elements are so expensive that the rest of a row is computed by
  /// one more vector, which overlaps the last one, and not by scalar code.
  bool overlaps = false;
  /// Index of the row loop along which some operands are contiguous that are
  /// not contiguous along the tail; they are transposed in blocks. -1: none.
  int transposedRow = -1;
  /// Without row loops: elements of the tail per iteration of the kernel.
  int64_t chunk = 0;
};

/// Reduce nodes by level: a level needs the results of those before it.
using ReduceLevels = std::vector<llvm::SmallVector<int32_t, 4>>;

/// Reductions of rows over the tail, followed by more loops over the tail
/// (softmax, layer norm): a row stays in the L1 cache between them.
struct RowPlan : DomainLoops {
  ReduceLevels levels;
  /// A node whose row is kept in memory between loops over the tail.
  struct Scratch {
    int32_t node;
    /// The first level whose loop computes it; levels.size(): the final loop.
    int level;
  };
  std::vector<Scratch> scratch;
};

/// Reductions over leading or middle dimensions: the tail is vectorised and
/// the loops over the reduced dimensions are inside of it.
struct ColumnPlan : DomainLoops {
  LoopGroups reduced;
  ReduceLevels levels;
  /// As in MapPlan.
  int64_t chunk = 0;
};

struct ScatterPlan {
  int32_t node;
  int lanes; ///< of the innermost window loop, if the window is large enough
};

struct ScanPlan {
  int32_t node;
  Scan scan;
  int64_t together; ///< lines computed by one iteration
};

struct SortPlan {
  int32_t node;
};

struct KernelPlan {
  std::variant<MapPlan, RowPlan, ColumnPlan, ScatterPlan, ScanPlan, SortPlan>
      loops;
  /// Iterations of the kernel function.
  int64_t iterations = 1;
  double costNs = 0; ///< estimate for the whole kernel

  /// The plan if it is a T, else null.
  template <typename T> const T *getIf() const {
    return std::get_if<T>(&loops);
  }
  /// The loops over the domain; null for scatters, scans and sorts.
  const DomainLoops *domain() const;
};

/// `maxLanes`: lanes of f32 in a vector register.
KernelPlan planKernel(const Cluster &cluster, int maxLanes);

/// The reason why fusion must not form this cluster, if there is one. A cluster
/// of a single operation is always allowed.
std::optional<std::string> whyNotFused(const Cluster &cluster);

/// True if the output and the param may share one buffer: each element of the
/// param is read for the same element of the output only.
bool mayShareBuffer(const Cluster &cluster, int output, int param);

/// Domain index from one expression for each group.
IndexVector domainIndex(llvm::ArrayRef<IndexExpr> groups,
                        llvm::ArrayRef<Shape> groupDims, IndexSpace &space);

/// The only operation of the body, if it may be computed in any order.
std::optional<Op> commutativeBody(const Body &body);
/// True if the body is log(exp(x) + exp(y)) as JAX writes it (cumlogsumexp),
/// whose identity is -inf, to the bit.
bool isLogAddExp(const Body &body);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PLAN_KERNEL_PLAN_H
