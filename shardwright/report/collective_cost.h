//===- collective_cost.h - cost of collectives ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of the statistics. Mean bytes sent per device, n = group size:
// all_gather (n-1)/n of its output, all_reduce 2(n-1)/n, reduce_scatter (n-1)/n
// of its input, all_to_all (n-1)/n, collective_permute the bytes times the
// fraction of devices that send to another. A loop body counts times its trip
// count if known, a conditional its most expensive branch.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_COLLECTIVE_COST_H
#define SHARDWRIGHT_REPORT_COLLECTIVE_COST_H

#include "shardwright/mesh/mesh.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace shardwright {

/// One collective op of a local program.
struct CollectiveUse {
  /// all_gather, all_reduce, reduce_scatter, all_to_all, collective_permute or
  /// collective_broadcast
  std::string kind;
  /// Mesh axes of its groups, as `x, y:(1)2`; otherwise `groups of N`.
  std::string axes;
  /// Devices in a group.
  int64_t groupSize = 1;
  /// Number of executions (product of the enclosing trip counts).
  double executions = 1;
  /// Bytes sent per device, over all executions.
  double bytes = 0;
  /// Bytes of the operand of one execution.
  int64_t operandBytes = 0;
  mlir::Location location;
  /// Tensors that it exchanges at once; 1 if unknown, as in a saved executable.
  int64_t operands = 1;
  /// Valid as long as the module exists; null otherwise.
  mlir::Operation *op = nullptr;
};

struct CollectiveCost {
  /// In program order; for a conditional only the most expensive branch.
  std::vector<CollectiveUse> uses;
  /// A loop with collectives has an unknown trip count and counts once.
  bool unknownTripCount = false;

  double totalBytes() const;
};

/// Cost of one device's run of @main (or the only function) of a local module.
/// `mesh` names the axes of the groups.
CollectiveCost costOfCollectives(mlir::ModuleOp local, const Mesh &mesh,
                                 int64_t numDevices);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_COLLECTIVE_COST_H
