//===- share_call_bodies.h - propagate through shared bodies ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation looks through calls: sdy-flatten-call-graph copies a function for
// every call, sdy-import-func-calls inlines the copies, and after propagation
// sdy-export-named-computations and sdy-unflatten-call-graph undo that, keeping
// a copy for each distinct set of shardings. A training step that calls a
// function for each layer grows many times in between, and most of the copies
// are deleted again.
//
// This folder computes the same result with one body per function. The
// propagation graph holds the copies as arrays; the module gets only the copies
// that are kept. Names and order are the same as from the passes.
//
// Each function is read twice: the first call uses the original body, whose
// values list their users in another order than a copy does, and that order
// breaks ties.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_CALLS_SHARE_CALL_BODIES_H
#define SHARDWRIGHT_PROPAGATE_CALLS_SHARE_CALL_BODIES_H

#include "shardwright/propagate/graph/graph.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"

namespace shardwright {

/// True if propagation can share the bodies of this module's calls: every
/// callee has one block whose values all have static shapes, main is not
/// called, and the module has no named computations and no sharding groups in
/// callees.
bool mayShareCallBodies(mlir::ModuleOp module, const ModuleContents &contents,
                        const CallsByFunction &calls);

/// Runs after propagation. Writes all shardings, removes dead ops and the data
/// flow edges of calls, and leaves one function for each distinct set of
/// shardings of arguments and results. The results of every function but main
/// get the shardings of the returned values (sdy-propagate-to-func-results).
void exportSharedBodies(mlir::ModuleOp module, PropagationGraph &graph,
                        ShardyVersion shardy);

/// Reads the module, propagates and exports: replaces the steps from
/// sdy-flatten-call-graph to sdy-unflatten-call-graph. Fails with a diagnostic.
llvm::LogicalResult propagateThroughCalls(mlir::ModuleOp module,
                                          const ModuleContents &contents,
                                          const OpIndex &index,
                                          const CallsByFunction &calls,
                                          const EngineOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_CALLS_SHARE_CALL_BODIES_H
