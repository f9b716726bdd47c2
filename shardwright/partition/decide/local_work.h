//===- local_work.h - cost of an op besides communication -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a device does for one op under one choice of axes: with a machine, the
// seconds of its kernel, of which only what reaches memory counts; without one,
// weights of the bytes of all tensors and of multiplications. Value types; no
// IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_DECIDE_LOCAL_WORK_H
#define SHARDWRIGHT_PARTITION_DECIDE_LOCAL_WORK_H

#include "shardwright/partition/decide/decide.h"

namespace shardwright {

/// Adds up the work for one candidate. Bytes are those that a device holds.
class LocalWork {
public:
  LocalWork(const DecideProblem &problem, const CostModel &costs)
      : problem(problem), costs(costs) {}

  /// How an operand gets into the layout that the op reads.
  struct Arrival {
    double cost = 0;
    /// A collective makes the value, now or before.
    bool isMoved = false;
    /// Each device takes a slice of what it holds.
    bool isSliced = false;
    /// Rows of other devices are joined to it.
    bool hasHalo = false;
    /// Bytes of the version that is moved now; 0: none.
    double before = 0;
  };
  void addOperand(size_t i, double bytes, const Arrival &arrival);
  /// `isMoved`: a collective reads the result.
  void addResult(size_t i, double bytes, bool isMoved);
  /// Each device takes a slice of so many bytes of a result.
  void addResultSlice(double bytes);
  /// Returns `cost` plus that of the work, with these axes of each factor.
  double addTo(double cost, const FactorAxes &axes) const;

private:
  /// Scales the operations on all elements to those of a device.
  double localOperations(const FactorAxes &axes) const;
  /// Likewise the output columns of a contraction.
  double localColumns(const FactorAxes &axes) const;
  /// Time of a kernel that only moves bytes.
  double writeSeconds(double bytes) const;

  const DecideProblem &problem;
  const CostModel &costs;
  double touched = 0;
  /// Of the operands that are read in part: added once the results are known.
  llvm::SmallVector<double, 3> partly;
  double results = 0, written = 0, extra = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_DECIDE_LOCAL_WORK_H
