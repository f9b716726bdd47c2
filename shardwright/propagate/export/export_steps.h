//===- export_steps.h - export passes as functions --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of the export passes of these names, on the ops of an index. A pass
// uses the index of one function; pipelines use the index of the module.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_EXPORT_EXPORT_STEPS_H
#define SHARDWRIGHT_PROPAGATE_EXPORT_EXPORT_STEPS_H

#include "shardwright/propagate/index/op_index.h"

namespace shardwright {

/// sdy-constant-or-scalar-merger.
void mergeConstantsAndScalars(OpIndex &index);

/// sdy-sink-data-flow-edges, with its options.
void sinkDataFlowEdges(OpIndex &index, bool origins, bool edges);

/// sdy-sharding-constraint-to-reshard.
void constraintsToReshards(OpIndex &index);

/// sdy-drop-sharding-rules; the index may have forgotten ops.
void dropShardingRules(mlir::func::FuncOp func);
bool hasRulesToDrop(const OpIndex &index);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_EXPORT_EXPORT_STEPS_H
