//===- kernel_domain.cc - the iteration domain of a kernel ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/kernel_planner.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright::cpu {

Shape withoutOnes(llvm::ArrayRef<int64_t> shape) {
  Shape result;
  for (int64_t s : shape)
    if (s != 1)
      result.push_back(s);
  return result;
}

std::vector<Shape> singles(llvm::ArrayRef<int64_t> sizes) {
  std::vector<Shape> groups;
  for (int64_t s : sizes)
    groups.push_back({s});
  return groups;
}

Shape Domain::full() const {
  Shape shape = rows;
  llvm::append_range(shape, tail);
  return shape;
}

/// True if the innermost dimension of the input is reduced.
static bool reducesInnermost(const Graph &graph, const Node &node) {
  const Node &input = graph[node.operands[0]];
  for (int d = static_cast<int>(input.shape.size()) - 1; d >= 0; --d) {
    if (input.shape[d] == 1)
      continue;
    return llvm::is_contained(node.get<ReduceAttrs>().dims,
                              static_cast<int64_t>(d));
  }
  return true;
}

bool reducesSuffix(const Graph &graph, const Node &node) {
  const Node &input = graph[node.operands[0]];
  bool seen = false;
  for (size_t d = 0; d < input.shape.size(); ++d) {
    if (input.shape[d] == 1)
      continue;
    bool reduced = llvm::is_contained(node.get<ReduceAttrs>().dims,
                                      static_cast<int64_t>(d));
    if (seen && !reduced)
      return false;
    seen |= reduced;
  }
  return true;
}

int32_t valueNode(const Graph &graph, int32_t output) {
  const Node &node = graph[output];
  return node.op == Op::UpdateSlice ? node.operands[1] : output;
}

std::optional<Domain> chooseDomain(const Cluster &cluster) {
  const Graph &graph = cluster.graph;
  Domain domain;
  int32_t rowReduce = -1, columnReduce = -1;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    if (node.op != Op::Reduce)
      continue;
    bool innermost = reducesInnermost(graph, node);
    int32_t &which = innermost ? rowReduce : columnReduce;
    auto id = static_cast<int32_t>(i);
    if (which < 0) {
      which = id;
      continue;
    }
    const Node &first = graph[which];
    if (withoutOnes(first.shape) != withoutOnes(node.shape) ||
        withoutOnes(reducedSizes(graph, which)) !=
            withoutOnes(reducedSizes(graph, id)))
      return std::nullopt;
    if (!innermost &&
        (graph[first.operands[0]].shape != graph[node.operands[0]].shape ||
         first.attrs != node.attrs))
      return std::nullopt;
  }
  if (rowReduce >= 0 && columnReduce >= 0)
    return std::nullopt;
  if (rowReduce >= 0) {
    domain.kind = Domain::Kind::Row;
    domain.rows = withoutOnes(graph[rowReduce].shape);
    domain.tail = withoutOnes(reducedSizes(graph, rowReduce));
    return domain;
  }
  Shape largestShape;
  int64_t largest = -1;
  for (int32_t output : cluster.outputs) {
    const Node &node = graph[valueNode(graph, output)];
    if (node.elements() > largest) {
      largest = node.elements();
      largestShape = withoutOnes(node.shape);
    }
  }
  if (columnReduce >= 0) {
    domain.kind = Domain::Kind::Column;
    domain.reduced = withoutOnes(reducedSizes(graph, columnReduce));
    if (withoutOnes(graph[columnReduce].shape) != largestShape)
      return std::nullopt;
  }
  domain.rows = largestShape;
  if (!largestShape.empty()) {
    domain.tail.push_back(largestShape.back());
    domain.rows.pop_back();
  }
  return domain;
}

} // namespace shardwright::cpu
