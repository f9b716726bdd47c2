//===- placement.cc - which process owns each position --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/placement.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright::cpu;

Placement::Placement(int32_t process, llvm::ArrayRef<int32_t> owners)
    : process(process), owners(owners) {
  int32_t count = 0;
  for (int32_t owner : owners) {
    localIndices.push_back(count);
    count += owner == process;
  }
}

std::vector<int32_t> Placement::processes() const {
  std::vector<int32_t> sorted(owners);
  llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
  return sorted;
}

std::vector<int32_t> Placement::localPositions(int32_t numPositions) const {
  std::vector<int32_t> positions;
  for (int32_t p = 0; p < numPositions; ++p)
    if (isLocal(p))
      positions.push_back(p);
  return positions;
}
