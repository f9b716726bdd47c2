//===- ops.h - operations of the front end by name ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_ORACLE_FRONTEND_OPS_H
#define SHARDWRIGHT_TEST_ORACLE_FRONTEND_OPS_H

#include "all_ops.h"

namespace shardwright::frontend {

using Args = Tensors;
using Keys = std::map<std::string, Ints>;
using Op = SharedOp;
using Ops = SharedOps;

inline Ints get(const Keys &keys, const char *name) {
  auto found = keys.find(name);
  return found == keys.end() ? Ints() : found->second;
}
inline int64_t one(const Keys &keys, const char *name) {
  Ints values = get(keys, name);
  return values.empty() ? 0 : values[0];
}

/// The item that a key numbers; numbers beyond the last begin again.
template <typename T, size_t N>
T numbered(const T (&items)[N], const Keys &keys, const char *name) {
  return items[static_cast<uint64_t>(one(keys, name)) % N];
}

inline Window windowOf(const Keys &k) {
  Window w{get(k, "dims"),
           get(k, "strides"),
           {},
           get(k, "base"),
           get(k, "dilation")};
  Ints flat = get(k, "padding");
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    w.padding.push_back({flat[i], flat[i + 1]});
  return w;
}

/// ops["name"] = the tensors, computed from `a` and `k`.
#define OP(name, ...)                                                          \
  ops[name] = [](const Args &a, const Keys &k) -> Tensors {                    \
    return {__VA_ARGS__};                                                      \
  };

/// Each primitive.
void addPrimitives(Ops &ops);
/// Windows, convolutions, Fourier transforms, factorizations.
void addArrayAlgebra(Ops &ops);
/// Primitives that random programs do not use.
void addCases(Ops &ops);
/// Transformations, loops, and functions with derivatives of their own.
void addFunctions(Ops &ops);
/// Functions of the host, contractions, options of loops and of checkpoint.
void addCallbacks(Ops &ops);
/// Primitives that take functions or groups.
void addGeneral(Ops &ops);
/// Operations with a mistake each.
void addMistakes(Ops &ops);
/// Elementwise functions and reductions of jax.numpy, of all types.
void addElementwiseCalls(Ops &ops);
/// Reductions with masks, initial values and types.
void addReductionCalls(Ops &ops);
/// Random numbers of all types, norms.
void addDrawCalls(Ops &ops);
/// Joining, choosing, statistics.
void addArrangeCalls(Ops &ops);
/// jax.scipy, jax.image, jax.ops, jax.numpy.fft, initializers.
void addScipyCalls(Ops &ops);
/// Sets, orders, products, polynomials.
void addSetCalls(Ops &ops);
/// Subscripts and indexed updates.
void addIndexing(Ops &ops);
/// Functions in the manner of jax.numpy, jax.nn and jax.random.
void addUserFunctions(Ops &ops);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_TEST_ORACLE_FRONTEND_OPS_H
