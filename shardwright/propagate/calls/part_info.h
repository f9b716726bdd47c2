//===- part_info.h - call-site view of a graph part -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_CALLS_PART_INFO_H
#define SHARDWRIGHT_PROPAGATE_CALLS_PART_INFO_H

#include "shardwright/propagate/graph/graph.h"

namespace shardwright {

/// One call of a part.
struct OwnCall {
  mlir::func::CallOp call;
  /// Slots of the edges of its results, in the part; -1: none.
  llvm::SmallVector<SlotId, 2> resultSlots;
};

/// The source of a function's result.
struct Returned {
  /// An argument of the function, or result `index` of `call`, or else slot
  /// `index` (-1: none).
  int32_t argument = -1, call = -1;
  int32_t index = -1;
};

/// The data of a part of the graph (a function body, or the rest of the module)
/// that its call sites need.
struct PartInfo {
  /// Live calls, in program order.
  llvm::SmallVector<OwnCall, 1> calls;
  /// Only for bodies: the slots of arguments' edges (-1: none) and the sources
  /// of results.
  llvm::SmallVector<SlotId, 4> argumentSlots;
  llvm::SmallVector<Returned, 2> returned;
  /// Equal for bodies with the same original name.
  int32_t nameId = 0;
};

/// Collects the information from the graph only: reading the ops, which have
/// left the caches, would be slow. `body` is null for the part that is not a
/// function body.
PartInfo describePart(const GraphView &part, const FunctionBody *body);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_CALLS_PART_INFO_H
