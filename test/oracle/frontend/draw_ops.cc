//===- draw_ops.cc - random numbers of all types by name ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

#include <cmath>

namespace shardwright::frontend {
namespace {

Tensor keyOf(const Keys &k) { return random::key(one(k, "seed")); }
Shape shapeOf(const Keys &k) { return Shape(get(k, "shape")); }
std::optional<Shape> maybeShape(const Keys &k) {
  return k.count("shape") ? std::optional(shapeOf(k)) : std::nullopt;
}
/// The types of draw_calls.py, by number.
DType typeOf(const Keys &k) {
  constexpr DType types[] = {DType::F32, DType::F16, DType::BF16,
                             DType::I8,  DType::U8,  DType::I16,
                             DType::I32, DType::U32, DType::C64};
  return numbered(types, k, "dtype");
}
double orderOf(const Keys &k) {
  constexpr double orders[] = {0,   1,   -1,       2,         -2, 3,
                               0.5, 2.5, INFINITY, -INFINITY, -3};
  return numbered(orders, k, "order");
}
int64_t boundOf(const Keys &k) {
  Ints bounds = get(k, "bounds");
  return bounds.empty() ? 0 : bounds.back();
}
Axes axesOf(const Keys &k) {
  return k.count("axes") ? Axes(get(k, "axes")) : Axes();
}

} // namespace

static void addTypedDraws(Ops &ops) {
#define DRAW(name, ...) OP("typed_draw_" name, random::__VA_ARGS__)
  DRAW("uniform", uniform(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("uniform_between",
       uniform(keyOf(k), shapeOf(k), typeOf(k), a[0], a[1] + 4.0))
  DRAW("normal", normal(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("bernoulli", bernoulli(keyOf(k), a[0], maybeShape(k)))
  DRAW("randint",
       randint(keyOf(k), shapeOf(k), one(k, "bounds"), boundOf(k), typeOf(k)))
  DRAW("truncated_normal",
       truncatedNormal(keyOf(k), a[0], a[1] + 4.0, shapeOf(k), typeOf(k)))
  DRAW("gumbel", gumbel(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("exponential", exponential(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("laplace", laplace(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("logistic", logistic(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("cauchy", cauchy(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("rademacher", rademacher(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("categorical", categorical(keyOf(k), a[0]))
  DRAW("lognormal", lognormal(keyOf(k), shapeOf(k), 0.5, typeOf(k)))
  DRAW("pareto", pareto(keyOf(k), 2.5, shapeOf(k), typeOf(k)))
  DRAW("rayleigh", rayleigh(keyOf(k), 1.5, shapeOf(k), typeOf(k)))
  DRAW("weibull_min", weibullMin(keyOf(k), 1.5, 2.5, shapeOf(k), typeOf(k)))
  DRAW("triangular", triangular(keyOf(k), -1, 0.5, 2, shapeOf(k), typeOf(k)))
  DRAW("maxwell", maxwell(keyOf(k), shapeOf(k), typeOf(k)))
  DRAW("double_sided_maxwell",
       doubleSidedMaxwell(keyOf(k), 0.5, 2, shapeOf(k), typeOf(k)))
  DRAW("wald", wald(keyOf(k), 1.5, shapeOf(k), typeOf(k)))
  DRAW("geometric", geometric(keyOf(k), 0.3, shapeOf(k), typeOf(k)))
#undef DRAW
}

static void addParametrizedDraws(Ops &ops) {
#define DRAW(name, ...) OP("draw_" name, random::__VA_ARGS__)
  DRAW("gamma", gamma(keyOf(k), a[0], maybeShape(k), typeOf(k)))
  DRAW("loggamma", loggamma(keyOf(k), a[0], maybeShape(k), typeOf(k)))
  DRAW("beta", beta(keyOf(k), a[0], a[1], maybeShape(k), typeOf(k)))
  DRAW("dirichlet", dirichlet(keyOf(k), a[0], maybeShape(k), typeOf(k)))
  DRAW("chisquare", chisquare(keyOf(k), a[0], maybeShape(k), typeOf(k)))
  DRAW("f", f(keyOf(k), a[0], a[1], maybeShape(k), typeOf(k)))
  DRAW("t", t(keyOf(k), a[0], maybeShape(k), typeOf(k)))
  DRAW("generalized_normal",
       generalizedNormal(keyOf(k), 1.5, shapeOf(k), typeOf(k)))
  DRAW("ball", ball(keyOf(k), 3, 1.5, shapeOf(k), typeOf(k)))
  DRAW("poisson", poisson(keyOf(k), a[0], maybeShape(k), typeOf(k)))
  DRAW("binomial", binomial(keyOf(k), a[0], a[1], maybeShape(k), typeOf(k)))
  DRAW("multinomial", multinomial(keyOf(k), a[0], nn::softmax(a[1])))
#undef DRAW
  ops["draw_key_impl"] = [](const Args &, const Keys &k) -> Tensors {
    auto name = random::keyImpl(keyOf(k));
    return {name ? scalarOf(int64_t(*name == "fry"), DType::I32)
                 : Tensor(name.error())};
  };
}

void addDrawCalls(Ops &ops) {
  addTypedDraws(ops);
  addParametrizedDraws(ops);
  OP("norm_of_order",
     linalg::norm(a[0], orderOf(k), axesOf(k), one(k, "keep") != 0))
  OP("norm_of_vectors",
     linalg::vectorNorm(a[0], orderOf(k), axesOf(k), one(k, "keep") != 0))
  OP("norm_of_matrices",
     linalg::matrixNorm(a[0], orderOf(k), one(k, "keep") != 0))
  OP("norm_nuclear",
     linalg::matrixNorm(a[0], linalg::Norm::Nuclear, one(k, "keep") != 0))
}

} // namespace shardwright::frontend
