//===- replicas.h - counts of devices, arrays on all of them ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_REPLICAS_H
#define SHARDWRIGHT_FRONTEND_PMAP_REPLICAS_H

#include "shardwright/frontend/pmap/pmap.h"
#include "shardwright/frontend/pmap/pmap_sharding.h"

namespace shardwright::frontend {

/// How many devices a pmapped function runs on. Semantics:
/// jax.interpreters.pxla.ReplicaInfo.
struct ReplicaInfo {
  /// For one slice: the product of the sizes of pmaps inside, the greatest of
  /// those side by side.
  int64_t jaxprReplicas = 1;
  /// With the mapped axis, of this process and of all processes.
  int64_t numLocalReplicas = 1, numGlobalReplicas = 1;
  friend bool operator==(const ReplicaInfo &, const ReplicaInfo &) = default;
};
/// `body`: the program of one slice. Fails if a count is too large.
Expected<ReplicaInfo> findReplicas(const Jaxpr &body, int64_t axisSize,
                                   int64_t globalAxisSize);
/// Of the trace of a pmapped function.
Expected<ReplicaInfo> findReplicas(const TracedStage &pmapped);

/// The type of a slice along an axis: without that dimension. Errors: another
/// size. A token is its own slice.
Expected<Aval> shardAval(int64_t size, int64_t axis, const Aval &type);

struct ReplicateOptions {
  int64_t axisSize = 1;
  /// A multiple of `axisSize`.
  int64_t numReplicas = 1;
  /// Not given: the first devices.
  std::optional<std::vector<Device>> devices = {};
  /// Where the mapped axis is in the result; None: the result has none.
  std::optional<int64_t> inAxis = 0;
};
/// The value on `numReplicas` devices, as pmap over an axis of `axisSize` takes
/// it: each slice of the result is the value. JAX: pxla.replicate.
Tensor replicate(const Tensor &x, const ReplicateOptions &options);

/// The pieces of each argument, one on each device of its sharding, without
/// dimensions that are Unstacked. Pieces that are in place are not copied.
/// Errors: as many shardings as arguments are needed; an argument that does not
/// fit its sharding.
Expected<std::vector<Tensors>>
shardArgs(const std::vector<PmapSharding> &shardings, const Tensors &args);

/// An array of this type from its shards, put on the k-th device each. A shard
/// that is there is used as it is. Errors: another number of shards than of
/// devices, and those of makeArrayFromSingleDeviceArrays. JAX:
/// pxla.batched_device_put.
Tensor batchedDevicePut(const Aval &type, const Sharding &sharding,
                        const Tensors &shards,
                        const std::vector<Device> &devices);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_REPLICAS_H
