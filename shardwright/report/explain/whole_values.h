//===- whole_values.h - list replicated values ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds replicated (full-size) values after stage Reshard, when every layout is
// final and shapes are still global: arguments, results of ops (also in loops
// and branches) and gathered values. Splats and iota are not listed, since they
// cost nothing, nor are values in manual computations, where the user wrote the
// program of each device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_WHOLE_VALUES_H
#define SHARDWRIGHT_REPORT_EXPLAIN_WHOLE_VALUES_H

#include "shardwright/report/explain/planned_moves.h"
#include "shardwright/report/explain/user_values.h"

namespace shardwright {

struct WholeValue {
  /// The corresponding user value, if known.
  NamedValue value;
  /// `%3`, `w`, `result 0`; may be empty.
  std::string name;
  /// The op that makes it; empty for an argument.
  std::string op;
  mlir::Location location;
  /// `8x16xf32`.
  std::string type;
  int64_t bytes = 0;
  /// Why it was gathered, or how its op was planned; null if unknown. Owned by
  /// the moves.
  const RecordedReason *reason = nullptr;
  bool isGathered = false;

  /// `%3 = dot_general (file.py:12), 8x16xf32, 512 B`.
  std::string text() const;
};

/// The replicated values of more than `bytes`, largest first, each user value
/// once. `user` and `moves` may be null; then names or reasons are missing.
std::vector<WholeValue> wholeValues(mlir::ModuleOp resharded, double bytes,
                                    const UserValues *user,
                                    const PlannedMoves *moves);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_WHOLE_VALUES_H
