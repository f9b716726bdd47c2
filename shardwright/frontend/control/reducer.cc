//===- reducer.cc - functions that combine elements -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/reducer.h"

#include "shardwright/frontend/control/control.h"

#include <cmath>
#include <limits>

namespace shardwright::frontend {
namespace {

const Monoid monoids[] = {
    {lax::add, "add", lax::reduce_sum, Monoid::Zero, lax::reduce_window_sum},
    {lax::mul, "mul", lax::reduce_prod, Monoid::One},
    {lax::max, "max", lax::reduce_max, Monoid::Lowest, lax::reduce_window_max},
    {lax::min, "min", lax::reduce_min, Monoid::Highest, lax::reduce_window_min},
    {lax::bitwise_and, "bitwise_and", lax::reduce_and, Monoid::Ones},
    {lax::bitwise_or, "bitwise_or", lax::reduce_or, Monoid::Zero},
    {lax::bitwise_xor, "bitwise_xor", lax::reduce_xor, Monoid::Zero},
};

/// The identity of a monoid in a type that is not complex.
double identityOf(const Monoid &monoid, DType type) {
  bool isBool = type == DType::Bool;
  int bits = bitWidth(type);
  switch (monoid.identity) {
  case Monoid::Zero:
    return 0;
  case Monoid::One:
    return 1;
  case Monoid::Ones:
    return isSigned(type) ? -1 : isBool ? 1 : std::ldexp(1.0, bits) - 1;
  case Monoid::Lowest:
    return isInexact(type)  ? -INFINITY
           : isSigned(type) ? -std::ldexp(1.0, bits - 1)
                            : 0;
  case Monoid::Highest:
    return isInexact(type) ? INFINITY
           : isBool        ? 1
                           : std::ldexp(1.0, bits - isSigned(type)) - 1;
  }
  return 0;
}

/// A number as an element of this type, as far as that is exact: integers keep
/// their last bits, infinities become the greatest and least integers.
double converted(double value, DType type) {
  if (type == DType::Bool && std::isinf(value))
    return value > 0;
  if (!isInteger(type) || std::isnan(value))
    return value;
  int bits = bitWidth(type);
  double count = std::ldexp(1.0, bits);
  double least = isSigned(type) ? -count / 2 : 0;
  if (std::isinf(value))
    return value < 0 ? least : least + count - 1;
  return value - count * std::floor((value - least) / count);
}

} // namespace

const Monoid *monoidOf(const lax::Reducer &reducer) {
  const auto *function = reducer.target<Monoid::Function>();
  for (const Monoid &monoid : monoids)
    if (function && *function == monoid.function)
      return &monoid;
  return nullptr;
}

bool isIdentity(const Monoid &monoid, const Tensor &init, DType type) {
  bool isLogical = monoid.reduce == lax::reduce_and ||
                   monoid.reduce == lax::reduce_or ||
                   monoid.reduce == lax::reduce_xor;
  if (init.isTraced() || init.rank() ||
      (isLogical && (isInexact(type) || isInexact(init.dtype()))))
    return false;
  if (isComplex(init.dtype())) {
    auto part = [&](Tensor (*of)(const Tensor &)) {
      Expected<double> value = of(init).item();
      return value ? *value : NAN;
    };
    return part(lax::real) == identityOf(monoid, type) && part(lax::imag) == 0;
  }
  // A double does not hold every integer of 64 bits.
  if (init.dtype() == DType::I64) {
    Expected<std::vector<int64_t>> value = init.toVector<int64_t>();
    using Limits = std::numeric_limits<int64_t>;
    const int64_t identities[] = {0, 1, Limits::min(), Limits::max(), -1};
    return value && type == DType::I64 &&
           (*value)[0] == identities[monoid.identity];
  }
  if (init.dtype() == DType::U64) {
    Expected<std::vector<uint64_t>> value = init.toVector<uint64_t>();
    const uint64_t identities[] = {0, 1, 0, ~uint64_t(0), ~uint64_t(0)};
    return value && type == DType::U64 &&
           (*value)[0] == identities[monoid.identity];
  }
  Expected<double> item = init.item();
  return item && converted(*item, type) == identityOf(monoid, type);
}

Expected<JaxprPtr> reducerJaxpr(const char *name, const Tensors &xs,
                                const Tensors &inits,
                                const lax::TupleReducer &reducer) {
  size_t n = xs.size();
  std::vector<Aval> types;
  for (size_t i = 0; i < 2 * n; ++i)
    types.push_back(Aval{xs[i % n].dtype(),
                         {},
                         xs[i % n].aval().weak && inits[i % n].aval().weak});
  Tensors captured;
  size_t count = n;
  Expected<JaxprPtr> jaxpr = traceWithCaptures(
      [&](const Tensors &args) {
        Tensors outs = reducer(Tensors(args.begin(), args.begin() + n),
                               Tensors(args.begin() + n, args.end()));
        count = outs.size();
        return outs;
      },
      types, "", captured);
  if (!jaxpr)
    return jaxpr;
  if (!captured.empty())
    return notImplemented("Reduction computations can't close over Tracers. "
                          "Please open an issue at "
                          "https://github.com/jax-ml/jax.");
  if (count != n)
    return typeError("a reduction of ", n,
                     " operands needs a computation "
                     "with ",
                     n, " results, got ", count);
  std::vector<Aval> outs = (*jaxpr)->outAvals();
  for (size_t i = 0; i < n; ++i)
    if (outs[i].dtype != types[i].dtype || outs[i].rank())
      return typeError("the computation of a reduction must return scalars of "
                       "the operands' types, got ",
                       outs[i].longStr(), " for an operand of type ",
                       xs[i].aval().longStr());
  if (!(*jaxpr)->effects.empty())
    return notImplemented("Effects not supported in `", name, "`.");
  return jaxpr;
}

} // namespace shardwright::frontend
