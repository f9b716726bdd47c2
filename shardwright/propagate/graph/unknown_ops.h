//===- unknown_ops.h - ops and types without shardings ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_UNKNOWN_OPS_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_UNKNOWN_OPS_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace shardwright {

/// Fails with a diagnostic at `op` for a type that cannot be sharded: a tuple,
/// or a tensor with a dynamic dimension.
llvm::LogicalResult checkShardable(mlir::Type type, mlir::Operation *op);

/// Collects ops that lack a rule and are not declared to have none, and warns
/// about each kind once, at its first op.
class UnknownOps {
public:
  /// False: the op may lack a rule.
  bool visit(mlir::Operation *op);
  void emitWarnings();

private:
  llvm::StringSet<> kinds;
  /// The first op of each kind, and the kind.
  std::vector<std::pair<mlir::Operation *, std::string>> firsts;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_UNKNOWN_OPS_H
