//===- replicas.cc - counts of devices, arrays on all of them -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/replicas.h"

#include "shardwright/frontend/primitives/lax.h"
#include "shardwright/frontend/shard_map/shard_map_primitive.h"

namespace shardwright::frontend {
namespace {

/// The most devices that pmaps inside of a program run on; INT64_MAX if too
/// many.
int64_t replicasOf(const Jaxpr &jaxpr) {
  int64_t most = 1;
  for (const Eqn &eqn : jaxpr.eqns) {
    int64_t own = 1, inside = 1;
    if (eqn.primitive->name == "shard_map") {
      ShardMapEqn map(eqn.params);
      own = sizeOf(map.outer(), map.manual);
    }
    Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
      inside = std::max(inside, replicasOf(*inner));
    });
    if (__builtin_mul_overflow(own, inside, &own))
      return INT64_MAX;
    most = std::max(most, own);
  }
  return most;
}

/// The first shard_map of a program or of those that it calls, or null.
const Eqn *findMap(const Jaxpr &jaxpr) {
  for (const Eqn &eqn : jaxpr.eqns) {
    if (eqn.primitive->name == "shard_map")
      return &eqn;
    const Eqn *found = nullptr;
    Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
      found = found ? found : findMap(*inner);
    });
    if (found)
      return found;
  }
  return nullptr;
}

} // namespace

Expected<ReplicaInfo> findReplicas(const Jaxpr &body, int64_t axisSize,
                                   int64_t globalAxisSize) {
  if (axisSize < 1 || globalAxisSize < axisSize)
    return valueError("Sizes of an axis must be at least 1, and the global one "
                      "not below the local one. Got axis_size=",
                      axisSize, ", global_axis_size=", globalAxisSize);
  ReplicaInfo out;
  out.jaxprReplicas = replicasOf(body);
  if (__builtin_mul_overflow(axisSize, out.jaxprReplicas,
                             &out.numLocalReplicas) ||
      __builtin_mul_overflow(globalAxisSize, out.jaxprReplicas,
                             &out.numGlobalReplicas))
    return valueError("Nested pmaps have too many replicas");
  return out;
}

Expected<ReplicaInfo> findReplicas(const TracedStage &pmapped) {
  const Eqn *map = pmapped.jaxpr ? findMap(*pmapped.jaxpr) : nullptr;
  if (!map)
    return valueError("findReplicas requires the trace of a pmapped function");
  ShardMapEqn own(map->params);
  int64_t size = sizeOf(own.outer(), own.manual);
  return findReplicas(*own.jaxpr, size, size);
}

Expected<Aval> shardAval(int64_t size, int64_t axis, const Aval &type) {
  if (type.dtype == DType::Token)
    return type;
  if (axis < 0 || axis >= type.rank() || type.shape[axis] != size)
    return valueError("Axis size ", size, " does not match dimension ", axis,
                      " of shape ", tupleText(type.shape));
  return type.withoutDim(axis);
}

Tensor replicate(const Tensor &x, const ReplicateOptions &options) {
  if (!x.ok())
    return x;
  std::vector<Device> all = options.devices ? *options.devices : devices();
  if (options.numReplicas > static_cast<int64_t>(all.size())) {
    std::string list;
    for (Device device : all)
      list += cat(list.empty() ? "" : ", ", device.str());
    return valueError(
        "Cannot replicate across ", options.numReplicas,
        " replicas because only ", all.size(), " local devices are available.",
        options.devices ? cat(" (local devices = ", list, ")") : "");
  }
  Expected<ShardingSpec> spec = pmapShardingSpec(
      options.numReplicas, options.axisSize, x.shape(), options.inAxis);
  if (!spec)
    return spec.error();
  all.resize(options.numReplicas);
  Expected<PmapSharding> sharding = PmapSharding::get(all, *spec);
  if (!sharding)
    return sharding.error();
  Expected<Sharding> named = sharding->named();
  if (!named)
    return named.error();
  Tensor piece = x;
  Shape shape = x.shape();
  if (options.inAxis) {
    piece = lax::expand_dims(x, {*options.inAxis});
    shape.insert(shape.begin() + *options.inAxis, options.axisSize);
  }
  return batchedDevicePut(x.aval().withShape(shape), *named,
                          Tensors(all.size(), piece), all);
}

Expected<std::vector<Tensors>>
shardArgs(const std::vector<PmapSharding> &shardings, const Tensors &args) {
  if (shardings.size() != args.size())
    return valueError("shardArgs requires one sharding for each argument, but "
                      "got ",
                      shardings.size(), " shardings and ", args.size(),
                      " arguments");
  std::vector<Tensors> out;
  for (size_t i = 0; i < args.size(); ++i) {
    if (const Error *error = errorIn(args[i]))
      return *error;
    // The spec says what is wrong with a shape in its own terms.
    Expected<Shape> shard = shardings[i].shardShape(args[i].shape());
    Expected<Sharding> named = shardings[i].named();
    if (!shard || !named)
      return shard ? named.error() : shard.error();
    Expected<Tensors> pieces =
        pmapShards(devicePut(args[i], *named), shardings[i]);
    if (!pieces)
      return pieces.error();
    out.push_back(*pieces);
  }
  return out;
}

Tensor batchedDevicePut(const Aval &type, const Sharding &sharding,
                        const Tensors &shards,
                        const std::vector<Device> &devices) {
  if (shards.size() != devices.size())
    return valueError("batchedDevicePut requires one device for each shard, "
                      "but got ",
                      shards.size(), " shards and ", devices.size(),
                      " devices");
  Tensors placed;
  for (size_t i = 0; i < shards.size(); ++i) {
    placed.push_back(devicePut(shards[i], devices[i]));
    if (const Error *error = errorIn(placed.back()))
      return *error;
    if (placed.back().dtype() != type.dtype)
      return valueError("Input buffers to `Array` must have matching dtypes. "
                        "Got ",
                        name(placed.back().dtype()), ", expected ",
                        name(type.dtype), " for buffer: ", placed.back().str());
  }
  return makeArrayFromSingleDeviceArrays(type.shape, sharding, placed);
}

} // namespace shardwright::frontend
