//===- shard_plan.cc - the shards of an array by device -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/shard_plan.h"

#include <map>
#include <numeric>

using namespace shardwright;

using Dims = llvm::SmallVector<int64_t, 4>;

cpu::ReduceKind shardwright::reductionOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return cpu::ReduceKind::Add;
  case ReductionKind::Max:
    return cpu::ReduceKind::Max;
  case ReductionKind::Min:
    return cpu::ReduceKind::Min;
  }
  return cpu::ReduceKind::Add;
}

ShardPlan ShardPlan::create(llvm::ArrayRef<int64_t> shape,
                            const TensorSharding &sharding, const Mesh *mesh,
                            int64_t numDevices) {
  ShardPlan plan;
  if (!mesh || mesh->isEmpty() || mesh->isMaximal() ||
      sharding.isReplicated()) {
    plan.localDims.assign(shape.begin(), shape.end());
    std::vector<int32_t> devices(numDevices);
    std::iota(devices.begin(), devices.end(), 0);
    // The value of a maximal mesh is the value on its one device.
    if (mesh && mesh->isMaximal() && mesh->deviceIds()[0] < numDevices)
      std::swap(devices[0], devices[mesh->deviceIds()[0]]);
    plan.shards.push_back(
        {{Dims(shape.size(), 0), Dims(shape)}, {std::move(devices)}});
    return plan;
  }
  plan.localDims = localShape(shape, sharding);
  std::map<Dims, size_t> byBegin;
  for (int32_t d = 0; d < numDevices; ++d) {
    int64_t linear = mesh->linearIndex(d);
    Shard shard;
    for (IndexRange range : shardBox(shape, sharding, *mesh, linear)) {
      shard.box.begin.push_back(range.begin);
      shard.box.extent.push_back(range.size());
    }
    auto [it, isNew] = byBegin.try_emplace(shard.box.begin, plan.shards.size());
    if (isNew) {
      shard.summands.resize(totalSize(sharding.unreduced));
      plan.shards.push_back(std::move(shard));
    }
    plan.shards[it->second]
        .summands[mesh->shardIndex(linear, sharding.unreduced)]
        .push_back(d);
  }
  return plan;
}
