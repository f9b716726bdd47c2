//===- mixed_axes.h - collectives along vmap and mesh axes ---- -*- C++ -*-===//
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_MIXED_AXES_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_MIXED_AXES_H

#include "shardwright/frontend/shard_map/collective_helpers.h"

namespace shardwright::frontend {

// Batching rules of collectives that name the mapped axis and other axes, which
// remain a collective. `dim`: the batch dimension of `x`, or -1.

/// all_gather, by the primitive of this name.
BatchResult gatherMixed(const char *name, const BatchAxis &axis,
                        const Tensor &x, int64_t dim, const Params &params);
BatchResult scatterMixed(const BatchAxis &axis, const Tensor &x, int64_t dim,
                         const Params &params);
BatchResult allToAllMixed(const BatchAxis &axis, const Tensor &x, int64_t dim,
                          const Params &params);
BatchResult permuteMixed(const BatchAxis &axis, const Tensor &x, int64_t dim,
                         const Params &params);
BatchResult broadcastMixed(const BatchAxis &axis, const Tensor &x, int64_t dim,
                           const Params &params);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_MIXED_AXES_H
