//===- parts.h - tiling, stacking and splitting ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_PARTS_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_PARTS_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend::lax {

/// Repeats x `reps[d]` times along each dimension. JAX: lax.tile.
Tensor tile(const Tensor &x, const Ints &reps);
/// Joins arrays of one shape along a new dimension. JAX: jnp.stack.
Tensor stack(const Tensors &xs, int64_t axis = 0);
/// Parts of these sizes along an axis; their sum is the dimension's size.
/// JAX: lax.split.
Tensors split(const Tensor &x, const Ints &sizes, int64_t axis = 0);
/// The slices along an axis, without that dimension. JAX: jnp.unstack.
Tensors unstack(const Tensor &x, int64_t axis = 0);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_PARTS_H
