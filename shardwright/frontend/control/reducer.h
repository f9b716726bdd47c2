//===- reducer.h - functions that combine elements -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_REDUCER_H
#define SHARDWRIGHT_FRONTEND_CONTROL_REDUCER_H

#include "shardwright/frontend/control/reduce.h"
#include "shardwright/frontend/primitives/lax.h"
#include "shardwright/frontend/trace/jaxpr.h"

namespace shardwright::frontend {

/// A function of jax.lax, and the primitives that reduce by it.
struct Monoid {
  using Function = Tensor (*)(const Tensor &, const Tensor &);
  Function function;
  const char *name;
  Tensor (*reduce)(const Tensor &, const Ints &);
  enum Identity { Zero, One, Lowest, Highest, Ones } identity;
  /// Null if no primitive reduces windows by it.
  Tensor (*reduceWindow)(const Tensor &, const Window &) = nullptr;
};
/// Null if the reducer is none of them.
const Monoid *monoidOf(const lax::Reducer &reducer);
/// True if the value is known and is the identity of the monoid in this type.
bool isIdentity(const Monoid &monoid, const Tensor &init, DType type);

/// Traces the reducer on scalars of the operands' types. `name`: of the
/// primitive, in errors.
Expected<JaxprPtr> reducerJaxpr(const char *name, const Tensors &xs,
                                const Tensors &inits,
                                const lax::TupleReducer &reducer);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_REDUCER_H
