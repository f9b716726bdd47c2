//===- random_gamma.cc - gamma distributions and their relatives ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marsaglia and Tsang's method, with JAX's keys: each element has a key of its
// own, from which it draws until a candidate is accepted.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/control/gamma_parts.h"
#include "shardwright/frontend/control/incomplete.h"
#include "shardwright/frontend/control/unit_floats.h"
#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/scipy/distributions.h"
#include "shardwright/frontend/scipy/draw_parameters.h"

namespace shardwright::frontend {
namespace {

using gammas::number;

/// The words of one key for each element.
struct Keys {
  Tensor first, second;
};
Tensor word(uint64_t value) {
  return scalarOf(static_cast<int64_t>(value), DType::U32);
}
/// Number `which` of the keys into which each key splits.
Keys splitKey(const Keys &keys, const Tensor &which) {
  Tensors out = lax::threefry2x32(keys.first, keys.second, word(0), which);
  return {out[0], out[1]};
}
Keys splitKey(const Keys &keys, int64_t which) {
  return splitKey(keys, word(which));
}

/// One number in [0, 1) of each key, as random::uniform of no dimensions.
Tensor unitFloats(const Keys &keys, DType type) {
  FloatParts parts = *floatParts(type);
  Tensors words = lax::threefry2x32(keys.first, keys.second, word(0), word(0));
  return unitFloats(lax::bitsOfWords(words, bitsOfUnit(parts)), type, parts);
}
/// One standard normal number of each key.
Tensor normals(const Keys &keys, DType type) {
  Tensor low = scalarOf(floatParts(type)->aboveMinusOne(), type),
         one = scalarOf(1.0, type);
  return normalFloats(lax::max(
      low,
      lax::add(lax::mul(unitFloats(keys, type), lax::sub(one, low)), low)));
}

/// Repeats `step` for the elements whose condition holds: the others keep their
/// values.
Tensors whileElements(const std::function<Tensor(const Tensors &)> &condition,
                      const std::function<Tensors(const Tensors &)> &step,
                      const Tensors &init) {
  return whileFlat(
      [&](const Tensors &in) { return Tensors{gammas::anyOf(condition(in))}; },
      [&](const Tensors &in) {
        Tensor isOpen = condition(in);
        Tensors next = step(in);
        for (size_t i = 0; i < next.size(); ++i)
          next[i] = lax::select(isOpen, next[i], in[i]);
        return next;
      },
      init);
}

/// Samples of gamma distributions of one shape, with a key each.
Tensor sampled(const Keys &given, const Tensor &alphas, bool inLogSpace) {
  DType type = alphas.dtype();
  auto like = [&](double v) { return lax::full_like(alphas, v); };
  Tensor one = number(alphas, 1);
  Tensor isBig = lax::ge(alphas, one);
  Tensor alpha = lax::select(isBig, alphas, lax::add(alphas, one));
  Tensor d = lax::sub(alpha, number(alpha, 1.0 / 3.0));
  Tensor c = lax::div(number(alpha, 1.0 / 3.0), lax::sqrt(d));
  // A candidate x from the normal distribution with v = 1 + c x > 0.
  auto candidate = [&](const Keys &keys) {
    return whileElements(
        [&](const Tensors &in) { return lax::le(in[3], number(in[3], 0)); },
        [&](const Tensors &in) {
          Keys own{in[0], in[1]}, next = splitKey(own, 0);
          Tensor x = normals(splitKey(own, 1), type);
          return Tensors{next.first, next.second, x,
                         lax::add(one, lax::mul(x, c))};
        },
        {keys.first, keys.second, like(0), like(-1)});
  };
  // Values: key, x^2, v^3, a uniform number.
  auto isRejected = [&](const Tensors &in) {
    const Tensor &x = in[2], &v = in[3], &u = in[4];
    Tensor outside =
        lax::ge(u, lax::sub(one, lax::mul(number(x, 0.0331), lax::mul(x, x))));
    Tensor bound =
        lax::add(lax::mul(x, number(x, 0.5)),
                 lax::mul(d, lax::add(lax::sub(one, v), lax::log(v))));
    return lax::bitwise_and(outside, lax::ge(lax::log(u), bound));
  };
  auto draw = [&](const Tensors &in) {
    Keys own{in[0], in[1]}, next = splitKey(own, 0);
    Tensors found = candidate(splitKey(own, 1));
    const Tensor &x = found[2], &v = found[3];
    return Tensors{next.first, next.second, lax::mul(x, x),
                   lax::mul(lax::mul(v, v), v),
                   unitFloats(splitKey(own, 2), type)};
  };
  Keys first = splitKey(given, 0), forBoost = splitKey(given, 1);
  Tensors end = whileElements(
      isRejected, draw, {first.first, first.second, like(0), like(1), like(2)});
  if (const Error *error = errorIn(end))
    return *error;
  const Tensor &v = end[3];
  Tensor u = unitFloats(forBoost, type), inverse = lax::div(one, alphas);
  if (inLogSpace) {
    Tensor logs = lax::neg(lax::neg(lax::log1p(lax::neg(u))));
    Tensor none = lax::bitwise_or(isBig, lax::eq(logs, number(logs, 0)));
    Tensor boost = lax::select(none, like(0), lax::mul(logs, inverse));
    return lax::add(lax::add(lax::log(d), lax::log(v)), boost);
  }
  Tensor boost =
      lax::select(isBig, like(1), lax::pow(lax::sub(one, u), inverse));
  return lax::mul(lax::mul(d, v), boost);
}

/// The primitive: `keys` have the leading dimensions of `a`.
Tensor sampledOfKeys(const Tensor &keys, const Tensor &a, bool inLogSpace) {
  Tensor data = lax::random_unwrap(keys);
  if (const Error *error = errorIn(Tensors{data, a}))
    return *error;
  int64_t numKeys = keys.shape().elements();
  int64_t each = numKeys ? a.size() / numKeys : 0;
  if (!a.size())
    return a;
  data = lax::reshape(data, {numKeys, 2});
  auto wordOf = [&](int64_t which) {
    return lax::broadcast_in_dim(
        lax::reshape(lax::slice_in_dim(data, which, which + 1, 1, 1),
                     {numKeys}),
        {numKeys, each}, {0});
  };
  Keys own = splitKey(Keys{wordOf(0), wordOf(1)},
                      lax::iota(DType::U32, {numKeys, each}, 1));
  Tensor out = sampled(own, lax::reshape(a, {numKeys, each}), inLogSpace);
  return out.ok() ? lax::reshape(out, a.shape()) : out;
}

Tensor gradientOf(const Tensor &sample, const Tensor &a, bool inLogSpace) {
  if (!inLogSpace)
    return lax::random_gamma_grad(a, sample);
  Tensor x = lax::exp(sample);
  // The derivative exists where the sample underflows, too.
  x = lax::select(lax::eq(x, number(x, 0)),
                  lax::full_like(x, floatParts(sample.dtype())->smallest), x);
  return lax::div(lax::random_gamma_grad(a, x), x);
}

Primitive makeGamma() {
  Primitive p;
  p.name = "random_gamma";
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    if (in[0].dtype != DType::Key)
      return typeError("random_gamma accepts new-style PRNG keys, got ",
                       in[0].longStr());
    SW_TRY(checkAccepts("random_gamma", Accepts::Float, in[1].dtype));
    if (!floatParts(in[1].dtype))
      return typeError("random_gamma expects float16, bfloat16, float32 or "
                       "float64, got ",
                       in[1].longStr());
    bool fits = in[0].rank() <= in[1].rank();
    for (int64_t d = 0; fits && d < in[0].rank(); ++d)
      fits = in[0].shape[d] == in[1].shape[d];
    if (!fits)
      return valueError("random_gamma expects keys with the leading dimensions "
                        "of the parameters, got shapes ",
                        tupleText(in[0].shape), " and ",
                        tupleText(in[1].shape));
    return std::vector<Aval>{Aval{in[1].dtype, in[1].shape, in[1].weak}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[1].spec()};
  };
  p.composite = [](const Tensors &in, const Params &params) {
    return Tensors{sampledOfKeys(in[0], in[1], params.flag("log_space"))};
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Tensor keys = batchToFront(in[0], dims[0], axis),
           a = batchToFront(in[1], dims[1], axis);
    return {{bind1(*findPrimitive("random_gamma"), {keys, a}, params)}, {0}};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    Tensor out = bind1(*findPrimitive("random_gamma"), in, params);
    if (!t[1] || !out.ok())
      return oneResult(out, {});
    return oneResult(
        out, lax::mul(*t[1], gradientOf(out, in[1], params.flag("log_space"))));
  };
  return p;
}

const bool registered = registerAll({makeGamma()});

/// Parameters in a type of floats and of a shape: the result's, or their own.
/// `isSafe`: an error if the type is narrower than theirs.
Expected<Tensors> parametersOf(const char *name, const Tensors &given,
                               const std::optional<Shape> &wanted, DType type,
                               bool isSafe = true) {
  if (const Error *error = errorIn(given))
    return *error;
  type = canonicalType(type);
  if (!floatParts(type))
    return valueError("dtype argument to `", name,
                      "` must be a float dtype, got ", frontend::name(type));
  for (const Tensor &x : given) {
    DType common = promoteTypes(x.dtype(), x.aval().weak, type, false).type;
    if (isSafe && common != type)
      return valueError(
          "In arguments to ", name, ", cannot safely cast argument of type ",
          frontend::name(x.dtype()), " to ", frontend::name(type));
  }
  Expected<Shape> shape = random::commonShape(name, given, wanted);
  if (!shape)
    return shape.error();
  Tensors out;
  for (const Tensor &x : given)
    out.push_back(
        frontend::broadcastTo(lax::convert_element_type(x, type), *shape));
  return out;
}
Tensor gammaOf(const Tensor &key, const Tensor &a,
               const std::optional<Shape> &shape, DType type, bool inLogSpace) {
  Expected<Tensors> in =
      parametersOf(inLogSpace ? "loggamma" : "gamma", {a}, shape, type,
                   /*isSafe=*/false);
  if (!in)
    return in.error();
  return bind1(*findPrimitive("random_gamma"), {key, (*in)[0]},
               {{"log_space", inLogSpace}});
}

} // namespace

