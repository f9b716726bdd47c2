//===- fusion_nodes.h - what fusion asks of single nodes --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_FUSION_FUSION_NODES_H
#define SHARDWRIGHT_CPU_FUSION_FUSION_NODES_H

#include "shardwright/cpu/graph/kernel_graph.h"

namespace shardwright::cpu {

/// Is it another name for bytes of its operand (a reshape, or a slice of whole
/// leading blocks), from `offset` bytes on?
bool isView(const Graph &graph, int32_t id, int64_t &offset);

/// Costs it next to nothing to compute again in each kernel that wants it?
bool isCheap(const Graph &graph, int32_t id);

/// Does the innermost loop of the result stride through the operand?
bool changesInnermost(const Graph &graph, int32_t id);

/// Does each element need the operands' elements at its own place alone, or
/// scalars?
bool isPointwise(const Graph &graph, int32_t id, const Shape &shape);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_FUSION_FUSION_NODES_H
