//===- add_data_flow_edges.h - edge ops of one op ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_IMPORT_ADD_DATA_FLOW_EDGES_H
#define SHARDWRIGHT_PROPAGATE_IMPORT_ADD_DATA_FLOW_EDGES_H

#include "shardwright/dialect/sdy/sdy.h"

namespace shardwright {

/// Inserts an sdy.data_flow_edge after each edge owner of `op` that has a
/// static shape; it carries the owner's sharding and takes over its uses.
void addDataFlowEdges(sdy::ShardableDataFlowOpInterface op);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_IMPORT_ADD_DATA_FLOW_EDGES_H
