//===- autodiff.h - grad, jvp, vjp, vmap ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_AUTODIFF_H
#define SHARDWRIGHT_FRONTEND_API_AUTODIFF_H

#include "shardwright/frontend/api/function.h"

namespace shardwright::frontend {

namespace detail {
/// Gradients of a scalar function at `primals`, for the leaves in `wanted`.
/// Returns the value's leaves, then the gradients.
Expected<Tensors> valueAndGrad(const FlatFunction &function,
                               const Tensors &primals,
                               const std::vector<bool> &wanted, bool hasAux);
Expected<std::pair<Tensors, Tensors>> jvp(const FlatFunction &function,
                                          const Tensors &primals,
                                          const Tensors &tangents);
/// Results, and the function from their cotangents to those of the arguments.
Expected<std::pair<Tensors, FlatFunction>> vjp(const FlatFunction &function,
                                               const Tensors &primals);
/// Results, and the function from tangents of the arguments to theirs.
Expected<std::pair<Tensors, FlatFunction>>
linearize(const FlatFunction &function, const Tensors &primals);
/// `names`: of the leaves, in messages; called for these.
Expected<Tensors>
vmap(const FlatFunction &function, const Tensors &args, const Ints &inDims,
     const Ints &outDims, int64_t axisSize, const std::string &axisName,
     const AxisNames &spmdNames,
     const std::function<std::vector<std::string>()> &names = {});
/// The mapped dimension of each leaf, from that of each argument or one for
/// all.
Expected<Ints> leafDims(const Ints &inAxes, const std::vector<size_t> &counts);
/// The path of each leaf as messages name it. `definitions`: of the arguments,
/// whose paths begin with `args[0]`, ..
std::vector<std::string>
argumentLeaves(const std::vector<TreeDef> &definitions,
               const std::vector<std::string> &parameters);

/// Derivatives of each leaf of the result with respect to each leaf in
/// `wanted`, in that order: the dimensions of the result's leaf, then those of
/// the argument's. Forward: one push for each element of the arguments;
/// reverse: one pull for each element of the results.
Expected<Tensors> jacobian(const FlatFunction &function, const Tensors &primals,
                           const std::vector<bool> &wanted, bool forward);
template <typename... Args>
std::vector<size_t> leafCounts(const Args &...args) {
  return {treeLeaves(args).size()...};
}
/// True for the leaves of the arguments at these positions.
std::vector<bool> wantedLeaves(const std::vector<size_t> &counts,
                               const std::vector<int64_t> &argnums);
template <typename... Args> Tensors allLeaves(const Args &...args) {
  Tensors out;
  auto one = [&](const Tensors &leaves) {
    out.insert(out.end(), leaves.begin(), leaves.end());
  };
  (one(treeLeaves(args)), ...);
  return out;
}
Status checkArgnum(int64_t argnum, size_t count);
} // namespace detail

/// The value of a function with a scalar result, and its gradient with respect
/// to one argument (default: the first), which has the argument's structure.
/// JAX: jax.value_and_grad.
template <int64_t Argnum = 0, typename F> auto valueAndGrad(F function) {
  return [function](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Tuple = std::tuple<std::decay_t<decltype(args)>...>;
    using Argument =
        std::tuple_element_t < Argnum<sizeof...(args) ? Argnum : 0, Tuple>;
    using Result = std::pair<typename Function::Result, Argument>;
    if (Status valid = detail::checkArgnum(Argnum, sizeof...(args)); !valid)
      return Expected<Result>(valid.error());
    Function tree(function, {args...});
    std::vector<bool> wanted =
        detail::wantedLeaves(detail::leafCounts(args...), {Argnum});
    Expected<Tensors> outs =
        detail::valueAndGrad(tree, detail::allLeaves(args...), wanted, false);
    if (!outs)
      return Expected<Result>(outs.error());
    size_t values = tree.def().paths.size();
    Tensors value(outs->begin(), outs->begin() + values);
    Tensors gradients(outs->begin() + values, outs->end());
    Tuple all{args...};
    return Expected<Result>(
        Result{tree.rebuild(value),
               treeWith(std::get < Argnum<sizeof...(args) ? Argnum : 0>(all),
                        gradients)});
  };
}

/// The gradient alone. JAX: jax.grad.
template <int64_t Argnum = 0, typename F> auto grad(F function) {
  auto both = valueAndGrad<Argnum>(std::move(function));
  return [both](const auto &...args) {
    auto result = both(args...);
    using Argument = std::decay_t<decltype(result->second)>;
    if (!result)
      return Expected<Argument>(result.error());
    return Expected<Argument>(std::move(result->second));
  };
}

/// The result of a function of one argument and its derivative in a direction.
/// JAX: jax.jvp.
template <typename F, typename T>
auto jvp(F function, const T &primal, const T &tangent) {
  TreeFunction<F, T> tree(function, {primal});
  using R = typename TreeFunction<F, T>::Result;
  using Result = std::pair<R, R>;
  auto outs = detail::jvp(tree, treeLeaves(primal), treeLeaves(tangent));
  if (!outs)
    return Expected<Result>(outs.error());
  return Expected<Result>(
      Result{tree.rebuild(outs->first), tree.rebuild(outs->second)});
}

/// The function from the cotangent of a result to that of an argument. That of
/// a failed vjp is null: its results are errors.
template <typename T, typename R> class Pullback {
public:
  Pullback() = default;
  Pullback(std::function<Expected<T>(const R &)> f) : function(std::move(f)) {}
  Expected<T> operator()(const R &cotangent) const {
    if (!function)
      return typeError("the pullback of a failed vjp was called");
    return function(cotangent);
  }

private:
  std::function<Expected<T>(const R &)> function;
};

/// The result of a function of one argument, and the function from its
/// cotangent to that of the argument. JAX: jax.vjp.
template <typename F, typename T> auto vjp(F function, const T &primal) {
  TreeFunction<F, T> tree(function, {primal});
  using R = typename TreeFunction<F, T>::Result;
  using Function = std::function<Expected<T>(const R &)>;
  using Result = std::pair<R, Pullback<T, R>>;
  auto parts = detail::vjp(tree, treeLeaves(primal));
  if (!parts)
    return Expected<Result>(parts.error());
  FlatFunction flat = parts->second;
  Function pullback = [flat, primal](const R &cotangent) -> Expected<T> {
    Tensors back = flat(treeLeaves(cotangent));
    if (const Error *error = errorIn(back))
      return *error;
    return treeWith(primal, back);
  };
  return Expected<Result>(Result{tree.rebuild(parts->first), pullback});
}

/// The result of a function of one argument, and the linear function from
/// tangents of the argument to those of the result. Its residuals are computed
/// once. JAX: jax.linearize.
template <typename F, typename T> auto linearize(F function, const T &primal) {
  TreeFunction<F, T> tree(function, {primal});
  using R = typename TreeFunction<F, T>::Result;
  using Linear = std::function<Expected<R>(const T &)>;
  using Result = std::pair<R, Linear>;
  auto parts = detail::linearize(tree, treeLeaves(primal));
  if (!parts)
    return Expected<Result>(parts.error());
  FlatFunction flat = parts->second;
  Linear linear = [flat, tree](const T &tangent) -> Expected<R> {
    Tensors out = flat(treeLeaves(tangent));
    if (const Error *error = errorIn(out))
      return *error;
    return tree.rebuild(out);
  };
  return Expected<Result>(Result{tree.rebuild(parts->first), linear});
}

namespace detail {
template <int64_t Argnum, bool Forward, typename F>
auto jacobianOf(F function) {
  return [function](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Tuple = std::tuple<std::decay_t<decltype(args)>...>;
    static_assert(Argnum < sizeof...(args), "too few arguments");
    using Argument = std::tuple_element_t<Argnum, Tuple>;
    using Output = typename Function::Result;
    constexpr bool ofTensor = std::is_same_v<Output, Tensor>;
    static_assert(ofTensor || std::is_same_v<Argument, Tensor>,
                  "the argument or the result must be a Tensor");
    using Result = std::conditional_t<ofTensor, Argument, Output>;
    Tuple all{args...};
    Function tree(function, all);
    Expected<Tensors> outs = detail::jacobian(
        tree, detail::allLeaves(args...),
        detail::wantedLeaves(detail::leafCounts(args...), {Argnum}), Forward);
    if (!outs)
      return Expected<Result>(outs.error());
    if constexpr (ofTensor)
      return Expected<Result>(treeWith(std::get<Argnum>(all), *outs));
    else
      return Expected<Result>(tree.rebuild(*outs));
  };
}
} // namespace detail

/// The Jacobian of a function, by forward differentiation. The argument or the
/// result is a tree, and the other a Tensor; leaves of the tree are replaced by
/// arrays of the dimensions of the result, then those of the argument. JAX:
/// jax.jacfwd.
template <int64_t Argnum = 0, typename F> auto jacfwd(F function) {
  return detail::jacobianOf<Argnum, true>(std::move(function));
}
/// The same by reverse differentiation. JAX: jax.jacrev.
template <int64_t Argnum = 0, typename F> auto jacrev(F function) {
  return detail::jacobianOf<Argnum, false>(std::move(function));
}
/// The second derivatives of a function of tensors. JAX: jax.hessian.
template <int64_t Argnum = 0, typename F> auto hessian(F function) {
  return jacfwd<Argnum>(jacrev<Argnum>(std::move(function)));
}

struct VmapOptions {
  /// The mapped dimension of each argument, or one for all; -1: not mapped.
  Ints inAxes = {0};
  /// Of each leaf of the result, or one for all.
  Ints outAxes = {0};
  int64_t axisSize = -1;
  std::string axisName;
  AxisNames spmdAxisName;
  /// Of the function's parameters, in messages.
  std::vector<std::string> argNames = {};
};

/// Applies a function to each slice of its arguments. JAX: jax.vmap.
template <typename F> auto vmap(F function, VmapOptions options = {}) {
  return [function, options](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Result = typename Function::Result;
    Function tree(function, {args...});
    std::vector<size_t> counts = detail::leafCounts(args...);
    Expected<Ints> dims = detail::leafDims(options.inAxes, counts);
    if (!dims)
      return Expected<Result>(dims.error());
    auto names = [&] {
      std::vector<TreeDef> definitions;
      auto one = [&](const auto &arg) {
        Flattener f;
        f.child(arg, cat("args[", definitions.size(), "]"));
        definitions.push_back(std::move(f.def));
      };
      (one(args), ...);
      return detail::argumentLeaves(definitions, options.argNames);
    };
    Expected<Tensors> outs = detail::vmap(
        tree, detail::allLeaves(args...), *dims, options.outAxes,
        options.axisSize, options.axisName, options.spmdAxisName, names);
    if (!outs)
      return Expected<Result>(outs.error());
    return Expected<Result>(tree.rebuild(*outs));
  };
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_AUTODIFF_H
