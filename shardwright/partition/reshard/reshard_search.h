//===- reshard_search.h - shortest path between placements ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search under the reshard planner. It works on atoms (0, 1, 2, ... with
// sizes) and placements of atoms on dimensions, independent of mesh axes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_RESHARD_SEARCH_H
#define SHARDWRIGHT_PARTITION_RESHARD_RESHARD_SEARCH_H

#include "shardwright/partition/cost/cost_model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace shardwright {

/// Atoms of each dimension, major to minor; an atom is in at most one place.
struct Placement {
  llvm::SmallVector<llvm::SmallVector<uint8_t, 4>, 4> dims;
  /// Devices are in the order of the target mesh.
  bool targetOrder = true;
  friend bool operator==(const Placement &, const Placement &) = default;
};

enum class SearchMove : uint8_t { Slice, AllToAll, Permute, Gather };

struct SearchStep {
  SearchMove move = SearchMove::Slice;
  Placement after;
  /// Mean bytes that a device sends.
  double bytes = 0;
};

struct SearchProblem {
  /// Size of each atom, >= 2; at most 255 atoms.
  llvm::SmallVector<int64_t, 8> sizes;
  Placement from, to;
  /// Size of each dimension, and how many shards it has before any atom.
  llvm::SmallVector<int64_t, 4> dimSizes, baseShards;
  /// Bytes that a device would hold with no atom placed.
  double baseBytes = 0;
  /// Cost of an exchange along each atom. Empty: one per byte and no latency.
  /// Without a machine, a byte costs at least one.
  llvm::SmallVector<LinkCost, 8> links;
  /// Cost of changing to the device order of the target mesh.
  LinkCost orderLink;
  /// Try all-to-alls that move atoms between several pairs of dimensions.
  bool movesTogether = false;
  /// Only moves that lead straight to the target, unless there is no such path.
  bool recipesOnly = false;

  /// Number of shards along these atoms.
  int64_t product(llvm::ArrayRef<uint8_t> atoms) const {
    int64_t n = 1;
    for (uint8_t a : atoms)
      n *= sizes[a];
    return n;
  }
};

struct SearchResult {
  llvm::SmallVector<SearchStep, 3> steps;
  double cost = 0;
  /// Lower bound of the cost of any path, and of the bytes that it sends.
  double bound = 0, leastBytes = 0;
  bool communicates() const;
};

/// Finds the cheapest steps from `from` to `to`. Local sizes exceed the larger
/// of both ends only if that is unavoidable. Falls back to simpler plans when
/// the space is too large to search; never fails.
SearchResult searchReshard(const SearchProblem &problem);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_RESHARD_SEARCH_H
