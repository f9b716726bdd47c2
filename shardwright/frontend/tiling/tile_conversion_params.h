//===- tile_conversion_params.h - parameters of conversions -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TILING_TILE_CONVERSION_PARAMS_H
#define SHARDWRIGHT_FRONTEND_TILING_TILE_CONVERSION_PARAMS_H

#include "shardwright/frontend/shard_map/manual_axes.h"
#include "shardwright/frontend/tiling/tile_types.h"

namespace shardwright::frontend {

/// The primitives' names.
constexpr const char *kFullToShard = "full_to_shard";
constexpr const char *kShardToFull = "shard_to_full";

/// The parameters of an equation of one of them.
struct TileConversion {
  TileConversion(ArrayMapping axes, const Mesh &mesh, const AxisNames &manual);
  explicit TileConversion(const Params &params);
  Params params() const;

  const AbstractMesh &outer() const { return mesh->abstractMesh(); }
  /// The mesh as operations on tiles see it: with its manual axes.
  AbstractMesh inner() const {
    return outer().withTypes(manual, AxisType::Manual);
  }
  ManualScope scope() const { return {inner(), manual, /*check=*/false}; }
  /// Manual axes that divide no dimension, in mesh order.
  AxisNames unmapped() const;
  /// The mapping as a spec.
  PartitionSpec spec() const;
  /// Errors: axes that the mesh does not have, that are mapped and not manual,
  /// or that are Explicit. `what`: the primitive.
  Status check(const char *what) const;

  ArrayMapping axes;
  std::shared_ptr<const MeshParam> mesh;
  AxisNames manual; ///< each once, in mesh order; others follow
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TILING_TILE_CONVERSION_PARAMS_H
