//===- data_flow_edges.h - what flows into loops and branches ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_DATA_FLOW_EDGES_H
#define SHARDWRIGHT_PARTITION_SHARDY_DATA_FLOW_EDGES_H

#include "shardwright/dialect/sdy/sdy.h"

namespace shardwright {

/// Calls `visit` for each operand that becomes a result or a block argument of
/// the op, with the sharding that it has there (null: none). Stops at the first
/// failure.
llvm::LogicalResult forEachEdgeSource(
    sdy::ShardableDataFlowOpInterface op,
    llvm::function_ref<llvm::LogicalResult(mlir::OpOperand &source,
                                           sdy::TensorShardingAttr target)>
        visit);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_DATA_FLOW_EDGES_H
