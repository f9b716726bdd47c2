//===- linear_solve.h - solutions of linear equations on trees -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_LINEAR_SOLVE_H
#define SHARDWRIGHT_FRONTEND_API_LINEAR_SOLVE_H

#include "shardwright/frontend/api/function.h"

namespace shardwright::frontend {

/// A linear function of trees like b.
template <typename B> using LinearFunction = std::function<B(const B &)>;

template <typename B> struct LinearSolveOptions {
  /// Solves with the transpose of the linear function, which it gets. Needed
  /// for reverse differentiation, unless `symmetric`.
  std::function<B(const LinearFunction<B> &, const B &)> transposeSolve = {};
  /// The function equals its transpose.
  bool symmetric = false;
};

namespace detail {
using FlatSolver =
    std::function<Tensors(const FlatFunction &matvec, const Tensors &b)>;
Tensors linearSolve(const FlatFunction &matvec, const FlatSolver &solve,
                    const FlatSolver &transposeSolve, bool symmetric,
                    const Tensors &b);

/// A function of leaves as one of trees like `b`.
template <typename B>
LinearFunction<B> onTrees(const FlatFunction &function, const B &b) {
  return [function, b](const B &x) {
    Tensors outs = function(treeLeaves(x));
    if (const Error *error = errorIn(outs))
      outs = Tensors(treeLeaves(b).size(), Tensor(*error));
    return treeWith(b, outs);
  };
}
} // namespace detail

/// The result of `solve(matvec, b)`: x of `matvec(x) = b`, or a pair of x and
/// anything else. `matvec` is linear. Derivatives are those of the solution,
/// whatever steps find it. JAX: jax.lax.custom_linear_solve.
template <typename M, typename B, typename S>
auto customLinearSolve(M matvec, const B &b, S solve,
                       const LinearSolveOptions<B> &options = {}) {
  using Solve =
      TreeFunction<std::function<std::invoke_result_t<
                       S, const LinearFunction<B> &, const B &>(const B &)>,
                   B>;
  using Result = typename Solve::Result;
  TreeFunction<M, B> product(matvec, {b});
  // The structure of the last result.
  auto last = std::make_shared<std::optional<Solve>>();
  detail::FlatSolver flatSolve = [=](const FlatFunction &function,
                                     const Tensors &leaves) {
    last->emplace([=, linear = detail::onTrees(function, b)](
                      const B &x) { return solve(linear, x); },
                  std::tuple<B>(b));
    return (**last)(leaves);
  };
  detail::FlatSolver flatTranspose;
  if (options.transposeSolve)
    flatTranspose = [=](const FlatFunction &function, const Tensors &leaves) {
      return treeLeaves(options.transposeSolve(detail::onTrees(function, b),
                                               treeWith(b, leaves)));
    };
  Tensors outs = detail::linearSolve(product, flatSolve, flatTranspose,
                                     options.symmetric, treeLeaves(b));
  if (const Error *error = errorIn(outs))
    return Expected<Result>(*error);
  return Expected<Result>((*last)->rebuild(outs));
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_LINEAR_SOLVE_H
