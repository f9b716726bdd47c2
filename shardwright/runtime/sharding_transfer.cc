//===- sharding_transfer.cc - global arrays to and from devices -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/sharding_transfer.h"

#include "shardwright/runtime/neutral_element.h"
#include "shardwright/runtime/shard_plan.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/host_memory.h"
#include "shardwright/support/shape.h"

#include "llvm/ADT/DenseMap.h"

#include <cstring>

using namespace shardwright;

using Dims = llvm::SmallVector<int64_t, 4>;

using Shard = ShardPlan::Shard;

/// True if the box is a contiguous, aligned range of the global array and has
/// the local shape.
static bool isInPlace(llvm::ArrayRef<int64_t> shape, const Shard &shard,
                      llvm::ArrayRef<int64_t> localDims, int64_t offset) {
  if (llvm::ArrayRef<int64_t>(shard.box.extent) != localDims ||
      offset % 64 != 0)
    return false;
  size_t d = 0;
  while (d < shape.size() && shard.box.extent[d] == 1)
    ++d;
  for (++d; d < shape.size(); ++d)
    if (shard.box.extent[d] != shape[d])
      return false;
  return true;
}

llvm::Expected<DeviceShards> shardwright::placeShards(
    const ShardPlan &plan, ElementType type, llvm::ArrayRef<int64_t> shape,
    ReductionKind reduction, int64_t numDevices, DeviceFilter isWanted,
    llvm::function_ref<std::shared_ptr<void>(const Shard &)> viewOf,
    std::vector<ShardToFill> &toFill) {
  int64_t localCount = product(plan.localDims);
  int64_t localBytes = localCount * byteWidth(type);
  DeviceShards result;
  result.data.resize(numDevices);
  result.isView.resize(numDevices);
  auto noMemory = [&] {
    return llvm::createStringError("not enough memory for the shards of " +
                                   str(type, shape));
  };
  std::shared_ptr<void> neutral;
  auto isAnyWanted = [&](llvm::ArrayRef<int32_t> devices) {
    return !isWanted || llvm::any_of(devices, isWanted);
  };
  for (const Shard &shard : plan.shards) {
    std::shared_ptr<void> data;
    bool isView = false;
    if (isAnyWanted(shard.summands.front())) {
      data = viewOf(shard);
      isView = data != nullptr;
      if (!data) {
        data = cpu::allocateHost(localBytes);
        if (!data)
          return noMemory();
        toFill.push_back({&shard, data.get()});
      }
    }
    for (int32_t device : shard.summands.front()) {
      result.data[device] = data;
      result.isView[device] = isView;
    }
    for (const auto &devices : llvm::drop_begin(shard.summands)) {
      if (!neutral && isAnyWanted(devices)) {
        neutral = cpu::allocateHost(localBytes);
        if (!neutral)
          return noMemory();
        if (llvm::Error e =
                fillNeutral(type, reduction, neutral.get(), localCount))
          return e;
      }
      for (int32_t device : devices)
        result.data[device] = neutral;
    }
  }
  return result;
}

llvm::Expected<DeviceShards>
shardwright::shardArray(const Array &global, const TensorSharding &sharding,
                        const Mesh *mesh, int64_t numDevices,
                        cpu::ThreadPool &pool, DeviceFilter isWanted) {
  // One device has the array as it is, whatever the sharding. (A call of a
  // small program on one device takes a tenth less time.)
  if (numDevices == 1 && !isWanted)
    return DeviceShards{{global.storage()}, {true}};
  ShardPlan plan =
      ShardPlan::create(global.shape(), sharding, mesh, numDevices);
  int64_t width = byteWidth(global.type());
  Dims strides = cpu::rowMajorStrides(global.shape(), width);
  Dims localStrides = cpu::rowMajorStrides(plan.localDims, width);
  int64_t localBytes = product(plan.localDims) * width;
  auto *source = static_cast<const char *>(global.data());

  auto viewOf = [&](const Shard &shard) -> std::shared_ptr<void> {
    if (localBytes == 0)
      return global.storage();
    int64_t offset = offsetOf(shard.box.begin, strides);
    if (!isInPlace(global.shape(), shard, plan.localDims, offset))
      return nullptr;
    return std::shared_ptr<void>(global.storage(),
                                 const_cast<char *>(source) + offset);
  };
  std::vector<ShardToFill> moves;
  auto result =
      placeShards(plan, global.type(), global.shape(), sharding.unreduced.kind,
                  numDevices, isWanted, viewOf, moves);
  if (!result)
    return result;
  // A task moves at least about 64 KiB.
  int64_t grain = std::max<int64_t>(1, (int64_t(1) << 16) /
                                           std::max<int64_t>(localBytes, 1));
  pool.parallelFor(moves.size(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Box &box = moves[i].shard->box;
      if (box.extent != plan.localDims)
        std::memset(moves[i].to, 0, localBytes);
      cpu::copyBox(moves[i].to, localStrides,
                   source + offsetOf(box.begin, strides), strides, box.extent,
                   width);
    }
  });
  return result;
}

