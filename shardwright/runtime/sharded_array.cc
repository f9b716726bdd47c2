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

llvm::Expected<ShardedArray>
ShardedArray::fromBuffers(llvm::ArrayRef<int64_t> shape, Mesh mesh,
                          TensorSharding sharding,
                          std::vector<Buffer> buffers) {
  if (sharding.rank() != int64_t(shape.size()))
    return llvm::createStringError(
        "a sharding of rank " + llvm::Twine(sharding.rank()) +
        " for an array of rank " + llvm::Twine(shape.size()));
  if (buffers.empty() || int64_t(buffers.size()) != mesh.numDevices())
    return llvm::createStringError(llvm::Twine(buffers.size()) +
                                   " buffers for a mesh of " +
                                   llvm::Twine(mesh.numDevices()) + " devices");
  auto local = localShape(shape, sharding);
  for (auto [device, buffer] : llvm::enumerate(buffers)) {
    if (buffer.device() != DeviceId(device))
      return llvm::createStringError(
          "buffer " + llvm::Twine(device) + " is on device " +
          llvm::Twine(buffer.device().number()) + "; give them in order");
    if (buffer.type() != buffers[0].type() ||
        buffer.shape() != llvm::ArrayRef<int64_t>(local))
      return llvm::createStringError(
          "the shard of device " + llvm::Twine(device) + " is " +
          str(buffers[0].type(), local) + ", but was given " +
          str(buffer.type(), buffer.shape()));
  }
  ShardedArray array;
  array.dims.assign(shape.begin(), shape.end());
  array.axes = std::move(mesh);
  array.layout = std::move(sharding);
  array.parts = std::move(buffers);
  return array;
}

llvm::Expected<ShardedArray> ShardedArray::fromHost(const Array &global,
                                                    Mesh mesh,
                                                    TensorSharding sharding,
                                                    Client &client) {
  if (sharding.rank() != int64_t(global.shape().size()))
    return llvm::createStringError(
        "a sharding of rank " + llvm::Twine(sharding.rank()) +
        " for an array of rank " + llvm::Twine(global.shape().size()));
  int64_t devices = mesh.numDevices();
  auto shards = shardArray(global, sharding, &mesh, devices, client.pool());
  if (!shards)
    return shards.takeError();
  auto local = localShape(global.shape(), sharding);
  std::vector<Buffer> buffers;
  for (int64_t d = 0; d < devices; ++d) {
    std::shared_ptr<void> &data = shards->data[d];
    const void *at = data.get();
    // A run that a view is donated to must not write into the array.
    auto buffer =
        shards->isView[d]
            ? client.viewHost({at, global.type(), local}, d,
                              [keep = std::move(data)] {})
            : client.adoptHost(std::move(data), global.type(), local, d);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
  }
  return fromBuffers(global.shape(), std::move(mesh), std::move(sharding),
                     std::move(buffers));
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
  auto gather = ResultGather::ofExisting(type(), dims, layout, &axes,
                                         int64_t(parts.size()));
  if (!gather)
    return gather.takeError();
  std::vector<std::shared_ptr<const void>> read;
  for (int32_t device : gather->sources()) {
    auto data = parts[device].await();
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
