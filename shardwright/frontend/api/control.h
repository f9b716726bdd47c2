//===- control.h - scan, while, cond, checkpoint on trees -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_CONTROL_H
#define SHARDWRIGHT_FRONTEND_API_CONTROL_H

#include "shardwright/frontend/api/function.h"
#include "shardwright/frontend/control/policy.h"

namespace shardwright::frontend {

namespace detail {
Tensors scan(const FlatFunction &body, const Tensors &init, const Tensors &xs,
             int64_t length, bool reverse, int64_t unroll = 1);
Tensors whileLoop(const FlatFunction &condition, const FlatFunction &body,
                  const Tensors &init);
Tensors cond(const Tensor &predicate, const FlatFunction &onTrue,
             const FlatFunction &onFalse, const Tensors &operands);
Tensors switchCase(const Tensor &index,
                   const std::vector<FlatFunction> &branches,
                   const Tensors &operands);
Tensors checkpoint(const FlatFunction &body, const Tensors &args,
                   const CheckpointOptions &options);
Tensors associativeScan(const FlatFunction &combine, const Tensors &elems,
                        int64_t axis, bool reverse);
Tensors whileCounted(const Tensor &from, const Tensor &to,
                     const FlatFunction &body, const Tensors &init);
Tensors counted(int64_t from, int64_t to, const FlatFunction &body,
                const Tensors &init, int64_t unroll = 1);
Tensors mapBatched(const FlatFunction &function, const Tensors &xs,
                   int64_t batchSize);
} // namespace detail

struct ScanOptions {
  /// Needed if there are no arrays to scan over.
  int64_t length = -1;
  bool reverse = false;
  /// Iterations of the body in a round of the loop; -1: all of them.
  int64_t unroll = 1;
  /// Allows the backward pass to compute what no iteration waits for outside of
  /// the loop. As in JAX 0.10, which takes and ignores it, programs are the
  /// same.
  bool splitTranspose = false;
};

/// `body(carry, x)` returns the next carry and a result; results are stacked.
/// JAX: jax.lax.scan.
template <typename F, typename Carry, typename X>
auto scan(F body, const Carry &init, const X &xs, ScanOptions options = {}) {
  using Function = TreeFunction<F, Carry, X>;
  using Result = typename Function::Result;
  Function tree(body, {init, xs});
  Tensors outs = detail::scan(tree, treeLeaves(init), treeLeaves(xs),
                              options.length, options.reverse, options.unroll);
  if (const Error *error = errorIn(outs))
    return Expected<Result>(*error);
  return Expected<Result>(tree.rebuild(outs));
}

/// Applies `body` to the carry while `condition` holds. JAX:
/// jax.lax.while_loop.
template <typename C, typename F, typename Carry>
Expected<Carry> whileLoop(C condition, F body, const Carry &init) {
  TreeFunction<C, Carry> test(condition, {init});
  TreeFunction<F, Carry> step(body, {init});
  Tensors outs = detail::whileLoop(test, step, treeLeaves(init));
  if (const Error *error = errorIn(outs))
    return *error;
  return treeWith(init, outs);
}

/// `body(i, carry)` for i in [from, to). `unroll`: as ScanOptions. JAX:
/// jax.lax.fori_loop.
template <typename F, typename Carry>
Expected<Carry> foriLoop(int64_t from, int64_t to, F body, const Carry &init,
                         int64_t unroll = 1) {
  TreeFunction<F, Tensor, Carry> tree(body, {Tensor(), init});
  Tensors outs = detail::counted(from, to, tree, treeLeaves(init), unroll);
  if (const Error *error = errorIn(outs))
    return *error;
  return treeWith(init, outs);
}

/// The same with bounds that the program computes. Only forward
/// differentiation.
template <typename F, typename Carry>
Expected<Carry> foriLoop(const Tensor &from, const Tensor &to, F body,
                         const Carry &init) {
  TreeFunction<F, Tensor, Carry> tree(body, {from, init});
  Tensors outs = detail::whileCounted(from, to, tree, treeLeaves(init));
  if (const Error *error = errorIn(outs))
    return *error;
  return treeWith(init, outs);
}

struct MapOptions {
  /// Slices that are computed at once, by vmap; 0: one after another.
  int64_t batchSize = 0;
};

/// Applies a function to each slice along the leading axis, one after another,
/// and stacks the results. JAX: jax.lax.map.
template <typename F, typename X>
auto map(F function, const X &xs, MapOptions options = {}) {
  using Function = TreeFunction<F, X>;
  using Result = typename Function::Result;
  Function tree(function, {xs});
  Tensors outs =
      options.batchSize
          ? detail::mapBatched(tree, treeLeaves(xs), options.batchSize)
          : detail::scan(tree, {}, treeLeaves(xs), -1, false);
  if (const Error *error = errorIn(outs))
    return Expected<Result>(*error);
  return Expected<Result>(tree.rebuild(outs));
}

/// The prefix results of an associative function `combine(a, b)` of trees,
/// which works on many slices at once: in O(log n) steps. JAX:
/// jax.lax.associative_scan.
template <typename F, typename T>
Expected<T> associativeScan(F combine, const T &elems, bool reverse = false,
                            int64_t axis = 0) {
  TreeFunction<F, T, T> tree(combine, {elems, elems});
  Tensors outs =
      detail::associativeScan(tree, treeLeaves(elems), axis, reverse);
  if (const Error *error = errorIn(outs))
    return *error;
  return treeWith(elems, outs);
}

/// onTrue(args...) or onFalse(args...). The predicate is a boolean, or a
/// number, of which 0 is false. JAX: jax.lax.cond.
template <typename T, typename F, typename... Args>
auto cond(const Tensor &predicate, T onTrue, F onFalse, const Args &...args) {
  using Function = TreeFunction<T, Args...>;
  using Result = typename Function::Result;
  Function yes(onTrue, {args...});
  TreeFunction<F, Args...> no(onFalse, {args...});
  Tensors operands;
  Flattener f;
  (f.child(args, ""), ...);
  Tensors outs = detail::cond(predicate, yes, no, f.leaves);
  if (const Error *error = errorIn(outs))
    return Expected<Result>(*error);
  return Expected<Result>(yes.rebuild(outs));
}

/// One of several functions of the same type, by number. JAX: jax.lax.switch.
template <typename R, typename... Args>
Expected<R>
switchCase(const Tensor &index,
           const std::vector<std::function<R(const Args &...)>> &branches,
           const std::type_identity_t<Args> &...args) {
  std::vector<FlatFunction> flat;
  using Function = TreeFunction<std::function<R(const Args &...)>, Args...>;
  std::vector<Function> trees;
  for (const auto &branch : branches) {
    trees.emplace_back(branch, std::tuple<Args...>(args...));
    flat.push_back(trees.back());
  }
  Flattener f;
  (f.child(args, ""), ...);
  Tensors outs = detail::switchCase(index, flat, f.leaves);
  if (const Error *error = errorIn(outs))
    return *error;
  return trees[0].rebuild(outs);
}

/// The function, computed again in the backward pass instead of keeping its
/// intermediate values. JAX: jax.checkpoint.
template <typename F>
auto checkpoint(F function, CheckpointOptions options = {}) {
  return [function, options](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Result = typename Function::Result;
    Function tree(function, {args...});
    Flattener f;
    (f.child(args, ""), ...);
    Tensors outs = detail::checkpoint(tree, f.leaves, options);
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    return Expected<Result>(tree.rebuild(outs));
  };
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_CONTROL_H
