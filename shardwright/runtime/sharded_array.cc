//===- sharded_array.cc - one array over many devices ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/sharded_array.h"

#include "shardwright/cpu/box_copy.h"
#include "shardwright/runtime/sharding_transfer.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

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
    if (buffer.device() != int32_t(device))
      return llvm::createStringError(
          "buffer " + llvm::Twine(device) + " is on device " +
          llvm::Twine(buffer.device()) + "; give them in order");
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
  // One owner for all: parts may lie in each other's memory.
  auto owners = std::make_shared<std::vector<std::shared_ptr<void>>>(
      std::move(shards->owners));
  auto local = localShape(global.shape(), sharding);
  std::vector<Buffer> buffers;
  for (int64_t d = 0; d < devices; ++d)
    buffers.push_back(Buffer(d, MemoryKind::Device, global.type(), local,
                             std::shared_ptr<void>(owners, shards->data[d])));
  return fromBuffers(global.shape(), std::move(mesh), std::move(sharding),
                     std::move(buffers));
}

llvm::SmallVector<IndexRange, 4> ShardedArray::indices(int32_t device) const {
  return shardBox(dims, layout, axes, axes.linearIndex(device));
}

int64_t ShardedArray::replica(int32_t device) const {
  auto mine = indices(device);
  int64_t count = 0;
  for (int32_t d = 0; d < device; ++d)
    count += indices(d) == mine;
  return count;
}

llvm::Expected<Array> ShardedArray::toHost(Client &client) const {
  auto global = Array::allocate(type(), dims);
  if (!global)
    return global.takeError();
  if (!layout.unreduced.empty())
    return llvm::createStringError(
        "an array that is unreduced along mesh axes has no value yet; reduce "
        "it in a program");
  int64_t width = byteWidth(type());
  auto strides = cpu::rowMajorStrides(dims, width);
  auto local = localShape(dims, layout);
  auto localStrides = cpu::rowMajorStrides(local, width);
  struct Move {
    std::shared_ptr<const void> from;
    int64_t offset;
    llvm::SmallVector<int64_t, 4> extent;
  };
  std::vector<Move> moves;
  std::set<llvm::SmallVector<int64_t, 4>> seen;
  for (auto [device, buffer] : llvm::enumerate(parts)) {
    llvm::SmallVector<int64_t, 4> begin;
    for (IndexRange range : indices(device))
      begin.push_back(range.begin);
    if (!seen.insert(begin).second)
      continue;
    auto data = buffer.await();
    if (!data)
      return data.takeError();
    Move move{std::move(*data), 0, {}};
    for (auto [range, stride] : llvm::zip(indices(device), strides)) {
      move.offset += range.begin * stride;
      move.extent.push_back(range.size());
    }
    moves.push_back(std::move(move));
  }
  auto *to = static_cast<char *>(global->data());
  client.pool().parallelFor(moves.size(), 1, [&](int64_t begin, int64_t end) {
    for (const Move &move : llvm::ArrayRef(moves).slice(begin, end - begin))
      cpu::copyBox(to + move.offset, strides, move.from.get(), localStrides,
                   move.extent, width);
  });
  return global;
}

llvm::Expected<ShardedArray> ShardedArray::resharded(Mesh mesh,
                                                     TensorSharding sharding,
                                                     Client &client) const {
  auto global = toHost(client);
  if (!global)
    return global.takeError();
  return fromHost(*global, std::move(mesh), std::move(sharding), client);
}
