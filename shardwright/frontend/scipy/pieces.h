//===- pieces.h - functions of slices, insertions, bits --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_PIECES_H
#define SHARDWRIGHT_FRONTEND_SCIPY_PIECES_H

#include "shardwright/frontend/numpy/numpy.h"

// JAX: jax.numpy.
namespace shardwright::frontend {

/// Of each element, the function of the last condition that holds there, or of
/// none the last function, if there is one more than conditions, else 0.
/// Functions get scalars; their results take the type of x.
Tensor
piecewise(const Tensor &x, const Tensors &conditions,
          const std::vector<std::function<Tensor(const Tensor &)>> &functions);
/// f of each one-dimensional slice along an axis, whose place the results take.
Tensor applyAlongAxis(const std::function<Tensor(const Tensor &)> &function,
                      int64_t axis, const Tensor &x);
/// f(x, axis) for each axis in turn; f keeps the dimension or drops it.
Tensor
applyOverAxes(const std::function<Tensor(const Tensor &, int64_t)> &function,
              const Tensor &x, const Ints &axes);
/// Values in front of these positions (a scalar or a list) along an axis; none:
/// of the flattened array.
Tensor insert(const Tensor &x, const Tensor &positions, const Tensor &values,
              std::optional<int64_t> axis = {});

enum class BitOrder { Big, Little };
/// Eight elements (true if not zero) as the bits of each uint8 along an axis;
/// none: of the flattened array. Missing ones are 0.
Tensor packbits(const Tensor &x, std::optional<int64_t> axis = {},
                BitOrder order = BitOrder::Big);
/// The bits of uint8, cut or filled with 0 to `count` of them.
Tensor unpackbits(const Tensor &x, std::optional<int64_t> axis = {},
                  std::optional<int64_t> count = {},
                  BitOrder order = BitOrder::Big);

/// The coefficients, of falling powers, of the polynomial with these zeros, or
/// with those of a matrix's characteristic polynomial.
Tensor poly(const Tensor &zeros);
/// (quotient, remainder) of polynomials.
std::pair<Tensor, Tensor> polydiv(const Tensor &u, const Tensor &v);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SCIPY_PIECES_H
