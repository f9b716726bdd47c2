//===- kernel_work.h - arithmetic operations of a kernel --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_GRAPH_KERNEL_WORK_H
#define SHARDWRIGHT_CPU_GRAPH_KERNEL_WORK_H

#include "shardwright/cpu/graph/kernel_graph.h"

namespace shardwright::cpu {

/// Counts the arithmetic operations of all elements, and the calls of functions
/// such as exp among them. A recomputed value counts once.
void countWork(const Cluster &cluster, double &flops, double &transcendentals);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_GRAPH_KERNEL_WORK_H
