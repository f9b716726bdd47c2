//===- index_map.h - operand indices of result elements -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation is evaluated at one result index. These functions compute the
// operand indices that it needs, and the conditions (guards) under which pad,
// concatenate and windows read an operand.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PLAN_INDEX_MAP_H
#define SHARDWRIGHT_CPU_PLAN_INDEX_MAP_H

#include "shardwright/cpu/graph/kernel_graph.h"
#include "shardwright/cpu/plan/index_expr.h"

#include <optional>

namespace shardwright::cpu {

/// lo <= expr <= hi and expr is a multiple of `multiple`.
struct Guard {
  IndexExpr expr;
  int64_t lo = 0, hi = 0, multiple = 1;

  bool operator==(const Guard &o) const {
    return expr == o.expr && lo == o.lo && hi == o.hi && multiple == o.multiple;
  }
};

struct OperandIndex {
  IndexVector index;
  /// All must hold, or the operand is not read. Those that always hold are left
  /// out; `never`: one of them cannot hold.
  llvm::SmallVector<Guard, 1> guards;
  bool never = false;
};

/// Index of operand `number` for result element `index`. Not for leaves,
/// reductions, windows, scatters and sorts; for Bitcast to a wider type the
/// first of the elements that are joined. Starts of slices and gathers are the
/// operands that Opaque atoms evaluate.
OperandIndex operandIndex(const Graph &graph, int32_t node, int number,
                          const IndexVector &index, IndexSpace &space);

/// Index of a Reduce's inputs: `index` on the kept dimensions, `reduced` on the
/// others, in order.
IndexVector reduceInputIndex(const Graph &graph, int32_t node,
                             const IndexVector &index,
                             const IndexVector &reduced);
/// Sizes of the dimensions that a Reduce reduces, in order.
Shape reducedSizes(const Graph &graph, int32_t node);
OperandIndex windowInputIndex(const Graph &graph, int32_t node,
                              const IndexVector &index,
                              const IndexVector &window, IndexSpace &space);

/// The same element in row-major order of another shape.
IndexVector reshapeIndex(const IndexVector &index, llvm::ArrayRef<int64_t> from,
                         llvm::ArrayRef<int64_t> to, IndexSpace &space);

/// Where component `component` of a start is among the starts of a gather or a
/// scatter; `batch`: the index of the window, without its window dimensions.
IndexVector startsIndex(const WindowDims &dims, const Node &starts,
                        const IndexVector &batch, int64_t component);

/// Where an UpdateSlice stores element `index` of its update.
IndexVector updateIndex(const Graph &graph, int32_t node,
                        const IndexVector &index, IndexSpace &space);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PLAN_INDEX_MAP_H
