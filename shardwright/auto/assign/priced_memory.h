//===- priced_memory.h - assignments within a memory limit ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes get a price in seconds, which rises until what is alive fits in the
// limit: prices leave most relaxations integral, where rows for live sets do
// not. The first price is that of the relaxation with rows. Live sets are added
// as they are found to be the peak.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_PRICED_MEMORY_H
#define SHARDWRIGHT_AUTO_ASSIGN_PRICED_MEMORY_H

#include "shardwright/auto/assign/solved_assignments.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

/// Finds the live set with the most bytes under a solution, and its bytes.
using FindPeak =
    llvm::function_ref<LiveSet(const AssignmentSolution &, double &bytes)>;

class PricedMemory {
public:
  /// `problem` has no limit; live sets are added to it.
  PricedMemory(AssignmentProblem &problem, SolvedAssignments &solved,
               const SolverLimits &limits, double limit, FindPeak findPeak);

  /// The fastest assignment found that fits, or the smallest if none does. Its
  /// bound holds for all that fit.
  AssignmentSolution run();
  double peak() const { return bytes; }
  /// Seconds that a byte more saves; 0 if all that is wanted fits.
  double secondsPerByte() const { return price; }

private:
  /// Solves with the prices times `scale`. True if the best assignment fits.
  bool tryScale(double scale, bool solves);
  /// Takes the assignment if it is better. Returns its bytes.
  double offer(std::vector<int32_t> strategies);
  void addLiveSet(LiveSet set);
  bool isKnown(const LiveSet &set) const;

  AssignmentProblem &problem;
  SolvedAssignments &solved;
  SolverLimits limits;
  double limit;
  FindPeak findPeak;
  AssignmentSolution best;
  double bytes = 0, bound = 0, price = 0;
  /// The assignment without a limit.
  std::vector<int32_t> unlimited;
  /// By live set of the problem.
  std::vector<double> prices;
  /// The peak of the last assignment that did not fit.
  LiveSet lastPeak;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_PRICED_MEMORY_H
