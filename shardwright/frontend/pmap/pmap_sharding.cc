//===- pmap_sharding.cc - placements of arrays of pmap --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/pmap_sharding.h"

#include "shardwright/frontend/primitives/lax.h"

#include <algorithm>

namespace shardwright::frontend {

Expected<PmapSharding> PmapSharding::get(std::vector<Device> devices,
                                         ShardingSpec spec) {
  Expected<Shape> mesh = spec.meshShape();
  if (!mesh)
    return mesh.error();
  if (mesh->elements() != static_cast<int64_t>(devices.size()))
    return valueError("compiling computation that creates ", mesh->elements(),
                      " shards, but ", devices.size(),
                      " devices were specified");
  PmapSharding out;
  out.deviceList = std::move(devices);
  out.shardingSpec = std::move(spec);
  return out;
}

Expected<PmapSharding>
PmapSharding::defaultFor(const Shape &shape,
                         const std::optional<int64_t> &shardedDim,
                         const std::optional<std::vector<Device>> &devices) {
  std::vector<Device> list = devices ? *devices : frontend::devices();
  auto count = static_cast<int64_t>(list.size());
  Expected<ShardingSpec> spec = createPmapShardingSpec(
      shape, shardedDim, shardedDim ? std::optional<int64_t>() : count);
  if (!spec)
    return spec.error();
  if (!devices && shardedDim && shape[*shardedDim] <= count)
    list.resize(shape[*shardedDim]);
  return get(std::move(list), *spec);
}

Expected<PmapSharding> PmapSharding::of(const Tensor &x) {
  if (!x.ok())
    return x.error();
  const Sharding &own = x.sharding();
  auto otherwise = [&](const std::string &why) {
    return valueError("Cannot describe the sharding of an array of shape ",
                      tupleText(x.shape()), " as a PmapSharding: ", why,
                      ". Got ", own.str());
  };
  if (!own.isNamed() || !own.isConcrete())
    return otherwise("it is not a NamedSharding on devices");
  const AbstractMesh &mesh = own.abstractMesh();
  std::vector<DimSharding> dims(x.rank());
  std::vector<MeshDim> mapping;
  for (int64_t size : mesh.sizes())
    mapping.emplace_back(Replicated{size});
  // Each axis of a dimension is a sharded axis of its own, unless it divides
  // the dimension into single elements.
  int64_t next = 0;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const AxisNames &axes = own.spec()[d].axes;
    Ints chunks;
    for (const std::string &axis : axes)
      chunks.push_back(mesh.sizeOf(axis));
    if (axes.empty())
      continue;
    if (axes.size() == 1 && chunks[0] == x.dim(d))
      dims[d] = Unstacked{chunks[0]};
    else
      dims[d] = Chunked{chunks};
    for (const std::string &axis : axes)
      mapping[mesh.find(axis)] = ShardedAxis{next++};
  }
  return get(own.devices(), {std::move(dims), std::move(mapping)});
}

Expected<std::vector<ShardIndex>>
PmapSharding::devicesIndicesMap(const Shape &shape) const {
  return shardingSpec.indices(shape);
}

Expected<Shape> PmapSharding::shardShape(const Shape &shape) const {
  return shardingSpec.shardShape(shape);
}

bool PmapSharding::isFullyReplicated() const {
  return std::all_of(shardingSpec.meshMapping.begin(),
                     shardingSpec.meshMapping.end(), [](const MeshDim &dim) {
                       return std::holds_alternative<Replicated>(dim);
                     });
}

Expected<Sharding> PmapSharding::named() const {
  Expected<Shape> shape = shardingSpec.meshShape();
  if (!shape)
    return shape.error();
  AxisNames names;
  std::map<int64_t, std::string> ofAxis;
  for (const MeshDim &dim : shardingSpec.meshMapping) {
    names.push_back(cat("_axis_", names.size()));
    if (const auto *sharded = std::get_if<ShardedAxis>(&dim))
      ofAxis[sharded->axis] = names.back();
  }
  if (names.empty()) {
    names = {"_axis_0"};
    *shape = {1};
  }
  std::vector<SpecEntry> entries;
  int64_t next = 0;
  for (const DimSharding &dim : shardingSpec.sharding) {
    AxisNames own;
    size_t count = 0;
    if (const auto *chunked = std::get_if<Chunked>(&dim))
      count = chunked->chunks.size();
    else if (std::holds_alternative<Unstacked>(dim))
      count = 1;
    while (count-- > 0)
      own.push_back(ofAxis[next++]);
    entries.emplace_back(own);
  }
  Expected<Mesh> mesh = Mesh::get(deviceList, *shape, names);
  Expected<PartitionSpec> spec = PartitionSpec::get(std::move(entries));
  if (!mesh || !spec)
    return mesh ? spec.error() : mesh.error();
  return Sharding::named(*mesh, *spec);
}

std::string PmapSharding::str() const {
  Expected<Shape> shape = shardingSpec.meshShape();
  return cat("PmapSharding(sharding_spec=", shardingSpec.str(),
             ", device_ids=", idsText(deviceList),
             ", device_platform=CPU, device_shape=",
             shape ? tupleText(*shape) : "()", ")");
}

Expected<Tensors> pmapShards(const Tensor &x, const PmapSharding &sharding) {
  if (!x.ok())
    return x.error();
  Expected<Sharding> named = sharding.named();
  Expected<std::vector<ShardIndex>> indices =
      sharding.devicesIndicesMap(x.shape());
  if (!named || !indices)
    return named ? indices.error() : named.error();
  Expected<std::vector<Shard>> shards = addressableShards(x);
  if (!shards)
    return shards.error();
  if (!x.sharding().isEquivalentTo(*named, x.rank()))
    return valueError("The array is not placed as ", sharding.str(),
                      " says. Got ", x.sharding().str());
  Ints unstacked;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (std::holds_alternative<Unstacked>(sharding.spec().sharding[d]))
      unstacked.push_back(d);
  Tensors out;
  for (const Shard &shard : *shards)
    out.push_back(unstacked.empty() ? shard.data
                                    : lax::squeeze(shard.data, unstacked));
  if (const Error *error = errorIn(out))
    return *error;
  return out;
}

} // namespace shardwright::frontend
