//===- share_call_bodies.h - calls that propagate as if inlined -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation looks through calls: sdy-flatten-call-graph copies a function for
// every call, sdy-import-func-calls puts the copies in the place of the calls,
// and after propagation sdy-export-named-computations and
// sdy-unflatten-call-graph undo that, keeping a copy for each distinct set of
// shardings. A training step with a layer in a function becomes many times as
// large on the way, most of it thrown away again.
//
// Here the same happens with one body a function: propagation's graph has the
// copies (they are arrays), the module has not, until it is known which are
// kept. The results are those of the passes, names and order included.
//
// One detail makes it two bodies: the order of a value's users decides ties,
// and a copy has another one than the original, which the first call gets.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_CALLS_SHARE_CALL_BODIES_H
#define SHARDWRIGHT_PROPAGATE_CALLS_SHARE_CALL_BODIES_H

#include "shardwright/propagate/graph/graph.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"

namespace shardwright {

/// Whether the module is one for which this is written: every call is of a
/// function with one block whose values all have static shapes, main is not
/// called, and neither named computations nor sharding groups in called
/// functions are there.
bool mayShareCallBodies(mlir::ModuleOp module, const ModuleContents &contents,
                        const CallsByFunction &calls);

/// After propagation: writes all shardings, removes dead ops and those data
/// flow edges, and leaves one function for each distinct set of shardings of
/// arguments and results. Results of functions but main's get the shardings of
/// what is returned (sdy-propagate-to-func-results). `order` learns of the new
/// functions.
void exportSharedBodies(mlir::ModuleOp module, PropagationGraph &graph,
                        OpOrder &order);

/// All of the above, with propagation, from sdy-flatten-call-graph to
/// sdy-unflatten-call-graph.
llvm::LogicalResult
propagateThroughCalls(mlir::ModuleOp module, const ModuleContents &contents,
                      const OpIndex &index, const CallsByFunction &calls,
                      OpOrder &order, const EngineOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_CALLS_SHARE_CALL_BODIES_H
