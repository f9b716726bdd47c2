//===- pmap_sharding.h - placements of arrays of pmap -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_PMAP_SHARDING_H
#define SHARDWRIGHT_FRONTEND_PMAP_PMAP_SHARDING_H

#include "shardwright/frontend/array/tensor.h"
#include "shardwright/frontend/pmap/sharding_spec.h"

namespace shardwright::frontend {

/// A ShardingSpec on devices: shard k is on the k-th device. The shapes of
/// shards lack dimensions that are Unstacked. Arrays have NamedShardings; this
/// is how one of pmap reads as the classic concept. Semantics:
/// jax.sharding.PmapSharding, which later releases of JAX dropped.
class PmapSharding {
public:
  PmapSharding() = default;
  /// Errors: a spec that is not valid; another number of devices than shards.
  static Expected<PmapSharding> get(std::vector<Device> devices,
                                    ShardingSpec spec);
  /// That of a pmap over `shardedDim` (None: over no dimension). `devices`: as
  /// many as the dimension has elements; not given: the first ones. JAX:
  /// PmapSharding.default.
  static Expected<PmapSharding>
  defaultFor(const Shape &shape, const std::optional<int64_t> &shardedDim = 0,
             const std::optional<std::vector<Device>> &devices = {});
  /// How an array of pmap is placed. Errors: a sharding that is no
  /// NamedSharding on devices, or whose shards along the sharded dimension do
  /// not have one element each.
  static Expected<PmapSharding> of(const Tensor &x);

  const std::vector<Device> &devices() const { return deviceList; }
  const ShardingSpec &spec() const { return shardingSpec; }
  /// What each device holds, in their order. Errors: as ShardingSpec::indices.
  Expected<std::vector<ShardIndex>> devicesIndicesMap(const Shape &shape) const;
  /// Without Unstacked dimensions.
  Expected<Shape> shardShape(const Shape &shape) const;
  bool isFullyReplicated() const;
  /// The same placement over a mesh with an axis for each mesh dimension of the
  /// spec: `_axis_0`, .. Its shards keep Unstacked dimensions, of size 1.
  Expected<Sharding> named() const;
  /// `PmapSharding(sharding_spec=ShardingSpec(..), device_ids=[0, 1],
  /// device_platform=CPU, device_shape=(2,))`.
  std::string str() const;
  friend bool operator==(const PmapSharding &, const PmapSharding &) = default;

private:
  std::vector<Device> deviceList;
  ShardingSpec shardingSpec;
};

/// The shards of an array in the order of the devices of this sharding, without
/// dimensions that are Unstacked. Errors: an array that is placed otherwise.
Expected<Tensors> pmapShards(const Tensor &x, const PmapSharding &sharding);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_PMAP_SHARDING_H