llvm::Expected<ResultGather>
ResultGather::create(ElementType type, llvm::ArrayRef<int64_t> shape,
                     const TensorSharding &sharding, const Mesh *mesh,
                     int64_t numDevices) {
  return make(type, shape, sharding, mesh, numDevices, /*allocates=*/true,
              /*isReadable=*/nullptr);
}

llvm::Expected<ResultGather>
ResultGather::ofExisting(ElementType type, llvm::ArrayRef<int64_t> shape,
                         const TensorSharding &sharding, const Mesh *mesh,
                         int64_t numDevices, DeviceFilter isReadable) {
  return make(type, shape, sharding, mesh, numDevices, /*allocates=*/false,
              isReadable);
}

void *ResultGather::allocate(int64_t bytes) {
  owned.push_back(cpu::allocateHost(bytes));
  return owned.back().get();
}

llvm::Expected<ResultGather>
ResultGather::make(ElementType type, llvm::ArrayRef<int64_t> shape,
                   const TensorSharding &sharding, const Mesh *mesh,
                   int64_t numDevices, bool allocates,
                   DeviceFilter isReadable) {
  llvm::Expected<Array> global = Array::allocate(type, shape);
  if (!global)
    return global.takeError();
  ShardPlan plan = ShardPlan::create(shape, sharding, mesh, numDevices);
  int64_t width = byteWidth(type);
  Dims strides = cpu::rowMajorStrides(shape, width);
  int64_t localBytes = product(plan.localDims) * width;

  ResultGather result;
  result.global = std::move(*global);
  result.localDims = plan.localDims;
  result.data.resize(numDevices);
  if (totalSize(sharding.unreduced) > 1) {
    auto reduction =
        cpu::Reduction::create(type, reductionOf(sharding.unreduced.kind));
    if (!reduction)
      return reduction.takeError();
    result.reduction = *reduction;
  }
  auto noMemory = [&] {
    return llvm::createStringError("not enough memory for the shards of " +
                                   result.global.str());
  };
  auto *base = static_cast<char *>(result.global.data());
  for (Shard &shard : plan.shards) {
    Box box;
    llvm::SmallDenseMap<int32_t, int32_t> firstOf; // of the equal summands
    for (const std::vector<int32_t> &devices : shard.summands) {
      auto readable =
          isReadable ? llvm::find_if(devices, isReadable) : devices.begin();
      if (readable == devices.end())
        return llvm::createStringError(
            "the array " + result.global.str() +
            " is not all in this process: a part of it is only on device " +
            llvm::Twine(devices.front()));
      box.devices.push_back(*readable);
      firstOf[*readable] = *llvm::min_element(devices);
    }
    // The order of an all_reduce: by position, whichever of the devices with
    // equal summands is read.
    llvm::sort(box.devices, [&](int32_t a, int32_t b) {
      return firstOf.lookup(a) < firstOf.lookup(b);
    });
    box.dstOffset = offsetOf(shard.box.begin, strides);
    bool fits = localBytes > 0 &&
                isInPlace(shape, shard, plan.localDims, box.dstOffset);
    bool isSum = box.devices.size() > 1;
    box.inPlace = fits && (isSum || allocates);
    if (isSum) {
      box.sum =
          box.inPlace ? base + box.dstOffset : result.allocate(localBytes);
      if (!box.sum)
        return noMemory();
    }
    for (const std::vector<int32_t> &devices : shard.summands)
      for (int32_t device : devices) {
        if (!allocates)
          continue;
        bool isGlobal = box.inPlace && !isSum && device == box.devices.front();
        result.data[device] =
            isGlobal ? base + box.dstOffset : result.allocate(localBytes);
        if (!result.data[device])
          return noMemory();
      }
    box.extent = std::move(shard.box.extent);
    result.boxes.push_back(std::move(box));
  }
  return result;
}

llvm::SmallVector<int32_t, 8> ResultGather::sources() const {
  llvm::SmallVector<int32_t, 8> devices;
  for (const Box &box : boxes)
    llvm::append_range(devices, box.devices);
  return devices;
}

Array ResultGather::gather(cpu::ThreadPool &pool) {
  if (llvm::all_of(boxes,
                   [](const Box &box) { return box.inPlace && !box.sum; }))
    return global;
  int64_t width = byteWidth(global.type());
  Dims strides = cpu::rowMajorStrides(global.shape(), width);
  Dims localStrides = cpu::rowMajorStrides(localDims, width);
  int64_t localCount = product(localDims), localBytes = localCount * width;
  auto *base = static_cast<char *>(global.data());
  int64_t grain = std::max<int64_t>(1, (int64_t(1) << 16) /
                                           std::max<int64_t>(localBytes, 1));
  pool.parallelFor(boxes.size(), grain, [&](int64_t begin, int64_t end) {
    for (const Box &box : llvm::ArrayRef(boxes).slice(begin, end - begin)) {
      const void *from = data[box.devices.front()];
      if (box.sum) {
        llvm::SmallVector<const void *, 8> summands;
        for (int32_t device : box.devices)
          summands.push_back(data[device]);
        reduction->run(summands.data(), summands.size(), box.sum, 0,
                       localCount);
        from = box.sum;
      }
      if (!box.inPlace)
        cpu::copyBox(base + box.dstOffset, strides, from, localStrides,
                     box.extent, width);
    }
  });
  return global;
}
