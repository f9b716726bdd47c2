//===- scan.h - windows of everything so far --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduce_window whose windows are all elements up to their own along one
// dimension (cumsum and the like) has kernels of its own: each result is the
// last one and one more element.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PLAN_SCAN_H
#define SHARDWRIGHT_CPU_PLAN_SCAN_H

#include "shardwright/cpu/graph/kernel_graph.h"

#include <optional>

namespace shardwright::cpu {

struct Scan {
  int64_t dim;
  bool fromEnd; ///< all elements from their own on
  /// Along the dimension; after it; before it.
  int64_t size, inner, outer;

  /// Lines along the dimension that are independent and side by side: lanes of
  /// a vector, or, along the innermost dimension, scalars.
  bool isVector() const { return inner > 1; }
  int64_t lines() const { return isVector() ? inner : outer; }
  /// How many of them are computed together.
  int64_t together(int maxLanes) const;
  /// Times that so many are computed.
  int64_t iterations(int64_t together) const {
    return (isVector() ? outer : 1) * ((lines() + together - 1) / together);
  }
};

std::optional<Scan> asScan(const Graph &graph, const Node &node);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PLAN_SCAN_H
