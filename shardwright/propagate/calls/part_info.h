//===- part_info.h - a part of the graph, for its call sites ----*- C++ -*-===//
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

/// A part of the graph (a function body, or the rest of the module), as its
/// call sites need it.
struct PartInfo {
  /// Live calls, in program order.
  llvm::SmallVector<OwnCall, 1> calls;
  /// Of bodies only: the slots of arguments' edges (-1: none) and the sources
  /// of results.
  llvm::SmallVector<SlotId, 4> argumentSlots;
  llvm::SmallVector<Returned, 2> returned;
  /// Equal for bodies with the same original name.
  int32_t nameId = 0;
};

/// Collects the information from the graph alone: reading the ops, which the
/// caches have lost since the graph was built, would be slow. `body` is null
/// for the part that is no function body.
PartInfo describePart(const GraphView &part, const FunctionBody *body);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_CALLS_PART_INFO_H