namespace random {

Tensor gamma(const Tensor &key, const Tensor &a,
             const std::optional<Shape> &shape, DType type) {
  return gammaOf(key, a, shape, type, false);
}
Tensor loggamma(const Tensor &key, const Tensor &a,
                const std::optional<Shape> &shape, DType type) {
  return gammaOf(key, a, shape, type, true);
}
Tensor beta(const Tensor &key, const Tensor &a, const Tensor &b,
            const std::optional<Shape> &shape, DType type) {
  Expected<Tensors> in = parametersOf("beta", {a, b}, shape, type);
  if (!in)
    return in.error();
  Tensors keys = split(key);
  Tensor first = loggamma(keys[0], (*in)[0], {}, type),
         second = loggamma(keys[1], (*in)[1], {}, type);
  Tensor top = lax::max(first, second);
  first = lax::exp(lax::sub(first, top));
  second = lax::exp(lax::sub(second, top));
  return lax::div(first, lax::add(first, second));
}
Tensor dirichlet(const Tensor &key, const Tensor &alpha,
                 const std::optional<Shape> &shape, DType type) {
  if (!alpha.ok())
    return alpha;
  if (!alpha.rank())
    return valueError("dirichlet requires alpha.ndim >= 1, got alpha.ndim == "
                      "0");
  std::optional<Shape> full;
  if (shape) {
    full = *shape;
    full->push_back(alpha.dim(alpha.rank() - 1));
  }
  return nn::softmax(loggamma(key, alpha, full, type), -1);
}
Tensor chisquare(const Tensor &key, const Tensor &df,
                 const std::optional<Shape> &shape, DType type) {
  Expected<Tensors> in = parametersOf("chisquare", {df}, shape, type);
  if (!in)
    return in.error();
  Tensor two = number((*in)[0], 2);
  Tensor logs = loggamma(key, lax::div((*in)[0], two), {}, type);
  return lax::mul(lax::exp(logs), two);
}
Tensor f(const Tensor &key, const Tensor &dfnum, const Tensor &dfden,
         const std::optional<Shape> &shape, DType type) {
  Expected<Tensors> in = parametersOf("f", {dfnum, dfden}, shape, type);
  if (!in)
    return in.error();
  Tensors keys = split(key);
  const Tensor &n = (*in)[0], &d = (*in)[1];
  Tensor above = lax::div(chisquare(keys[1], n, {}, type), n);
  Tensor below = lax::div(chisquare(keys[0], d, {}, type), d);
  return lax::div(above, below);
}
Tensor t(const Tensor &key, const Tensor &df, const std::optional<Shape> &shape,
         DType type) {
  Expected<Tensors> in = parametersOf("t", {df}, shape, type);
  if (!in)
    return in.error();
  Tensors keys = split(key);
  Tensor n = normal(keys[0], (*in)[0].shape(), type);
  Tensor half = lax::div((*in)[0], number((*in)[0], 2));
  return lax::mul(n, lax::sqrt(lax::div(half, gamma(keys[1], half, {}, type))));
}
Tensor generalizedNormal(const Tensor &key, double p, const Shape &shape,
                         DType type) {
  Tensors keys = split(key);
  Tensor g = gamma(keys[0], 1 / p, shape, type);
  if (!g.ok())
    return g;
  Tensor sign =
      lax::convert_element_type(rademacher(keys[1], shape), g.dtype());
  return lax::mul(sign, power(g, Tensor(1 / p)));
}
Tensor ball(const Tensor &key, int64_t d, double p, const Shape &shape,
            DType type) {
  if (d < 1)
    return valueError("ball expects one dimension or more, got ", d);
  Tensors keys = split(key);
  Shape full = shape;
  full.push_back(d);
  Tensor g = generalizedNormal(keys[0], p, full, type);
  Tensor e = exponential(keys[1], shape, type);
  Tensor sums = sum(power(frontend::abs(g), Tensor(p)), Ints{-1}) + e;
  return g / frontend::expandDims(power(sums, Tensor(1 / p)), int64_t(-1));
}

} // namespace random
} // namespace shardwright::frontend
