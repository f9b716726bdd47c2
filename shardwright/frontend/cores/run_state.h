//===- run_state.h - functions of references as functions -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_RUN_STATE_H
#define SHARDWRIGHT_FRONTEND_CORES_RUN_STATE_H

#include "shardwright/frontend/cores/ref.h"

namespace shardwright::frontend {

/// Calls `body` with a reference to a copy of each array, and returns what the
/// copies hold when it has returned. `body` may use loops, branches and jit; it
/// must not use the references later. Differentiable, unless it calls coreMap.
/// JAX: run_state.
Tensors runState(const std::function<void(const Refs &)> &body,
                 const Tensors &arrays);
/// `body` takes one Ref for each array.
template <typename F>
Tensor runState(const F &body, const Tensor &array)
  requires std::invocable<const F &, const Ref &>
{
  Tensors outs = runState(
      std::function<void(const Refs &)>([&](const Refs &r) { body(r[0]); }),
      Tensors{array});
  return outs.at(0);
}
/// An error is in all results.
template <typename F, typename... More>
auto runState(const F &body, const Tensor &first, const Tensor &second,
              const More &...more)
  requires(std::convertible_to<More, Tensor> && ...)
{
  constexpr size_t count = 2 + sizeof...(More);
  return [&]<size_t... I>(std::index_sequence<I...>) {
    Tensors outs = runState(std::function<void(const Refs &)>(
                                [&](const Refs &r) { body(r[I]...); }),
                            Tensors{first, second, Tensor(more)...});
    outs.resize(count, outs.at(0));
    return std::tuple{outs[I]...};
  }(std::make_index_sequence<count>());
}

/// Calls `body` if a condition holds, inside of a function of references. JAX:
/// pl.when.
void when(const Tensor &condition, const std::function<void()> &body);
/// Calls `body` for from, ..., to - 1, inside of a function of references. JAX:
/// lax.fori_loop without a carry.
void forEach(const Tensor &from, const Tensor &to,
             const std::function<void(const Tensor &)> &body);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CORES_RUN_STATE_H
