//===- slices.h - slices along one dimension -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_SLICES_H
#define SHARDWRIGHT_FRONTEND_NUMPY_SLICES_H

#include "shardwright/frontend/primitives/lax.h"

// JAX: jax.lax. Negative axes count from the end, and so do negative positions;
// windows beyond the end are moved inside.
namespace shardwright::frontend::lax {

/// x[i] along an axis; an error if i is out of bounds.
Tensor index_in_dim(const Tensor &x, int64_t index, int64_t axis = 0,
                    bool keepDims = true);
Tensor dynamic_slice_in_dim(const Tensor &x, const Tensor &start, int64_t size,
                            int64_t axis = 0);
Tensor dynamic_index_in_dim(const Tensor &x, const Tensor &index,
                            int64_t axis = 0, bool keepDims = true);
Tensor dynamic_update_slice_in_dim(const Tensor &x, const Tensor &update,
                                   const Tensor &start, int64_t axis);
/// `update` may lack the dimension `axis`.
Tensor dynamic_update_index_in_dim(const Tensor &x, const Tensor &update,
                                   const Tensor &index, int64_t axis);
/// Elements of x at positions along several axes: `indices` holds one array of
/// positions for each axis.
Tensor index_take(const Tensor &x, const Tensors &indices, const Ints &axes);

/// Applies a function of a scalar to the elements that the indices name.
/// `updateShape`: the shape that updates of a scatter would have.
Tensor scatter_apply(const Tensor &x, const Tensor &indices,
                     const std::function<Tensor(const Tensor &)> &function,
                     const GatherDims &dims, const Shape &updateShape,
                     GatherMode mode = GatherMode::FillOrDrop,
                     bool sorted = false, bool unique = false);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_NUMPY_SLICES_H
