//===- scan.h - cumulative windows ------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduce_window whose windows are all elements up to their own along one
// A cumulative reduce_window (cumsum and the like) has windows that reach from
// each element to the start or the end of one dimension. Its kernels compute
// each result from the previous one and one more element.
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PLAN_SCAN_H
#define SHARDWRIGHT_CPU_PLAN_SCAN_H

#include "shardwright/cpu/graph/kernel_graph.h"

#include <optional>

namespace shardwright::cpu {

struct Scan {
  int64_t dim;
  bool fromEnd; ///< window i starts at element i; else it ends there
  /// Sizes along, after and before the dimension.
  int64_t size, inner, outer;

  /// Independent adjacent lines along the dimension: lanes of a vector, or
  /// scalars along the innermost dimension.
  bool isVector() const { return inner > 1; }
  int64_t lines() const { return isVector() ? inner : outer; }
  /// Number of lines computed together.
  int64_t together(int maxLanes) const;
  /// Number of iterations if `together` lines are computed together.
  int64_t iterations(int64_t together) const {
    return (isVector() ? outer : 1) * ((lines() + together - 1) / together);
  }
};

std::optional<Scan> asScan(const Graph &graph, const Node &node);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PLAN_SCAN_H
