//===- custom.h - functions with derivatives of their own -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_CUSTOM_H
#define SHARDWRIGHT_FRONTEND_API_CUSTOM_H

#include "shardwright/frontend/api/autodiff.h"

namespace shardwright::frontend {

namespace detail {
/// See customJvpFlat and customVjpFlat (transform/custom.h).
Tensors customJvp(const std::string &name, const FlatFunction &function,
                  const FlatFunction &rule, const Tensors &args);
Tensors customVjp(const std::string &name, const FlatFunction &function,
                  const FlatFunction &forward, const FlatFunction &backward,
                  const Tensors &args);
} // namespace detail

/// A function with its own rule of differentiation.
/// `rule(primals, tangents)`: tuples of the arguments and of their tangents
/// (zeros where there is none), to a pair of the result and its tangent. The
/// rule is linear in the tangents, so that it gives reverse derivatives too.
/// JAX: jax.custom_jvp.
template <typename F, typename Rule>
auto customJvp(F function, Rule rule, std::string name = "<lambda>") {
  return [=](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Tuple = typename Function::Tuple;
    using Result = typename Function::Result;
    Tuple tuple(args...);
    Function tree(function, tuple);
    TreeFunction<Rule, Tuple, Tuple> both(rule, {tuple, tuple});
    Tensors outs =
        detail::customJvp(name, tree, both, detail::allLeaves(args...));
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    return Expected<Result>(tree.rebuild(outs));
  };
}

/// A function with its own rule of reverse differentiation.
/// `forward(args...)`: a pair of the result and of residuals, a tree of values
/// that the backward pass needs. `backward(residuals, cotangent)`: a tuple of
/// the cotangents of the arguments. Forward differentiation is an error.
/// JAX: jax.custom_vjp.
template <typename F, typename Forward, typename Backward>
auto customVjp(F function, Forward forward, Backward backward,
               std::string name = "<lambda>") {
  return [=](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Result = typename Function::Result;
    using ForwardTree = TreeFunction<Forward, std::decay_t<decltype(args)>...>;
    using Residuals = typename ForwardTree::Result::second_type;
    Function tree(function, {args...});
    ForwardTree forwardTree(forward, {args...});
    FlatFunction flatBackward = [=](const Tensors &in) -> Tensors {
      if (!forwardTree.prototype())
        return {Tensor(
            makeError(ErrorKind::Runtime, "the forward rule was not called"))};
      TreeFunction<Backward, Residuals, Result> back(
          backward,
          {forwardTree.prototype()->second, forwardTree.prototype()->first});
      return back(in);
    };
    Tensors outs = detail::customVjp(name, tree, forwardTree, flatBackward,
                                     detail::allLeaves(args...));
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    return Expected<Result>(tree.rebuild(outs));
  };
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_CUSTOM_H
