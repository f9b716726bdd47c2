//===- fusion_order.h - an order kept while clusters form -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusing must not make a cycle of kernels, so each step asks whether a way
// leads from a cluster back into it. Such a way only goes forward in any order
// that respects the dependencies; with one at hand the search ends where the
// cluster stands, instead of at the end of the program. The order begins as
// that of the program and is mended when a cluster forms, as in Pearce and
// Kelly's dynamic topological sort.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_FUSION_FUSION_ORDER_H
#define SHARDWRIGHT_CPU_FUSION_FUSION_ORDER_H

#include "shardwright/cpu/read/block_graph.h"

namespace shardwright::cpu {

class FusionOrder {
public:
  explicit FusionOrder(const BlockGraph &block);

  /// Never decreases from a node to its users, nor from an operation to its
  /// results and to the ordered operation after it.
  int32_t ofNode(int32_t node) const { return places[node]; }
  int32_t ofOpaque(int32_t i) const { return places[numNodes + i]; }

  /// From now on `nodes` are one step. `laterNodes` and `laterOpaque` are
  /// everything outside that depends on them and stands no later than the last
  /// of them.
  void join(llvm::ArrayRef<int32_t> nodes, llvm::ArrayRef<int32_t> laterNodes,
            llvm::ArrayRef<int32_t> laterOpaque);

private:
  int32_t numNodes;
  /// By node, then by opaque operation.
  std::vector<int32_t> places;
  /// What stands at a place: nodes that are one step, or an operation.
  std::vector<llvm::SmallVector<int32_t, 1>> steps;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_FUSION_FUSION_ORDER_H
