//===- export_steps.h - export passes as functions --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the export passes of these names do to a function. The pipelines run
// them on a whole module, where it is known whether there is anything to do.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_EXPORT_STEPS_H
#define SHARDWRIGHT_PROPAGATE_EXPORT_STEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// sdy-constant-or-scalar-merger.
void mergeConstantsAndScalars(mlir::func::FuncOp func);

/// sdy-sink-data-flow-edges, with its options.
void sinkDataFlowEdges(mlir::func::FuncOp func, bool origins, bool edges);

/// sdy-sharding-constraint-to-reshard.
void constraintsToReshards(mlir::func::FuncOp func);

/// sdy-drop-sharding-rules.
void dropShardingRules(mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_EXPORT_STEPS_H
