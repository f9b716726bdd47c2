//===- fusion.h - which nodes become one kernel -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Consumers absorb producers, from the end of the block to its start. A
// producer that others need too may become another output of the cluster (its
// elements are computed there anyway), or is computed twice when that is nearly
// free (broadcasts, constants). kernel_plan.h decides what one kernel can do.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_FUSION_FUSION_H
#define SHARDWRIGHT_CPU_FUSION_FUSION_H

#include "shardwright/cpu/read/block_graph.h"

namespace shardwright::cpu {

/// One thing to do, in order.
struct Unit {
  enum class Kind : uint8_t {
    Kernel,
    Opaque, ///< BlockGraph::opaque[opaque]
    View,   ///< node outputs[0] is bytes of node inputs[0], from `offset` on
  };
  Kind kind;
  int32_t opaque = -1;
  int64_t offset = 0; ///< bytes
  Cluster cluster;
  /// Nodes of the block: the cluster's params and outputs, in its order.
  llvm::SmallVector<int32_t, 4> inputs, outputs;
};

/// Units in an order that respects every dependency; dead nodes are left out.
std::vector<Unit> fuse(const BlockGraph &block);

/// As early in the program as their last member, as far as dependencies allow.
std::vector<Unit> orderUnits(const BlockGraph &block, std::vector<Unit> units);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_FUSION_FUSION_H
