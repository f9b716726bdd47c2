//===- sharded_array.cc - one array over many devices ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/sharded_array.h"

#include "shardwright/runtime/sharding_transfer.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

static llvm::Error checkRank(const TensorSharding &sharding, size_t rank) {
  if (sharding.rank() == int64_t(rank))
    return llvm::Error::success();
  return llvm::createStringError("the sharding has rank " +
                                 llvm::Twine(sharding.rank()) +
                                 ", the array has rank " + llvm::Twine(rank));
}

static llvm::SmallVector<int32_t, 8> addressableDevices(const Mesh &mesh,
                                                        const Client &client) {
  llvm::SmallVector<int32_t, 8> devices;
  for (int32_t d = 0; d < mesh.numDevices(); ++d)
    if (client.backend().isAddressable(d))
      devices.push_back(d);
  return devices;
}

llvm::Expected<ShardedArray>
ShardedArray::fromBuffers(llvm::ArrayRef<int64_t> shape, Mesh mesh,
                          TensorSharding sharding, std::vector<Buffer> buffers,
                          const Client &client) {
  if (llvm::Error e = checkRank(sharding, shape.size()))
    return e;
  llvm::SmallVector<int32_t, 8> devices = addressableDevices(mesh, client);
  if (buffers.empty() || buffers.size() != devices.size())
    return llvm::createStringError(
        llvm::Twine(buffers.size()) + " buffers for a mesh of " +
        llvm::Twine(mesh.numDevices()) +
        " devices, of which this process has " + llvm::Twine(devices.size()));
  auto local = localShape(shape, sharding);
  for (auto [device, buffer] : llvm::zip_equal(devices, buffers)) {
    if (buffer.device() != DeviceId(device))
      return llvm::createStringError(
          "a buffer of device " + llvm::Twine(buffer.device().number()) +
          " is in the place of that of device " + llvm::Twine(device) +
          "; give buffers in the order of devices");
    if (buffer.type() != buffers[0].type() ||
        buffer.shape() != llvm::ArrayRef<int64_t>(local))
      return llvm::createStringError(
          "the shard of device " + llvm::Twine(device) + " is " +
          str(buffers[0].type(), local) + ", but was given " +
          str(buffer.type(), buffer.shape()));
  }
  ShardedArray array;
  array.elementType = buffers[0].type();
  array.dims.assign(shape.begin(), shape.end());
  array.axes = std::move(mesh);
  array.layout = std::move(sharding);
  array.parts = std::move(buffers);
  return array;
}

llvm::Expected<std::vector<Buffer>>
shardwright::buffersOf(DeviceShards shards, ElementType type,
                       llvm::ArrayRef<int64_t> localShape, Client &client,
                       MemoryKind memory) {
  std::vector<Buffer> buffers;
  for (auto [d, data] : llvm::enumerate(shards.data)) {
    if (!client.backend().isAddressable(d))
      continue;
    const void *at = data.get();
    // A run must not write to a donated view of the array.
    bool isView = shards.isView[d];
    auto buffer =
        isView ? client.viewHost(
                     {at, type, localShape}, d, [keep = std::move(data)] {},
                     memory)
               : client.adoptHost(std::move(data), type, localShape, d, memory);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
  }
  return buffers;
}

llvm::Expected<std::vector<Buffer>> shardwright::buffersOfShards(
    const Array &global, const TensorSharding &sharding, const Mesh *mesh,
    int64_t numDevices, llvm::ArrayRef<int64_t> localShape, Client &client,
    MemoryKind memory) {
  auto isAddressable = [&](int32_t device) {
    return client.backend().isAddressable(device);
  };
  auto shards = shardArray(global, sharding, mesh, numDevices, client.pool(),
                           isAddressable);
  if (!shards)
    return shards.takeError();
  return buffersOf(std::move(*shards), global.type(), localShape, client,
                   memory);
}

llvm::Expected<ShardedArray> ShardedArray::fromHost(const Array &global,
                                                    Mesh mesh,
                                                    TensorSharding sharding,
                                                    Client &client) {
  if (llvm::Error e = checkRank(sharding, global.shape().size()))
    return e;
  auto buffers = buffersOfShards(global, sharding, &mesh, mesh.numDevices(),
                                 localShape(global.shape(), sharding), client);
  if (!buffers)
    return buffers.takeError();
  ShardedArray array;
  array.elementType = global.type();
  array.dims.assign(global.shape().begin(), global.shape().end());
  array.parts = std::move(*buffers);
  array.axes = std::move(mesh);
  array.layout = std::move(sharding);
  return array;
}

llvm::SmallVector<IndexRange, 4> ShardedArray::indices(int32_t device) const {
  return shardBox(dims, layout, axes, axes.linearIndex(device));
}

int64_t ShardedArray::replica(int32_t device) const {
  auto mine = indices(device);
  auto summand = [&](int32_t d) {
    return axes.shardIndex(axes.linearIndex(d), layout.unreduced);
  };
  int64_t count = 0;
  for (int32_t d = 0; d < device; ++d)
    count += indices(d) == mine && summand(d) == summand(device);
  return count;
}

llvm::Expected<Array> ShardedArray::toHost(Client &client) const {
  auto find = [&](int32_t device) {
    auto *found = llvm::lower_bound(
        buffers(), DeviceId(device),
        [](const Buffer &b, DeviceId id) { return b.device() < id; });
    return found != buffers().end() && found->device() == DeviceId(device)
               ? found
               : nullptr;
  };
  auto gather = ResultGather::ofExisting(type(), dims, layout, &axes,
                                         axes.numDevices(), find);
  if (!gather)
    return gather.takeError();
  std::vector<std::shared_ptr<const void>> read;
  for (int32_t device : gather->sources()) {
    auto data = find(device)->await();
    if (!data)
      return data.takeError();
    gather->setBuffer(device, data->get());
    read.push_back(std::move(*data));
  }
  return gather->gather(client.pool());
}

llvm::Expected<ShardedArray> ShardedArray::resharded(Mesh mesh,
                                                     TensorSharding sharding,
                                                     Client &client) const {
  auto global = toHost(client);
  if (!global)
    return global.takeError();
  return fromHost(*global, std::move(mesh), std::move(sharding), client);
}
