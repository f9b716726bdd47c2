//===- read_arguments.cc - the arguments of one process -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/job/read_arguments.h"

#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/sharded_array.h"
#include "shardwright/runtime/sharding_transfer.h"
#include "shardwright/support/shape.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace shardwright;

/// Reads the shards of an array that may be smaller than the value, whose
/// dimensions have bounded sizes.
static llvm::Expected<DeviceShards>
readShards(ArrayReader &array, const ValueSpec &value, const Mesh *mesh,
           int64_t numDevices, const Client &client) {
  ShardPlan plan =
      ShardPlan::create(value.shape, value.sharding, mesh, numDevices);
  std::vector<ShardToFill> toFill;
  auto shards = placeShards(
      plan, value.type, value.shape, value.sharding.unreduced.kind, numDevices,
      [&](int32_t device) { return client.backend().isAddressable(device); },
      [](const ShardPlan::Shard &) { return nullptr; }, toFill);
  if (!shards)
    return shards;
  int64_t width = byteWidth(value.type);
  auto strides = rowMajorStrides(plan.localDims, width);
  const Box whole{llvm::SmallVector<int64_t, 4>(array.shape().size(), 0),
                  llvm::SmallVector<int64_t, 4>(array.shape())};
  std::vector<BoxTarget> targets;
  for (const ShardToFill &fill : toFill) {
    Box box = intersection(fill.shard->box, whole);
    if (box.extent != plan.localDims)
      std::memset(fill.to, 0, product(plan.localDims) * width);
    if (product(box.extent) > 0)
      targets.push_back({std::move(box), fill.to, strides});
  }
  if (llvm::Error e = readBoxes(array, targets))
    return e;
  return shards;
}

/// The size of a dimension of another array, as a value on every device.
static llvm::Expected<Array> sizeOf(const ArrayReader &array, int32_t dim) {
  auto size = Array::allocate(ElementType::S32, {});
  if (size)
    *static_cast<int32_t *>(size->data()) = int32_t(array.shape()[dim]);
  return size;
}

llvm::Expected<std::vector<std::vector<Buffer>>>
shardwright::readArguments(const Executable &executable,
                           llvm::ArrayRef<std::unique_ptr<ArrayReader>> arrays,
                           Client &client) {
  llvm::ArrayRef<ValueSpec> values = executable.arguments();
  if (llvm::Error e = checkArguments(values, arrays.size(), [&](size_t i) {
        return std::pair(arrays[i]->type(), arrays[i]->shape());
      }))
    return e;
  int64_t numDevices = executable.numDevices();
  size_t numLocal = 0;
  for (int64_t d = 0; d < numDevices; ++d)
    numLocal += client.backend().isAddressable(d);
  std::vector<std::vector<Buffer>> buffers(numLocal);
  for (auto [i, value] : llvm::enumerate(values)) {
    const Mesh *mesh =
        value.mesh < 0 ? nullptr : &executable.meshes()[value.mesh];
    llvm::ArrayRef<int64_t> localShape =
        executable.program().arguments()[i].shape;
    llvm::Expected<std::vector<Buffer>> placed = std::vector<Buffer>();
    if (i < arrays.size()) {
      auto shards = readShards(*arrays[i], value, mesh, numDevices, client);
      placed = shards ? buffersOf(std::move(*shards), value.type, localShape,
                                  client, value.memory)
                      : shards.takeError();
    } else {
      auto size = sizeOf(*arrays[value.sizeOf], value.sizeOfDim);
      placed = size ? buffersOfShards(*size, value.sharding, mesh, numDevices,
                                      localShape, client, value.memory)
                    : size.takeError();
    }
    if (!placed)
      return placed.takeError();
    for (auto [d, buffer] : llvm::enumerate(*placed))
      buffers[d].push_back(std::move(buffer));
  }
  return buffers;
}
