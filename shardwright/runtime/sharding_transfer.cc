//===- sharding_transfer.cc - global arrays to and from devices -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/sharding_transfer.h"

#include "shardwright/cpu/box_copy.h"
#include "shardwright/cpu/host_memory.h"

#include <cstring>
#include <map>

using namespace shardwright;

using Dims = llvm::SmallVector<int64_t, 4>;

namespace {

/// One shard of the global array and the devices that hold it.
struct Shard {
  Dims begin, extent; ///< clipped to the global shape
  std::vector<int32_t> devices;
};

struct ShardPlan {
  Dims localDims;
  std::vector<Shard> shards; ///< in order of their lowest device
};

} // namespace

static ShardPlan planShards(llvm::ArrayRef<int64_t> shape,
                            const TensorSharding &sharding, const Mesh *mesh,
                            int64_t numDevices) {
  ShardPlan plan;
  if (!mesh || mesh->isEmpty() || mesh->isMaximal() ||
      sharding.isReplicated()) {
    plan.localDims.assign(shape.begin(), shape.end());
    Shard whole{Dims(shape.size(), 0), Dims(shape), {}};
    for (int32_t d = 0; d < numDevices; ++d)
      whole.devices.push_back(d);
    // The value of a maximal mesh is that of its one device.
    if (mesh && mesh->isMaximal() && mesh->deviceIds()[0] < numDevices)
      std::swap(whole.devices[0], whole.devices[mesh->deviceIds()[0]]);
    plan.shards.push_back(std::move(whole));
    return plan;
  }
  plan.localDims = localShape(shape, sharding);
  std::map<Dims, size_t> byBegin;
  for (int32_t d = 0; d < numDevices; ++d) {
    Shard shard;
    for (IndexRange range :
         shardBox(shape, sharding, *mesh, mesh->linearIndex(d))) {
      shard.begin.push_back(range.begin);
      shard.extent.push_back(range.size());
    }
    auto [it, isNew] = byBegin.try_emplace(shard.begin, plan.shards.size());
    if (isNew)
      plan.shards.push_back(std::move(shard));
    plan.shards[it->second].devices.push_back(d);
  }
  return plan;
}

static int64_t product(llvm::ArrayRef<int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims)
    n *= d;
  return n;
}

/// The box is one run of bytes of the global array, of local shape, and
/// aligned.
static bool isInPlace(llvm::ArrayRef<int64_t> shape, const Shard &shard,
                      llvm::ArrayRef<int64_t> localDims, int64_t offset) {
  if (llvm::ArrayRef<int64_t>(shard.extent) != localDims || offset % 64 != 0)
    return false;
  size_t d = 0;
  while (d < shape.size() && shard.extent[d] == 1)
    ++d;
  for (++d; d < shape.size(); ++d)
    if (shard.extent[d] != shape[d])
      return false;
  return true;
}

static int64_t byteOffset(llvm::ArrayRef<int64_t> begin,
                          llvm::ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < begin.size(); ++d)
    offset += begin[d] * strides[d];
  return offset;
}

llvm::Expected<DeviceShards>
shardwright::shardArray(const Array &global, const TensorSharding &sharding,
                        const Mesh *mesh, int64_t numDevices,
                        cpu::ThreadPool &pool) {
  ShardPlan plan = planShards(global.shape(), sharding, mesh, numDevices);
  int64_t width = byteWidth(global.type());
  Dims strides = cpu::rowMajorStrides(global.shape(), width);
  Dims localStrides = cpu::rowMajorStrides(plan.localDims, width);
  int64_t localBytes = product(plan.localDims) * width;
  auto *source = static_cast<const char *>(global.data());

  DeviceShards result;
  result.data.resize(numDevices);
  result.owners.push_back(global.storage());
  struct Move {
    const Shard *shard;
    int64_t offset;
    void *to;
  };
  std::vector<Move> moves;
  for (const Shard &shard : plan.shards) {
    int64_t offset = byteOffset(shard.begin, strides);
    void *data;
    if (localBytes == 0 ||
        isInPlace(global.shape(), shard, plan.localDims, offset)) {
      data = const_cast<char *>(source) + (localBytes == 0 ? 0 : offset);
    } else {
      std::shared_ptr<void> buffer = cpu::allocateHost(localBytes);
      if (!buffer)
        return llvm::createStringError("not enough memory for the shards of " +
                                       global.str());
      data = buffer.get();
      result.owners.push_back(std::move(buffer));
      moves.push_back({&shard, offset, data});
    }
    for (int32_t device : shard.devices)
      result.data[device] = data;
  }
  // A piece of work is at least about 64 KiB.
  int64_t grain = std::max<int64_t>(1, (int64_t(1) << 16) /
                                           std::max<int64_t>(localBytes, 1));
  pool.parallelFor(moves.size(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Move &move = moves[i];
      if (move.shard->extent != plan.localDims)
        std::memset(move.to, 0, localBytes);
      cpu::copyBox(move.to, localStrides, source + move.offset, strides,
                   move.shard->extent, width);
    }
  });
  return result;
}

llvm::Expected<ResultGather>
ResultGather::create(ElementType type, llvm::ArrayRef<int64_t> shape,
                     const TensorSharding &sharding, const Mesh *mesh,
                     int64_t numDevices) {
  if (mesh && !sharding.unreduced.empty())
    return llvm::createStringError(
        "a result that is unreduced along mesh axes cannot be gathered; reduce "
        "it inside the program");
  llvm::Expected<Array> global = Array::allocate(type, shape);
  if (!global)
    return global.takeError();
  ShardPlan plan = planShards(shape, sharding, mesh, numDevices);
  int64_t width = byteWidth(type);
  Dims strides = cpu::rowMajorStrides(shape, width);
  int64_t localBytes = product(plan.localDims) * width;

  ResultGather result;
  result.global = std::move(*global);
  result.localDims = plan.localDims;
  result.buffers.data.resize(numDevices);
  auto *base = static_cast<char *>(result.global.data());
  for (Shard &shard : plan.shards) {
    int64_t offset = byteOffset(shard.begin, strides);
    bool inPlace =
        localBytes > 0 && isInPlace(shape, shard, plan.localDims, offset);
    for (int32_t device : shard.devices) {
      if (inPlace && device == shard.devices.front()) {
        result.buffers.data[device] = base + offset;
        continue;
      }
      std::shared_ptr<void> buffer = cpu::allocateHost(localBytes);
      if (!buffer)
        return llvm::createStringError("not enough memory for the shards of " +
                                       result.global.str());
      result.buffers.data[device] = buffer.get();
      result.buffers.owners.push_back(std::move(buffer));
    }
    result.boxes.push_back(
        {shard.devices.front(), offset, std::move(shard.extent), inPlace});
  }
  return result;
}

Array ResultGather::gather(cpu::ThreadPool &pool) {
  int64_t width = byteWidth(global.type());
  Dims strides = cpu::rowMajorStrides(global.shape(), width);
  Dims localStrides = cpu::rowMajorStrides(localDims, width);
  int64_t localBytes = product(localDims) * width;
  auto *base = static_cast<char *>(global.data());
  int64_t grain = std::max<int64_t>(1, (int64_t(1) << 16) /
                                           std::max<int64_t>(localBytes, 1));
  pool.parallelFor(boxes.size(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (!boxes[i].inPlace)
        cpu::copyBox(base + boxes[i].dstOffset, strides,
                     buffers.data[boxes[i].device], localStrides,
                     boxes[i].extent, width);
  });
  return global;
}
