//===- manual_edges.cc - views of manual computation edges ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With manual axis "a", [{"a", "b", ?}] outside is [{"b", ?}] inside. An edge
// on a block argument stores the inside view, and its source is outside; for an
// edge on a result it is the reverse.
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/graph.h"

namespace shardwright {

static ShardingId toInside(ShardingTable &table, const ManualEdge &edge,
                           ShardingId outside) {
  TensorSharding s = table.get(outside);
  auto isManual = [&](AxisRef x) {
    return llvm::is_contained(edge.manualAxes, x.axis);
  };
  for (DimSharding &dim : s.dims)
    dim.axes.erase(dim.axes.begin(), llvm::find_if_not(dim.axes, isManual));
  llvm::erase_if(s.replicated, isManual);
  llvm::erase_if(s.unreduced, isManual);
  return table.add(table.meshOf(outside), s);
}

static ShardingId toOutside(ShardingTable &table, const ManualEdge &edge,
                            ShardingId inside) {
  TensorSharding s = table.get(inside);
  const TensorSharding &outer = table.get(edge.outer);
  if (s.rank() != outer.rank())
    return inside;
  for (auto [dim, outerDim] : llvm::zip_equal(s.dims, outer.dims)) {
    AxisList axes;
    for (AxisRef x : outerDim.axes) {
      if (!llvm::is_contained(edge.manualAxes, x.axis))
        break;
      axes.push_back(x);
    }
    axes.append(dim.axes.begin(), dim.axes.end());
    dim.axes = std::move(axes);
  }
  s.replicated = outer.replicated;
  s.unreduced = outer.unreduced;
  return table.add(table.meshOf(edge.outer), s);
}

ShardingId toSourceView(ShardingTable &table, const ManualEdge &edge,
                        ShardingId stored) {
  return edge.isBlockArgument ? toOutside(table, edge, stored)
                              : toInside(table, edge, stored);
}

ShardingId toStoredView(ShardingTable &table, const ManualEdge &edge,
                        ShardingId atSources) {
  return edge.isBlockArgument ? toInside(table, edge, atSources)
                              : toOutside(table, edge, atSources);
}

} // namespace shardwright
