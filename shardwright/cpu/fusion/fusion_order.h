//===- fusion_order.h - incremental topological order -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion must not create a cycle of kernels, so each step searches for a path
// from a cluster back into itself. A path only leads forward in a topological
// order, so the search can end at the position of the cluster instead of the
// end of the program. The order starts as program order and is repaired when a
// cluster forms, as in Pearce and Kelly's dynamic topological sort.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_FUSION_FUSION_ORDER_H
#define SHARDWRIGHT_CPU_FUSION_FUSION_ORDER_H

#include "shardwright/cpu/read/block_graph.h"

namespace shardwright::cpu {

class FusionOrder {
public:
  explicit FusionOrder(const BlockGraph &block);

  /// Position of a node. Positions never decrease from a node to its users, nor
  /// from an operation to its results and the next ordered operation.
  int32_t ofNode(int32_t node) const { return places[node]; }
  int32_t ofOpaque(int32_t i) const { return places[numNodes + i]; }

  /// Makes `nodes` one step. `laterNodes` and `laterOpaque` are all outside
  /// nodes and operations that depend on them and are placed no later than the
  /// last of them.
  void join(llvm::ArrayRef<int32_t> nodes, llvm::ArrayRef<int32_t> laterNodes,
            llvm::ArrayRef<int32_t> laterOpaque);

private:
  int32_t numNodes;
  /// Positions by node, then by opaque operation.
  std::vector<int32_t> places;
  /// Contents of each position: the nodes of one step, or an operation.
  std::vector<llvm::SmallVector<int32_t, 1>> steps;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_FUSION_FUSION_ORDER_H
