//===- collectives.h - communication in the body of a shardMap --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_COLLECTIVES_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_COLLECTIVES_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend {

/// Axes of a collective: one name, or several of which the first is major.
/// Names are those of mesh axes in the body of a shardMap, or of axes of vmap
/// or pmap.
struct CollectiveAxes {
  CollectiveAxes(const char *name)
      : CollectiveAxes(std::string(name ? name : "")) {}
  CollectiveAxes(std::string name);
  CollectiveAxes(AxisNames list);
  CollectiveAxes(std::initializer_list<const char *> list)
      : CollectiveAxes(AxisNames(list.begin(), list.end())) {}
  AxisNames names;
  bool isTuple = false;
};
/// Groups of positions along the axes that communicate with each other; empty:
/// all positions form one group.
using AxisIndexGroups = std::vector<Ints>;

/// How the result of lax::pcast or lax::all_gather varies along the axes.
enum class Vary { Varying, Invarying, Unreduced, Reduced };

namespace lax {

/// Sum along axes; of a constant, its product with their size. Booleans are
/// counted. JAX: jax.lax.psum.
Tensor psum(const Tensor &x, const CollectiveAxes &axes,
            const AxisIndexGroups &groups = {});
Tensors psum(const Tensors &xs, const CollectiveAxes &axes,
             const AxisIndexGroups &groups = {});
Tensor pmean(const Tensor &x, const CollectiveAxes &axes,
             const AxisIndexGroups &groups = {});
/// Greatest and least values along axes. Not differentiable.
Tensor pmax(const Tensor &x, const CollectiveAxes &axes,
            const AxisIndexGroups &groups = {});
Tensor pmin(const Tensor &x, const CollectiveAxes &axes,
            const AxisIndexGroups &groups = {});

struct GatherOptions {
  AxisIndexGroups groups;
  /// The dimension along which the pieces are joined.
  int64_t axis = 0;
  /// Concatenates the pieces, instead of stacking them along a new dimension.
  bool tiled = false;
  /// Invarying: the type of the result says that all devices hold the same.
  Vary to = Vary::Varying;
};
Tensor all_gather(const Tensor &x, const CollectiveAxes &axes,
                  const GatherOptions &options = {});

struct ScatterOptions {
  int64_t scatterDimension = 0;
  AxisIndexGroups groups;
  /// The dimension is divided, instead of removed.
  bool tiled = false;
};
/// The sum along axes, of which each device keeps one piece. JAX:
/// jax.lax.psum_scatter.
Tensor psum_scatter(const Tensor &x, const CollectiveAxes &axes,
                    const ScatterOptions &options = {});

/// Divides dimension `splitAxis` among the devices along the axes, and joins
/// what they receive along `concatAxis`.
Tensor all_to_all(const Tensor &x, const CollectiveAxes &axes,
                  int64_t splitAxis, int64_t concatAxis, bool tiled = false,
                  const AxisIndexGroups &groups = {});

/// Slices of leading dimensions, as integers along one dimension: as many for
/// each device along the axes of a ragged_all_to_all, in their order.
struct RaggedSlices {
  Tensor inputOffsets, sendSizes; ///< of what this device sends
  Tensor outputOffsets;           ///< where the receivers write it
  Tensor recvSizes;               ///< of what this device receives
};
/// `output` with the slices of `operand` that other devices send. Every device
/// gathers the operands of the others. Derivatives need slices that do not
/// overlap.
Tensor ragged_all_to_all(const Tensor &operand, const Tensor &output,
                         const RaggedSlices &slices, const CollectiveAxes &axes,
                         const AxisIndexGroups &groups = {});

/// Sends x from each source to its target; devices that receive nothing get
/// zeros. Positions along several axes are in mesh order.
using Permutation = std::vector<std::pair<int64_t, int64_t>>;
Tensor ppermute(const Tensor &x, const CollectiveAxes &axes,
                const Permutation &perm);
/// The device at position i receives from perm[i].
Tensor pshuffle(const Tensor &x, const CollectiveAxes &axes, const Ints &perm);
/// Exchanges the axes with a dimension of their size.
Tensor pswapaxes(const Tensor &x, const CollectiveAxes &axes, int64_t axis);
/// The value of the device at position `source`.
Tensor pbroadcast(const Tensor &x, const CollectiveAxes &axes, int64_t source);

/// The position along the axes: an int32.
Tensor axis_index(const CollectiveAxes &axes);
/// Product of the sizes of the axes.
Expected<int64_t> axis_size(const CollectiveAxes &axes);

/// Changes how the type of a value varies along axes; nothing happens at run
/// time. JAX: jax.lax.pcast.
Tensor pcast(const Tensor &x, const CollectiveAxes &axes, Vary to);

} // namespace lax
} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_COLLECTIVES_H
