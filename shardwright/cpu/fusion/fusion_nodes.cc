//===- fusion_nodes.cc - fusion properties of single nodes ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/fusion/fusion_nodes.h"

#include "shardwright/cpu/plan/kernel_plan.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace shardwright::cpu {

bool isView(const Graph &graph, int32_t id, int64_t &offset) {
  const Node &node = graph[id];
  offset = 0;
  if (node.op == Op::Reshape)
    return true;
  if (node.op != Op::Slice)
    return false;
  const Node &from = graph[node.operands[0]];
  const auto &[starts, steps] = node.get<SliceAttrs>();
  bool whole = true; // of everything inside this dimension
  Shape strides = rowMajorStrides(from.shape);
  for (int d = static_cast<int>(node.shape.size()) - 1; d >= 0; --d) {
    if (node.shape[d] != 1 && !whole)
      return false;
    if (steps[d] != 1 && node.shape[d] > 1)
      return false;
    offset += starts[d] * strides[d];
    whole &= node.shape[d] == from.shape[d];
    // A partial dimension is contiguous only below dimensions of size 1.
    if (node.shape[d] != from.shape[d])
      whole = false;
  }
  offset *= byteWidth(node.type);
  return true;
}

bool isCheap(const Graph &graph, int32_t id) {
  const Node &node = graph[id];
  switch (node.op) {
  case Op::Constant:
  case Op::Iota:
  case Op::Broadcast:
  case Op::Reshape:
  case Op::Slice:
  case Op::Transpose:
  case Op::Reverse:
    return true;
  default:
    break;
  }
  // A few cheap operations on constants and iotas, such as masks.
  if (!isElementwise(node.op))
    return false;
  std::vector<int32_t> stack{id};
  std::set<int32_t> seen;
  int cost = 0;
  while (!stack.empty()) {
    int32_t at = stack.back();
    stack.pop_back();
    if (!seen.insert(at).second)
      continue;
    const Node &n = graph[at];
    cost += operationCost(n);
    if (cost > 6 || seen.size() > 12)
      return false;
    if (n.op == Op::Constant || n.op == Op::Iota)
      continue;
    if (n.op != Op::Broadcast && n.op != Op::Reshape && !isElementwise(n.op))
      return false;
    llvm::append_range(stack, n.operands);
  }
  return true;
}

bool changesInnermost(const Graph &graph, int32_t id) {
  const Node &node = graph[id];
  auto innermost = [](llvm::ArrayRef<int64_t> shape) {
    int d = static_cast<int>(shape.size()) - 1;
    while (d > 0 && shape[d] == 1)
      --d;
    return d;
  };
  if (node.shape.empty() || node.operands.empty())
    return false;
  int d = innermost(node.shape);
  const Node &from = graph[node.operands[0]];
  switch (node.op) {
  case Op::Transpose:
    return node.get<TransposeAttrs>().permutation[d] != innermost(from.shape);
  case Op::Slice:
    return node.get<SliceAttrs>().strides[d] != 1;
  case Op::Gather: {
    // Unless the window covers dimension `d`, elements are gathered one by one.
    const Shape &windowDims = node.get<GatherAttrs>().dims.windowDims;
    return windowDims.empty() || windowDims.back() != d;
  }
  default:
    return false;
  }
}

bool isPointwise(const Graph &graph, int32_t id, const Shape &shape) {
  const Node &node = graph[id];
  if (node.op == Op::Constant)
    return true;
  if (node.shape.empty() && isElementwise(node.op))
    return true;
  if (node.shape != shape)
    return false;
  return isElementwise(node.op) || node.op == Op::Iota ||
         (node.op == Op::Broadcast && graph[node.operands[0]].shape.empty());
}

} // namespace shardwright::cpu
