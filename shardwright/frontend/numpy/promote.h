//===- promote.h - promotion and broadcasting of operands -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_PROMOTE_H
#define SHARDWRIGHT_FRONTEND_NUMPY_PROMOTE_H

#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {

/// The operands with a common type and rank; scalars keep rank 0.
std::pair<Tensor, Tensor> promotePair(const Tensor &x, const Tensor &y);
/// Leading dimensions of size 1 up to this rank; scalars keep rank 0.
Tensor toRank(const Tensor &x, int64_t rank);
/// Integers and booleans become floats.
Tensor inexact(const Tensor &x);
/// 0 <= axis < rank, or an error.
Expected<int64_t> normalizedAxis(int64_t axis, int64_t rank);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_PROMOTE_H
