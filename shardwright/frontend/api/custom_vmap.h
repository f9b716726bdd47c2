//===- custom_vmap.h - functions with batching of their own -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_CUSTOM_VMAP_H
#define SHARDWRIGHT_FRONTEND_API_CUSTOM_VMAP_H

#include "shardwright/frontend/api/autodiff.h"

namespace shardwright::frontend {

namespace detail {
/// The results, and which of them are batched.
using FlatBatchRule =
    std::function<Expected<std::pair<Tensors, std::vector<bool>>>(
        int64_t size, const std::vector<bool> &batched, const Tensors &args)>;
/// `trees`: the structures of the arguments and of the result.
Tensors customVmap(const std::string &name, const FlatFunction &function,
                   const FlatBatchRule &rule,
                   const std::pair<const TreeDef &, const TreeDef &> &trees,
                   const Tensors &args);
/// The error of a rule whose result has another structure.
Error customVmapTrees(const TreeDef &wanted, const TreeDef &got);
} // namespace detail

/// A function with its own rule of batching. `rule(size, batched, args...)`:
/// `batched` says which leaves of the arguments have a first dimension of this
/// size; returns a pair of the result and of which of its leaves have one.
/// Forward derivatives are those of the function and of the rule; in reverse it
/// needs a customVjp around it. JAX: jax.custom_batching.custom_vmap.
template <typename F, typename Rule>
auto customVmap(F function, Rule rule, std::string name = "<lambda>") {
  return [=](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Tuple = typename Function::Tuple;
    using Result = typename Function::Result;
    Tuple tuple(args...);
    Function tree(function, tuple);
    Flattener f;
    TreeTraits<Tuple>::flatten(tuple, f);
    // The values may be traced ones, which must not be kept.
    Tuple empty = withoutLeaves(tuple);
    using Pair = std::pair<Tensors, std::vector<bool>>;
    detail::FlatBatchRule flat =
        [rule, empty, tree](int64_t size, const std::vector<bool> &batched,
                            const Tensors &leaves) -> Expected<Pair> {
      auto made = std::apply(
          [&](const auto &...one) { return rule(size, batched, one...); },
          treeWith(empty, leaves));
      if constexpr (detail::StripExpected<decltype(made)>::isExpected)
        if (!made)
          return made.error();
      const typename detail::StripExpected<decltype(made)>::Type &both = made;
      Flattener out;
      TreeTraits<std::decay_t<decltype(both.first)>>::flatten(both.first, out);
      if (!(out.def == tree.def()))
        return detail::customVmapTrees(tree.def(), out.def);
      return Pair{out.leaves, both.second};
    };
    Tensors outs =
        detail::customVmap(name, tree, flat, {f.def, tree.def()}, f.leaves);
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    return Expected<Result>(tree.rebuild(outs));
  };
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_CUSTOM_VMAP_H
