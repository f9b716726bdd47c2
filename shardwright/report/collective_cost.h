//===- collective_cost.h - what a per-device program sends ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of the statistics. Bytes sent per device on average, n = group
// size: all_gather (n-1)/n of its output, all_reduce 2(n-1)/n, reduce_scatter
// (n-1)/n of its input, all_to_all (n-1)/n, collective_permute the bytes times
// the share of devices that send to another. A loop body counts times its trip
// count when known, a conditional its costliest branch.
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
  /// Mesh axes of its groups, as `x, y:(1)2`; else `groups of N`.
  std::string axes;
  /// Devices in a group.
  int64_t groupSize = 1;
  /// How often it runs (product of the trip counts around it).
  double executions = 1;
  /// Bytes sent per device, over all executions.
  double bytes = 0;
  /// Bytes of the operand of one execution.
  int64_t operandBytes = 0;
  mlir::Location location;
  /// While the module that was looked at lives; else null.
  mlir::Operation *op = nullptr;
};

struct CollectiveCost {
  /// In program order; of a conditional the costliest branch only.
  std::vector<CollectiveUse> uses;
  /// A loop that communicates has no known trip count: it counts once.
  bool unknownTripCount = false;

  double totalBytes() const;
};

/// Cost of one device's run of @main (or the only function) of a local module.
/// `mesh` names the axes of the groups.
CollectiveCost costOfCollectives(mlir::ModuleOp local, const Mesh &mesh,
                                 int64_t numDevices);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_COLLECTIVE_COST_H
