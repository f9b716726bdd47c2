//===- tile_conversion.h - arrays to tiles and back in programs -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TILING_TILE_CONVERSION_H
#define SHARDWRIGHT_FRONTEND_TILING_TILE_CONVERSION_H

#include "shardwright/frontend/array/tensor.h"
#include "shardwright/frontend/tiling/tile_types.h"

#include <memory>

namespace shardwright::frontend {

class ManualScope;

/// In a function that jit traces: the tile that each device holds of an array
/// which these axes divide. Operations on tiles, until shardToFull, run per
/// device along `manualAxes`; values that do not come from fullToShard are the
/// same on all of them. Errors: axes that the mesh does not have, that do not
/// divide the array, that are not manual or that are Explicit. A tile must not
/// leave the function that made it. JAX: full_to_shard_p.
Tensor fullToShard(const Tensor &x, const ArrayMapping &axes, const Mesh &mesh,
                   const AxisNames &manualAxes);
/// The array that tiles make up. Along manual axes that `axes` does not name
/// all devices must hold the same. JAX: shard_to_full_p.
Tensor shardToFull(const Tensor &x, const ArrayMapping &axes, const Mesh &mesh,
                   const AxisNames &manualAxes);

/// Binds manual axes for a scope, so that collectives of tiles can name them.
/// Derivatives of collectives need it, too: open it around `grad`.
class ScopedManualAxes {
public:
  ScopedManualAxes(const Mesh &mesh, const AxisNames &manualAxes);
  ~ScopedManualAxes();
  ScopedManualAxes(const ScopedManualAxes &) = delete;
  ScopedManualAxes &operator=(const ScopedManualAxes &) = delete;

private:
  std::unique_ptr<ManualScope> scope;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TILING_TILE_CONVERSION_H
