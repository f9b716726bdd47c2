//===- placement.h - which process owns each position -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_COLLECTIVES_PLACEMENT_H
#define SHARDWRIGHT_CPU_COLLECTIVES_PLACEMENT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace shardwright::cpu {

/// The process that owns the device at each position of a program. Positions
/// of this process are local, all others are remote.
class Placement {
public:
  /// All positions are local, however many the program has.
  Placement() = default;
  /// Position p belongs to process owners[p]; `process` is this process.
  Placement(int32_t process, llvm::ArrayRef<int32_t> owners);

  /// True if the placement is for a program of `numPositions` positions.
  bool fits(int64_t numPositions) const {
    return owners.empty() || int64_t(owners.size()) == numPositions;
  }
  bool isAllLocal() const { return owners.empty(); }
  /// The process of each position; empty if all are local.
  const std::vector<int32_t> &ownersOfPositions() const { return owners; }
  bool isLocal(int32_t position) const {
    return owners.empty() || owners[position] == process;
  }
  int32_t ownProcess() const { return process; }
  /// The processes that own positions, ascending; none if all are local.
  std::vector<int32_t> processes() const;
  /// The process that owns a remote position.
  int32_t owner(int32_t position) const { return owners[position]; }
  /// The index of a local position among the local positions.
  int32_t localIndex(int32_t position) const {
    return owners.empty() ? position : localIndices[position];
  }
  /// The local positions of a program of `numPositions` positions, ascending.
  std::vector<int32_t> localPositions(int32_t numPositions) const;

private:
  int32_t process = 0;
  std::vector<int32_t> owners; ///< empty: all positions are local
  /// By position: how many local positions precede it.
  std::vector<int32_t> localIndices;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_COLLECTIVES_PLACEMENT_H
