//===- reordered_reshape.h - reshape after a transposition -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_REORDERED_RESHAPE_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_REORDERED_RESHAPE_H

#include "shardwright/frontend/primitives/lax.h"

namespace shardwright::frontend::lax {

/// Puts the dimensions into this order, then reshapes: one equation. JAX:
/// jax.lax.reshape with `dimensions`.
Tensor reshape(const Tensor &x, const Shape &shape, const Ints &dimensions);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_REORDERED_RESHAPE_H
