//===- sharding_spec.h - how pmap divides arrays ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_SHARDING_SPEC_H
#define SHARDWRIGHT_FRONTEND_PMAP_SHARDING_SPEC_H

#include "shardwright/frontend/base/error.h"
#include "shardwright/frontend/base/shape.h"

#include <map>
#include <optional>
#include <variant>

namespace shardwright::frontend {

/// A dimension that is not divided.
struct NoSharding {
  friend bool operator==(NoSharding, NoSharding) = default;
};
/// A dimension of as many slices as the product of these counts, one after
/// another. Each count is a sharded axis.
struct Chunked {
  Ints chunks;
  friend bool operator==(const Chunked &, const Chunked &) = default;
};
/// A dimension of `size` elements, of which a shard has one and not the
/// dimension. A sharded axis.
struct Unstacked {
  int64_t size = 0;
  friend bool operator==(Unstacked, Unstacked) = default;
};
using DimSharding = std::variant<NoSharding, Chunked, Unstacked>;

/// A mesh dimension along which shards differ: that of the `axis`-th sharded
/// axis, counted over the dimensions from left to right.
struct ShardedAxis {
  int64_t axis = 0;
  friend bool operator==(ShardedAxis, ShardedAxis) = default;
};
/// A mesh dimension along which all devices hold the same.
struct Replicated {
  int64_t replicas = 1;
  friend bool operator==(Replicated, Replicated) = default;
};
using MeshDim = std::variant<ShardedAxis, Replicated>;

/// The part of one dimension that a shard holds.
struct ShardDim {
  enum class Kind : uint8_t { All, Slice, Element };
  Kind kind = Kind::All;
  /// Of a slice; an element is `begin`.
  int64_t begin = 0, end = 0;
  friend bool operator==(const ShardDim &, const ShardDim &) = default;
};
using ShardIndex = std::vector<ShardDim>;
/// `(0, slice(0, 2), slice(None))`.
std::string str(const ShardIndex &index);

/// The shards of arrays on a mesh without names: how each dimension is divided,
/// and which dimension of the mesh divides it. Semantics:
/// jax.interpreters.pxla.ShardingSpec, which later releases of JAX dropped.
class ShardingSpec {
public:
  ShardingSpec() = default;
  ShardingSpec(std::vector<DimSharding> s, std::vector<MeshDim> m)
      : sharding(std::move(s)), meshMapping(std::move(m)) {}

  /// The size of each mesh dimension. Errors: a sharded axis that is not there,
  /// or that is used twice or never; sizes below 1, or too large a product.
  Expected<Shape> meshShape() const;
  /// What each device holds, row-major over the mesh. Errors: as meshShape; a
  /// shape of another rank, or that does not divide.
  Expected<std::vector<ShardIndex>> indices(const Shape &shape) const;
  /// The shape of a shard. Errors: as `indices`.
  Expected<Shape> shardShape(const Shape &shape) const;
  /// `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`. Errors: as meshShape; an
  /// Unstacked dimension.
  Expected<std::string> hloText() const;
  /// `ShardingSpec((Unstacked(8), NoSharding()), (ShardedAxis(axis=0),))`.
  std::string str() const;
  friend bool operator==(const ShardingSpec &, const ShardingSpec &) = default;

  std::vector<DimSharding> sharding;
  std::vector<MeshDim> meshMapping;

private:
  /// The sizes of the sharded axes.
  Ints axisSizes() const;
};

/// As ShardingSpec::indices.
Expected<std::vector<ShardIndex>> specToIndices(const Shape &shape,
                                                const ShardingSpec &spec);

/// How pmap over an axis divides a value whose slices are divided as `inner`.
/// `numReplicas`: all devices, a multiple of `axisSize`; those of one slice
/// hold the same. `innerShape`: that of a slice. `mapAxis`: where the axis is,
/// or not mapped. `inner`: of a nested pmap; none: not divided.
Expected<ShardingSpec>
pmapShardingSpec(int64_t numReplicas, int64_t axisSize, const Shape &innerShape,
                 const std::optional<int64_t> &mapAxis,
                 const std::optional<ShardingSpec> &inner = {});

/// The spec of one pmap over `shardedDim` of a shape; None: over no dimension.
/// `size`: of the axis; not given: that of the dimension.
Expected<ShardingSpec>
createPmapShardingSpec(const Shape &shape,
                       const std::optional<int64_t> &shardedDim = 0,
                       const std::optional<int64_t> &size = {});

/// Names of axes with the dimension that they divide, in order; several names
/// on one dimension: the first is major. JAX: ArrayMapping.
using ArrayMapping = std::vector<std::pair<std::string, int64_t>>;

/// The spec of a value of that rank over a mesh. `positions`: the mesh
/// dimension of each name; dimensions without a name are replicated.
Expected<ShardingSpec>
makeShardingSpec(const Ints &axisSizes,
                 const std::map<std::string, int64_t> &positions, int64_t rank,
                 const ArrayMapping &axes);

/// The same for a value of that shape, which must divide. JAX:
/// mesh_sharding_specs(sizes, names)(aval, axes).
Expected<ShardingSpec> meshShardingSpec(const Ints &axisSizes,
                                        const std::vector<std::string> &names,
                                        const Shape &shape,
                                        const ArrayMapping &axes);
/// That of a token, which has no dimensions.
ShardingSpec tokenShardingSpec(const Ints &axisSizes);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_SHARDING_SPEC_H
