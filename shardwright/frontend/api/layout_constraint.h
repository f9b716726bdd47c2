//===- layout_constraint.h - layouts inside programs -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_LAYOUT_CONSTRAINT_H
#define SHARDWRIGHT_FRONTEND_API_LAYOUT_CONSTRAINT_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend {

/// The value, which a compiler should keep in this layout. An error if the
/// layout is automatic or does not fit. JAX:
/// jax.experimental.layout.with_layout_constraint.
Tensor withLayoutConstraint(const Tensor &x, const Layout &layout);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_LAYOUT_CONSTRAINT_H
