//===- sharded_array.h - one array over many devices ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_SHARDED_ARRAY_H
#define SHARDWRIGHT_RUNTIME_SHARDED_ARRAY_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/runtime/array.h"
#include "shardwright/runtime/client.h"

namespace shardwright {

/// A global view of the buffers of a mesh, one per device, with the sharding
/// that defines the part in each buffer. Device d of the mesh has DeviceId d. A
/// process holds only the buffers of its addressable devices. Copies share the
/// buffers. The semantics are those of jax.Array.
class ShardedArray {
public:
  /// Buffers of the mesh's addressable devices, at least one, in device order,
  /// of the local shape. If the sharding does not divide the shape, the last
  /// shards are padded.
  static llvm::Expected<ShardedArray>
  fromBuffers(llvm::ArrayRef<int64_t> shape, Mesh mesh, TensorSharding sharding,
              std::vector<Buffer> buffers, const Client &client);
  /// Splits a host array over the addressable devices; every process of a job
  /// passes an equal array. Devices with equal parts share memory, and a part
  /// that is contiguous in the array is not copied; runs never write to it. For
  /// an unreduced sharding, the first devices along the unreduced axes get the
  /// value, all others the neutral element of the sum.
  static llvm::Expected<ShardedArray> fromHost(const Array &global, Mesh mesh,
                                               TensorSharding sharding,
                                               Client &client);

  ElementType type() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  const Mesh &mesh() const { return axes; }
  const TensorSharding &sharding() const { return layout; }
  /// Those of addressable devices, in the order of device numbers.
  llvm::ArrayRef<Buffer> buffers() const { return parts; }
  bool isFullyReplicated() const { return layout.isReplicated(); }
  /// The part of the array on a device, without padding.
  llvm::SmallVector<IndexRange, 4> indices(int32_t device) const;
  /// Number of devices with a lower number that hold the same part (and
  /// summand).
  int64_t replica(int32_t device) const;

  /// Waits for the shards and gathers them: the first of equal parts, the sum
  /// of summands. Fails if a part is on no addressable device.
  llvm::Expected<Array> toHost(Client &client) const;
  /// The same array with another sharding, through the host.
  llvm::Expected<ShardedArray> resharded(Mesh mesh, TensorSharding sharding,
                                         Client &client) const;

private:
  ElementType elementType = ElementType::F32;
  llvm::SmallVector<int64_t, 4> dims;
  Mesh axes;
  TensorSharding layout;
  std::vector<Buffer> parts; ///< in the order of devices
};

/// Buffers of the parts of a host array on the addressable ones of devices
/// 0..numDevices-1, in their order, as ShardedArray::fromHost makes them.
/// `mesh` null, empty or maximal: the whole array on each device. `localShape`
/// is that of a part.
llvm::Expected<std::vector<Buffer>>
buffersOfShards(const Array &global, const TensorSharding &sharding,
                const Mesh *mesh, int64_t numDevices,
                llvm::ArrayRef<int64_t> localShape, Client &client,
                MemoryKind memory = MemoryKind::Device);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_SHARDED_ARRAY_H
