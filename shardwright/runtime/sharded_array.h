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

/// The global view of buffers, one a device of a mesh, with the sharding that
/// says which part each holds. Device d of the mesh has DeviceId d. A process
/// holds the buffers of its addressable devices only. Copies share the buffers.
/// Semantics: jax.Array.
class ShardedArray {
public:
  /// Buffers of the mesh's addressable devices, at least one, in the order of
  /// device numbers, of the local shape. A sharding that does not divide the
  /// shape pads the last shards.
  static llvm::Expected<ShardedArray>
  fromBuffers(llvm::ArrayRef<int64_t> shape, Mesh mesh, TensorSharding sharding,
              std::vector<Buffer> buffers, const Client &client);
  /// Splits a host array over the addressable devices; every process of a job
  /// passes an equal array. Devices with equal parts share memory, and a part
  /// that is contiguous in the array is not copied; runs never write there. Of
  /// an unreduced sharding the devices that are first along its unreduced axes
  /// get the value, the others what a sum does not change.
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
  /// The part of the array that a device holds, padding cut off.
  llvm::SmallVector<IndexRange, 4> indices(int32_t device) const;
  /// How many devices of lower number hold the same part, and the same summand
  /// of it.
  int64_t replica(int32_t device) const;

  /// Waits for the shards and gathers them; of equal parts the first, of
  /// summands the sum. Fails if a part is on no addressable device.
  llvm::Expected<Array> toHost(Client &client) const;
  /// The same array with another sharding, by way of the host.
  llvm::Expected<ShardedArray> resharded(Mesh mesh, TensorSharding sharding,
                                         Client &client) const;

private:
  ElementType elementType = ElementType::F32;
  llvm::SmallVector<int64_t, 4> dims;
  Mesh axes;
  TensorSharding layout;
  std::vector<Buffer> parts; ///< in the order of devices
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_SHARDED_ARRAY_H
