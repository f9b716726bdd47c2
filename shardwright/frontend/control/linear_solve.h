//===- linear_solve.h - solutions of linear equations ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_LINEAR_SOLVE_H
#define SHARDWRIGHT_FRONTEND_CONTROL_LINEAR_SOLVE_H

#include "shardwright/frontend/trace/trace.h"

namespace shardwright::frontend {

/// x of `matvec(x) = b` for a linear function, found by a function of it.
struct LinearSolve {
  /// Gets a linear function and b. Returns x, and then any other results.
  using Solver =
      std::function<Tensors(const TensorsFunction &matvec, const Tensors &b)>;
  TensorsFunction matvec;
  Solver solve;
  /// Solves with the transpose of `matvec`. Null: none, unless `symmetric`.
  Solver transposeSolve;
  bool symmetric = false;
};

/// The results of `solve`, with derivatives of the solution and not of the
/// steps that find it. JAX: lax.custom_linear_solve.
Tensors linearSolveFlat(const LinearSolve &problem, const Tensors &b);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_LINEAR_SOLVE_H
