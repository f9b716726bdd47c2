//===- linear_solve.cc - solutions of linear equations on trees -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/linear_solve.h"

#include "shardwright/frontend/control/linear_solve.h"

namespace shardwright::frontend::detail {

Tensors linearSolve(const FlatFunction &matvec, const FlatSolver &solve,
                    const FlatSolver &transposeSolve, bool symmetric,
                    const Tensors &b) {
  return linearSolveFlat({matvec, solve, transposeSolve, symmetric}, b);
}

} // namespace shardwright::frontend::detail
