//===- gamma_parts.h - parts of incomplete gamma functions -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_GAMMA_PARTS_H
#define SHARDWRIGHT_FRONTEND_CONTROL_GAMMA_PARTS_H

#include "shardwright/frontend/primitives/lax.h"

#include <span>

/// Functions of f64 arrays of one shape.
namespace shardwright::frontend::gammas {

/// A number as a scalar of the type of x.
Tensor number(const Tensor &x, double value);
/// a0 + a1 x + ..
Tensor polynomial(const Tensor &x, std::span<const double> coefficients);
/// x - log(1 + x).
Tensor xMinusLog1p(const Tensor &x);
/// log Gamma(x) less Stirling's formula (x - 1/2) log x - x + log(2 pi) / 2,
/// for x >= 10.
Tensor stirlingRest(const Tensor &x);
/// True if an element is true.
Tensor anyOf(const Tensor &x);

/// Repeats `step` while the first value, one boolean an element, is true
/// anywhere, at most `limit` times. Elements where it is false keep their
/// values, so that no element's result depends on the others. `step` gets the
/// number of the iteration, from 1 on, as f64.
Tensors
iterate(const std::function<Tensors(const Tensor &, const Tensors &)> &step,
        const Tensors &init, int64_t limit);

/// Calls `function` with the operands as f64 arrays of one shape, and converts
/// its result back. `isNarrow`: the operands' type has at most 32 bits.
Tensor
inF64(const Tensors &operands,
      const std::function<Tensor(const Tensors &, bool isNarrow)> &function);

} // namespace shardwright::frontend::gammas

#endif // SHARDWRIGHT_FRONTEND_CONTROL_GAMMA_PARTS_H
