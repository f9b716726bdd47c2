//===- fusion_nodes.h - fusion properties of single nodes -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_FUSION_FUSION_NODES_H
#define SHARDWRIGHT_CPU_FUSION_FUSION_NODES_H

#include "shardwright/cpu/graph/kernel_graph.h"

namespace shardwright::cpu {

/// True if the node is an alias of bytes of its operand (a reshape, or a slice
/// of full leading blocks); `offset` is the first byte.
bool isView(const Graph &graph, int32_t id, int64_t &offset);

/// True if the node is cheap enough to recompute in every consumer kernel.
bool isCheap(const Graph &graph, int32_t id);

/// True if the innermost loop of the result strides through the operand.
bool changesInnermost(const Graph &graph, int32_t id);

/// True if each element depends only on the operands' elements at the same
/// index, or on scalars.
bool isPointwise(const Graph &graph, int32_t id, const Shape &shape);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_FUSION_FUSION_NODES_H
