//===- unit_floats.h - random bits as floats --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_UNIT_FLOATS_H
#define SHARDWRIGHT_FRONTEND_CONTROL_UNIT_FLOATS_H

#include "shardwright/frontend/array/tensor.h"
#include "shardwright/frontend/base/float_parts.h"

namespace shardwright::frontend {

/// How many random bits a number of this type is made of: a short mantissa has
/// its from 8.
int64_t bitsOfUnit(const FloatParts &parts);
/// Numbers in [0, 1) from so many random bits: mantissas of numbers in [1, 2),
/// less 1. JAX: the core of jax.random.uniform.
Tensor unitFloats(const Tensor &bits, DType type, const FloatParts &parts);
/// Normal numbers from numbers that are uniform in (-1, 1).
Tensor normalFloats(const Tensor &uniform);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_UNIT_FLOATS_H
