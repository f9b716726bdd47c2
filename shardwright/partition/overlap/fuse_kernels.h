//===- fuse_kernels.h - fusion of the ops of a block ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to block_steps.h: groups nodes into kernels by the rules of
// cpu/fusion/, without its analysis of loops. Consumers take their producers
// into their kernel, from the end of the block to its start. A producer with
// other users becomes another output of the kernel; a cheap one is computed
// again.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_FUSE_KERNELS_H
#define SHARDWRIGHT_PARTITION_OVERLAP_FUSE_KERNELS_H

#include "shardwright/partition/overlap/kernel_nodes.h"

namespace shardwright {

/// A kernel, a view, or an op that no kernel computes.
struct FusedUnit {
  /// The last node.
  int32_t root = -1;
  bool isKernel = false;
  /// Nodes in memory.
  llvm::SmallVector<int32_t, 4> inputs, outputs;
  /// Inputs whose elements are read only for the same element of the outputs
  /// (of as many elements), so that an output may replace them.
  llvm::SmallVector<bool, 4> isPointwise;
};

/// Sorts units by the place of their last node, as far as dependencies allow.
/// `units` are from the last to the first.
std::vector<FusedUnit> inOrder(const KernelNodes &graph,
                               std::vector<FusedUnit> units);

/// The units in an order that respects dependencies, without dead nodes.
std::vector<FusedUnit> fuseKernels(const KernelNodes &graph);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_FUSE_KERNELS_H
