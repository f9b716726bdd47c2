//===- reduce.h - reductions by any function -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_REDUCE_H
#define SHARDWRIGHT_FRONTEND_CONTROL_REDUCE_H

#include "shardwright/frontend/array/tensor.h"
#include "shardwright/frontend/primitives/lax.h"

#include <functional>

namespace shardwright::frontend::lax {

/// Combines two scalars. Associative.
using Reducer = std::function<Tensor(const Tensor &, const Tensor &)>;
/// Combines two lists of scalars. Associative.
using TupleReducer = std::function<Tensors(const Tensors &, const Tensors &)>;

/// Combines the elements along these dimensions, and `init`, which is a scalar
/// of the type of x. `lax::add`, `mul`, `max`, `min`, `bitwise_and`, `or` and
/// `xor` with their identities are `reduce_sum` and so on. A reducer must not
/// capture traced values. Differentiable, except in `init`. JAX: lax.reduce.
Tensor reduce(const Tensor &x, const Tensor &init, const Reducer &reducer,
              const Ints &dimensions);
/// Of several arrays of one shape at once. The reducer gets and returns one
/// scalar of each.
Tensors reduce(const Tensors &xs, const Tensors &inits,
               const TupleReducer &reducer, const Ints &dimensions);

/// Combines the elements of each window, and `init`. `lax::add`, `max` and
/// `min` with their identities are `reduce_window_sum` and so on, of which
/// gradients exist; others have forward derivatives only. JAX:
/// lax.reduce_window.
Tensor reduce_window(const Tensor &x, const Tensor &init,
                     const Reducer &reducer, const Window &window);
/// Of several arrays of one shape at once.
Tensors reduce_window(const Tensors &xs, const Tensors &inits,
                      const TupleReducer &reducer, const Window &window);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_CONTROL_REDUCE_H
