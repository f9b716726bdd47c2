//===- shard_map_primitive.h - shardMap as an equation ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARD_MAP_PRIMITIVE_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARD_MAP_PRIMITIVE_H

#include "shardwright/frontend/shard_map/manual_axes.h"
#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {

/// The parameters of a shard_map equation. Inputs and results of the jaxpr are
/// the pieces of one device.
struct ShardMapEqn {
  ShardMapEqn() = default;
  explicit ShardMapEqn(const Params &params);
  Params params() const;

  /// The mesh as the body sees it: with its manual axes.
  AbstractMesh inner() const;
  const AbstractMesh &outer() const { return mesh->abstractMesh(); }
  /// Along these axes specs may divide values.
  ManualScope scope() const { return {inner(), manual, check}; }

  /// The type of the piece of one device, and that of all pieces together.
  Aval localType(const Aval &global, const PartitionSpec &spec) const;
  Aval globalType(const Aval &local, const PartitionSpec &spec) const;
  /// Newly manual axes that a spec does not mention, in mesh order.
  AxisNames unmentioned(const PartitionSpec &spec) const;
  /// Applies the equation in the current trace. Constants of the jaxpr become
  /// leading operands.
  Tensors bind(const Tensors &args) const;
  /// As `bind`, in a given trace that records.
  Tensors bindIn(JaxprTrace &trace, const Tensors &args) const;

  JaxprPtr jaxpr;
  std::vector<PartitionSpec> in, out;
  std::shared_ptr<const MeshParam> mesh;
  AxisNames manual; ///< newly manual axes, in mesh order
  bool check = true;
};

// Rules of the primitive (shard_map_rules.cc).
JvpResult jvpShardMap(const Tensors &in, const MaybeTensors &t,
                      const Params &params);
JvpResult linearizeShardMap(JaxprTrace &tangents, const TracePtr &known,
                            const Tensors &in, const MaybeTensors &t,
                            const Params &params);
MaybeTensors transposeShardMap(const MaybeTensors &ct, const MaybeTensors &in,
                               const std::vector<Aval> &types,
                               const Params &params);
BatchResult batchShardMap(const BatchAxis &axis, const Tensors &in,
                          const Ints &dims, const Params &params);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_SHARD_MAP_PRIMITIVE_H
