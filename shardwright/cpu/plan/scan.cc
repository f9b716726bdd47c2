//===- scan.cc - cumulative windows ---------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/scan.h"

namespace shardwright::cpu {

std::optional<Scan> asScan(const Graph &graph, const Node &node) {
  if (node.op != Op::ReduceWindow || node.elements() == 0 ||
      node.shape != graph[node.operands[0]].shape)
    return std::nullopt;
  const auto &[windows, strides, baseDilation, windowDilation, low] =
      node.get<ReduceWindowAttrs>();
  std::optional<size_t> dim;
  for (size_t d = 0; d < node.shape.size(); ++d) {
    if (strides[d] != 1 || baseDilation[d] != 1)
      return std::nullopt;
    if (windows[d] == 1 && low[d] == 0)
      continue;
    // The result has as many elements as the input: the total padding is window
    // - 1.
    if (dim || windowDilation[d] != 1 || windows[d] < node.shape[d] ||
        (low[d] != 0 && low[d] != windows[d] - 1))
      return std::nullopt;
    dim = d;
  }
  if (!dim)
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape(node.shape);
  return Scan{static_cast<int64_t>(*dim), low[*dim] == 0, shape[*dim],
              product(shape.drop_front(*dim + 1)),
              product(shape.take_front(*dim))};
}

int64_t Scan::together(int maxLanes) const {
  int64_t count = isVector() ? maxLanes : 8;
  while (count > lines())
    count /= 2;
  return count;
}

} // namespace shardwright::cpu
