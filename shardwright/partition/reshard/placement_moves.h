//===- placement_moves.h - single steps of a reshard search -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_PLACEMENT_MOVES_H
#define SHARDWRIGHT_PARTITION_RESHARD_PLACEMENT_MOVES_H

#include "shardwright/partition/reshard/reshard_search.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

/// Enumerates the steps from a placement in the search for a reshard.
class PlacementMoves {
public:
  /// `directed`: only steps that lead straight to the target.
  PlacementMoves(const SearchProblem &problem, bool directed);

  /// `bytes`: mean bytes that a device sends.
  using Emit =
      llvm::function_ref<void(SearchMove, const Placement &, double bytes)>;
  /// Calls `emit` for each step; a device holds `local` bytes under `p`.
  void each(const Placement &p, double local, Emit emit) const;

private:
  int64_t shards(const Placement &p, size_t dim) const {
    return problem.baseShards[dim] * problem.product(p.dims[dim]);
  }
  bool canRefine(size_t dim, const Placement &coarse,
                 const Placement &fine) const;
  double stayFraction(const Placement &a, const Placement &b) const;

  void slices(const Placement &p, Emit emit) const;
  void gathers(const Placement &p, double local, Emit emit) const;
  void allToAlls(const Placement &p, double local, Emit emit) const;
  void jointAllToAlls(const Placement &p, double local, Emit emit) const;
  void permutes(const Placement &p, double local, Emit emit) const;
  void fillDims(const Placement &p, Placement &next, size_t dim,
                llvm::SmallVectorImpl<bool> &used, int64_t left,
                llvm::function_ref<void(const Placement &)> emit) const;
  Placement towardsTarget(const Placement &p) const;

  const SearchProblem &problem;
  llvm::ArrayRef<int64_t> sizes;
  bool directed;
  /// Dimension of the target that holds each atom; -1: none.
  llvm::SmallVector<int32_t, 8> destination;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_PLACEMENT_MOVES_H
