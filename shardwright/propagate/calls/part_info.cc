//===- part_info.cc - call-site view of a graph part ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/calls/part_info.h"

using namespace mlir;

namespace shardwright {

PartInfo describePart(const GraphView &part, const FunctionBody *body) {
  PartInfo info;
  auto slotOfEdge = [&](ValueId owner) -> SlotId {
    SlotId slot = part.values[owner].slot;
    return slot >= part.firstOwnSlot && part.slots[slot].value ? slot : -1;
  };
  std::vector<int32_t> indexOf(part.sites.size(), -1);
  for (auto [i, site] : llvm::enumerate(part.sites)) {
    if (site.parent >= 0 || !site.call)
      continue;
    indexOf[i] = info.calls.size();
    OwnCall &own = info.calls.emplace_back();
    own.call = site.call;
    const Node &node = part.nodes[site.node];
    for (int32_t r = 0; r < node.numResults; ++r)
      own.resultSlots.push_back(slotOfEdge(node.firstResult + r));
  }
  if (!body)
    return info;
  for (ValueId arg = 0, e = body->argumentEdge.size(); arg < e; ++arg)
    info.argumentSlots.push_back(slotOfEdge(arg));
  for (auto [owner, id] : llvm::zip_equal(body->returnedEdge, body->returned)) {
    Returned &from = info.returned.emplace_back();
    from.argument = owner.argument;
    from.index = part.values[id].slot;
    if (owner.site >= 0) {
      from.call = indexOf[owner.site];
      from.index = owner.result;
    }
  }
  return info;
}

} // namespace shardwright
