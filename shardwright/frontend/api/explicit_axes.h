//===- explicit_axes.h - shardings in types ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_EXPLICIT_AXES_H
#define SHARDWRIGHT_FRONTEND_API_EXPLICIT_AXES_H

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/api/jit.h"

namespace shardwright::frontend {

/// The value with another sharding over Explicit axes, in its type too; moves
/// data where needed. A spec is one over the mesh in context. JAX: jax.reshard.
Tensor reshard(const Tensor &x, const Sharding &sharding);
Tensor reshard(const Tensor &x, const PartitionSpec &spec);

struct AxesOptions {
  /// The axes whose type changes; empty: all of the mesh in context.
  AxisNames axes;
  /// Of each leaf of the results (autoAxes) or arguments (explicitAxes), or one
  /// for all.
  std::vector<PartitionSpec> specs;
};

namespace detail {
/// Runs `function` with axes of another type. `toAuto`: autoAxes.
Tensors withAxisTypes(const FlatFunction &function, const AxesOptions &options,
                      bool toAuto, const Tensors &leaves);
/// True if a function of these leaves must be jitted to run here.
bool runsEagerly(const Tensors &leaves);

template <typename F> struct AxesChanged {
  template <typename... Args> auto operator()(const Args &...args) const {
    using Function = TreeFunction<F, std::decay_t<Args>...>;
    using Result = typename Function::Result;
    Function tree(function, {args...});
    Tensors outs = withAxisTypes(tree, options, toAuto, allLeaves(args...));
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    return Expected<Result>(tree.rebuild(outs));
  }
  F function;
  AxesOptions options;
  bool toAuto;
};
template <typename F>
auto changeAxes(F function, AxesOptions options, bool toAuto) {
  AxesChanged<F> traced{std::move(function), std::move(options), toAuto};
  auto jitted = jit(traced);
  return [traced, jitted](const auto &...args) {
    if (runsEagerly(allLeaves(args...)))
      return jitted(args...);
    return traced(args...);
  };
}
} // namespace detail

/// Inside of the function, the axes are Auto: the compiler decides how values
/// use them. Results are resharded to `specs`, which must be given. JAX:
/// jax.sharding.auto_axes.
template <typename F> auto autoAxes(F function, AxesOptions options) {
  return detail::changeAxes(std::move(function), std::move(options), true);
}
/// Inside of the function, the axes are Explicit, and arguments have `specs`.
/// JAX: jax.sharding.explicit_axes.
template <typename F> auto explicitAxes(F function, AxesOptions options) {
  return detail::changeAxes(std::move(function), std::move(options), false);
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_EXPLICIT_AXES_H
