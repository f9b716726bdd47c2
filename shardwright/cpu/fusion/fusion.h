//===- fusion.h - fusion of nodes into kernels ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Consumers absorb producers, from the end of the block to its start. A
// producer with other users becomes another output of the cluster (its elements
// are computed there anyway), or is computed twice if that is nearly free
// (broadcasts, constants). kernel_plan.h defines what one kernel can compute.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_FUSION_FUSION_H
#define SHARDWRIGHT_CPU_FUSION_FUSION_H

#include "shardwright/cpu/read/block_graph.h"

namespace shardwright::cpu {

/// One step of a block.
struct Unit {
  enum class Kind : uint8_t {
    Kernel,
    Opaque, ///< BlockGraph::opaque[opaque]
    View,   ///< outputs[0] is the bytes of inputs[0] from `offset` on
  };
  Kind kind;
  int32_t opaque = -1;
  int64_t offset = 0; ///< bytes
  Cluster cluster;
  /// Nodes of the block: the params and outputs of the cluster, in order.
  llvm::SmallVector<int32_t, 4> inputs, outputs;
};

/// Returns units in an order that respects every dependency, without dead
/// nodes.
std::vector<Unit> fuse(const BlockGraph &block);

/// Sorts units by the program position of their last member, as far as the
/// dependencies allow.
std::vector<Unit> orderUnits(const BlockGraph &block, std::vector<Unit> units);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_FUSION_FUSION_H
