//===- permute_pairs.cc - source-target pairs of a permute ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/permute_pairs.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

/// Linear index of the part that the device holds, over summands and shards of
/// all dimensions.
static int64_t partNumber(const Mesh &mesh, const TensorSharding &sharding,
                          int64_t device) {
  int64_t linear = mesh.linearIndex(device);
  int64_t number = summandOf(sharding, mesh, linear);
  for (const DimSharding &dim : sharding.dims)
    number = number * dim.shards() + mesh.shardIndex(linear, dim.axes);
  return number;
}

llvm::SmallVector<int64_t> shardwright::permutePairs(const Mesh &fromMesh,
                                                     const TensorSharding &from,
                                                     const Mesh &toMesh,
                                                     const TensorSharding &to) {
  int64_t devices = fromMesh.numDevices();
  int64_t parts = totalSize(from.unreduced);
  for (const DimSharding &dim : from.dims)
    parts *= dim.shards();
  std::vector<int64_t> target(devices, -1);
  // By part: devices that need it and do not hold it.
  std::vector<llvm::SmallVector<int64_t, 1>> needy(parts);
  std::vector<int64_t> has(devices);
  bool moves = false;
  for (int64_t v = 0; v < devices; ++v) {
    has[v] = partNumber(fromMesh, from, v);
    int64_t needs = partNumber(toMesh, to, v);
    if (has[v] == needs) {
      target[v] = v;
      continue;
    }
    moves = true;
    needy[needs].push_back(v);
  }
  llvm::SmallVector<int64_t> pairs;
  if (!moves)
    return pairs;
  std::vector<size_t> next(parts, 0);
  for (int64_t v = 0; v < devices; ++v) {
    if (target[v] < 0 && next[has[v]] < needy[has[v]].size())
      target[v] = needy[has[v]][next[has[v]]++];
    if (target[v] >= 0)
      pairs.append({v, target[v]});
  }
  return pairs;
}
