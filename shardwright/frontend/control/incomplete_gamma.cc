//===- incomplete_gamma.cc - incomplete gamma functions -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// P(a, x) is a power series for x < 1 or x <= a, and 1 - P(a, x) a continued
// fraction beyond, both times D = x^a exp(-x) / Gamma(a + 1). Where a is great
// and x near it, both converge slowly, and Temme's uniform expansion takes over
// (DLMF 8.12). 1 - P(a, x) of small a and x has a series of its own.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/control/gamma_parts.h"
#include "shardwright/frontend/control/incomplete.h"
#include "shardwright/frontend/primitives/accuracy.h"

#include <numbers>

namespace shardwright::frontend {
namespace {

using namespace lax;
using gammas::number;

/// What is computed: the function, its derivative in a, or that of a sample.
enum class Mode { Value, Slope, SampleSlope };

constexpr int64_t maxSteps = 5000;

/// A function and its derivative in a, both without the factor D.
struct Sum {
  Tensor value, slope;
};

/// P(a, x) / D by its power series.
Sum powerSeries(const Tensor &a, const Tensor &x, const Tensor &active,
                double eps, bool hasSlope) {
  Tensor one = full_like(a, 1), zero = full_like(a, 0);
  Tensors init{active, one, one};
  if (hasSlope)
    init.insert(init.end(), {zero, zero});
  auto step = [&](const Tensor &n, const Tensors &in) {
    const Tensor &term = in[1], &sum = in[2];
    Tensor r = add(a, n), next = mul(term, div(x, r)), total = add(sum, next);
    Tensor isLarge = gt(next, mul(number(a, eps), total));
    if (!hasSlope)
      return Tensors{isLarge, next, total};
    Tensor slope = sub(mul(in[3], div(x, r)), div(next, r));
    Tensor slopes = add(in[4], slope);
    isLarge = bitwise_or(
        isLarge, gt(lax::abs(slope), mul(number(a, eps), lax::abs(slopes))));
    return Tensors{isLarge, next, total, slope, slopes};
  };
  Tensors out = gammas::iterate(step, init, maxSteps);
  return {out[2], out.back()};
}

/// (1 - P(a, x)) / (D a) by its continued fraction, in the manner of Lentz.
Sum continuedFraction(const Tensor &a, const Tensor &x, const Tensor &active,
                      double eps, bool hasSlope) {
  constexpr double tiny = 1e-290;
  auto awayFromZero = [&](const Tensor &v) {
    return select(lt(lax::abs(v), number(v, tiny)), full_like(v, tiny), v);
  };
  Tensor one = number(a, 1);
  // Elements that are not active would divide by zero.
  Tensor b0 = select(active, add(sub(x, a), one), full_like(x, 1));
  Tensor d0 = div(one, b0), zero = full_like(a, 0);
  Tensors init{active, full_like(a, 1 / tiny), d0, d0};
  if (hasSlope) {
    Tensor slope = mul(d0, d0);
    init.insert(init.end(), {zero, slope, slope});
  }
  auto step = [&](const Tensor &n, const Tensors &in) {
    const Tensor &c = in[1], &d = in[2], &h = in[3];
    Tensor an = mul(n, sub(a, n)), b = add(b0, mul(n, number(a, 2)));
    Tensor bottom = awayFromZero(add(mul(an, d), b));
    Tensor newC = awayFromZero(add(b, div(an, c)));
    Tensor newD = div(one, bottom), factor = mul(newC, newD);
    Tensor newH = mul(h, factor);
    Tensor isLarge = gt(lax::abs(sub(factor, one)), number(a, eps));
    if (!hasSlope)
      return Tensors{isLarge, newC, newD, newH};
    const Tensor &cSlope = in[4], &dSlope = in[5], &hSlope = in[6];
    Tensor bottomSlope = sub(add(mul(n, d), mul(an, dSlope)), one);
    Tensor newCSlope =
        sub(sub(div(n, c), mul(div(an, mul(c, c)), cSlope)), one);
    // The first c stands for infinity.
    newCSlope = select(ge(c, number(c, 1e280)), full_like(c, -1), newCSlope);
    Tensor newDSlope = neg(mul(bottomSlope, mul(newD, newD)));
    Tensor factorSlope = add(mul(newCSlope, newD), mul(newC, newDSlope));
    Tensor newHSlope = add(mul(hSlope, factor), mul(h, factorSlope));
    isLarge = bitwise_or(isLarge, gt(lax::abs(sub(newHSlope, hSlope)),
                                     mul(number(a, eps), lax::abs(newHSlope))));
    return Tensors{isLarge, newC, newD, newH, newCSlope, newDSlope, newHSlope};
  };
  Tensors out = gammas::iterate(step, init, maxSteps);
  return {out[3], out.back()};
}

/// log Gamma(1 + a) for a >= 0.
Tensor lgamma1p(const Tensor &a) {
  constexpr double terms[] = {
      -0.5772156649015329, 0.8224670334241132,   -0.40068563438653143,
      0.27058080842778454, -0.20738555102867398, 0.1695571769974082,
      -0.1440498967688461, 0.12550966952474304,  -0.11133426586956469,
      0.1000994575127818,  -0.09095401714582904};
  return select(lt(a, number(a, 0.03)), mul(a, gammas::polynomial(a, terms)),
                lgamma(add(a, number(a, 1))));
}
/// 1 - P(a, x) for x <= 1.1.
Tensor smallComplement(const Tensor &a, const Tensor &x) {
  Tensor sum = full_like(x, 0), power = full_like(x, 1);
  for (int n = 1; n <= 20; ++n) {
    power = mul(power, div(neg(x), number(x, n)));
    sum = add(sum, div(power, add(a, number(a, n))));
  }
  Tensor exponent = sub(mul(a, log(x)), lgamma1p(a));
  return sub(neg(expm1(exponent)), mul(mul(a, exp(exponent)), sum));
}

/// Temme's expansion near x = a.
struct Uniform {
  Tensor mu, eta, scale, rest, restSlope;
};
/// mu = (x - a) / a, eta of its sign with eta^2 / 2 = mu - log(1 + mu), scale =
/// exp(-a eta^2 / 2) / sqrt(2 pi a). scale * rest = 1 - P(a, x) -
/// erfc(eta sqrt(a / 2)) / 2.
Uniform uniformExpansion(const Tensor &a, const Tensor &mu,
                         const Tensor &half) {
  constexpr double terms[][14] = {
      {-0.3333333333333333, 0.08333333333333333, -0.014814814814814815,
       0.0011574074074074073, 0.0003527336860670194, -0.0001787551440329218,
       3.919263178522438e-05, -2.185448510679992e-06, -1.85406221071516e-06,
       8.296711340953087e-07, -1.7665952736826078e-07, 6.707853543401498e-09,
       1.0261809784240309e-08, -4.382036018453353e-09},
      {-0.001851851851851852, -0.003472222222222222, 0.0026455026455026454,
       -0.0009902263374485596, 0.00020576131687242798, -4.018775720164609e-07,
       -1.8098550334489977e-05, 7.64916091608111e-06, -1.6120900894563446e-06,
       4.647127802807434e-09, 1.378633446915721e-07, -5.752545603517705e-08,
       1.1951628599778148e-08, -1.7543241719747647e-11},
      {0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049,
       2.0093878600823047e-06, -0.0001073665322636516, 5.2923448829120125e-05,
       -1.2760635188618728e-05, 3.423578734096138e-08, 1.3721957309062934e-06,
       -6.298992138380055e-07, 1.4280614206064242e-07, -2.0477098421990866e-10,
       -1.409252991086752e-08, 6.228974084922022e-09},
      {0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557,
       0.00026772063206283885, -7.561801671883977e-05, -2.396505113867297e-07,
       1.1082654115347302e-05, -5.6749528269915965e-06, 1.4230900732435883e-06,
       -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08,
       -1.9111168485973655e-08, 2.3928620439808118e-12},
      {-0.0008618882909167117, 0.0007840392217200666, -0.0002990724803031902,
       -1.4638452578843418e-06, 6.641498215465122e-05, -3.968365047179435e-05,
       1.1375726970678419e-05, 2.507497226237533e-10, -1.6954149536558305e-06,
       8.907507532205309e-07, -2.292934834000805e-07, 2.956794137544049e-11,
       2.8865829742708783e-08, -1.4189739437803219e-08}};
  Tensor root = sqrt(mul(number(a, 2), half));
  Tensor eta = select(lt(mu, number(mu, 0)), neg(root), root);
  Tensor inverse = div(number(a, 1), a), rest = full_like(a, 0),
         restSlope = rest;
  // mu / eta, which is the derivative of eta in a times -a.
  Tensor isZero = eq(eta, number(eta, 0));
  Tensor ratio = select(isZero, full_like(eta, 1),
                        div(mu, select(isZero, full_like(eta, 1), eta)));
  for (int k = 4; k >= 0; --k) {
    double derived[13];
    for (int i = 0; i < 13; ++i)
      derived[i] = (i + 1) * terms[k][i + 1];
    Tensor value = gammas::polynomial(eta, terms[k]);
    Tensor slope =
        sub(neg(mul(mul(gammas::polynomial(eta, derived), ratio), inverse)),
            mul(mul(number(a, k), value), inverse));
    rest = add(mul(rest, inverse), value);
    restSlope = add(mul(restSlope, inverse), slope);
  }
  Tensor scale = div(exp(neg(mul(a, half))),
                     sqrt(mul(number(a, 2 * std::numbers::pi), a)));
  return {mu, eta, scale, rest, restSlope};
}
/// The derivative of P(a, x) in a, without the factor `scale`.
Tensor uniformSlope(const Tensor &a, const Uniform &u) {
  Tensor isZero = eq(u.eta, number(a, 0));
  Tensor ratio = select(isZero, full_like(u.eta, 1),
                        div(u.mu, select(isZero, full_like(u.eta, 1), u.eta)));
  Tensor main = sub(mul(number(a, 0.5), u.eta), ratio);
  Tensor change = sub(log1p(u.mu), div(number(a, 0.5), a));
  return sub(sub(main, mul(u.rest, change)), u.restSlope);
}

/// Which formula computes an element, and common parts.
struct Regions {
  Tensor active, isUniform, useFraction;
  Tensor mu, half; ///< half: mu - log(1 + mu)
  Tensor factor;   ///< D
};
Regions regionsOf(const Tensor &a, const Tensor &x, bool isNarrow) {
  Regions r;
  auto isInfinite = [](const Tensor &v) { return eq(v, number(v, INFINITY)); };
  Tensor zero = number(a, 0);
  r.active = bitwise_and(bitwise_and(gt(a, zero), gt(x, zero)),
                         bitwise_not(bitwise_or(isInfinite(a), isInfinite(x))));
  r.mu = div(sub(x, a), a);
  r.half = gammas::xMinusLog1p(r.mu);
  // The expansion has five terms: these bounds make them enough.
  r.isUniform = bitwise_and(
      r.active,
      bitwise_and(gt(a, number(a, isNarrow ? 60 : 10000)),
                  lt(lax::abs(r.mu), number(a, isNarrow ? 0.3 : 0.1))));
  r.useFraction = bitwise_and(ge(x, number(x, 1)), gt(x, a));
  Tensor small = exp(sub(sub(mul(a, log(x)), x), lgamma(add(a, number(a, 1)))));
  Tensor large = div(exp(neg(add(mul(a, r.half), gammas::stirlingRest(a)))),
                     sqrt(mul(number(a, 2 * std::numbers::pi), a)));
  r.factor = select(lt(a, number(a, 10)), small, large);
  return r;
}
Tensor both(const Tensor &a, const Tensor &b) { return bitwise_and(a, b); }

/// P(a, x), or 1 - P(a, x).
Tensor value(const Tensor &a, const Tensor &x, bool isNarrow,
             bool isComplement) {
  double eps = isNarrow ? 1e-12 : 1.1e-16;
  Regions r = regionsOf(a, x, isNarrow);
  Tensor byLoop = both(r.active, bitwise_not(r.isUniform));
  Tensor one = number(a, 1);
  Sum series = powerSeries(a, x, both(byLoop, bitwise_not(r.useFraction)), eps,
                           /*hasSlope=*/false);
  Sum fraction = continuedFraction(a, x, both(byLoop, r.useFraction), eps,
                                   /*hasSlope=*/false);
  Tensor low = mul(r.factor, series.value),
         high = mul(mul(r.factor, a), fraction.value);
  Uniform u = uniformExpansion(a, r.mu, r.half);
  Tensor at = mul(u.eta, sqrt(mul(a, number(a, 0.5))));
  Tensor tail = mul(number(a, 0.5), erfc(isComplement ? at : neg(at)));
  Tensor rest = mul(u.scale, u.rest), out;
  Tensor isZero = eq(x, number(x, 0)), noShape = eq(a, number(a, 0));
  Tensor isInfinite = eq(x, number(x, INFINITY)),
         shapeless = eq(a, number(a, INFINITY));
  if (isComplement) {
    Tensor bound = select(le(x, number(x, 0.5)), div(number(x, -0.4), log(x)),
                          mul(number(x, 0.75), x));
    Tensor isSmall = both(le(x, number(x, 1.1)), le(a, bound));
    out = select(r.useFraction, high,
                 select(isSmall, smallComplement(a, x), sub(one, low)));
    out = select(r.isUniform, add(tail, rest), out);
    out = select(bitwise_or(isZero, shapeless), full_like(out, 1), out);
    out = select(bitwise_or(isInfinite, noShape), full_like(out, 0), out);
  } else {
    out = select(r.useFraction, sub(one, high), low);
    out = select(r.isUniform, sub(tail, rest), out);
    out = select(bitwise_or(isZero, shapeless), full_like(out, 0), out);
    out = select(bitwise_or(isInfinite, noShape), full_like(out, 1), out);
  }
  Tensor isWrong = bitwise_or(
      bitwise_or(lt(x, number(x, 0)), lt(a, number(a, 0))),
      bitwise_or(both(noShape, isZero), bitwise_or(ne(a, a), ne(x, x))));
  return select(isWrong, full_like(out, NAN), out);
}

/// The derivative of P(a, x), or of a sample, in a.
Tensor slope(const Tensor &a, const Tensor &x, bool isNarrow, bool ofSample) {
  double eps = isNarrow ? 1e-12 : 1.1e-16;
  Regions r = regionsOf(a, x, isNarrow);
  Tensor byLoop = both(r.active, bitwise_not(r.isUniform));
  Sum series = powerSeries(a, x, both(byLoop, bitwise_not(r.useFraction)), eps,
                           /*hasSlope=*/true);
  Sum fraction = continuedFraction(a, x, both(byLoop, r.useFraction), eps,
                                   /*hasSlope=*/true);
  Uniform u = uniformExpansion(a, r.mu, r.half);
  Tensor logX = log(x), one = number(a, 1);
  // Both without their factors D and -D a.
  Tensor low =
      add(series.slope, mul(series.value, sub(logX, digamma(add(a, one)))));
  Tensor high = add(fraction.slope, mul(fraction.value, sub(logX, digamma(a))));
  Tensor middle = uniformSlope(a, u), out;
  if (ofSample) {
    // Divided by the density D a / x.
    out = select(r.useFraction, mul(high, x), neg(div(mul(low, x), a)));
    Tensor scaled = mul(exp(gammas::stirlingRest(a)), div(x, a));
    out = select(r.isUniform, neg(mul(middle, scaled)), out);
  } else {
    out = mul(r.factor, select(r.useFraction, neg(mul(high, a)), low));
    out = select(r.isUniform, mul(u.scale, middle), out);
  }
  out = select(r.active, out, full_like(out, 0));
  Tensor isWrong =
      bitwise_or(bitwise_or(lt(x, number(x, 0)), le(a, number(a, 0))),
                 bitwise_or(ne(a, a), ne(x, x)));
  return select(isWrong, full_like(out, NAN), out);
}

// Primitives

/// The derivative of igamma in x, times g.
Tensor slopeInX(const Tensor &g, const Tensor &a, const Tensor &x) {
  Tensor negative = neg(x), order = sub(a, full_like(a, 1));
  Tensor powers = mul(order, log(x));
  Tensor sums = add(negative, powers);
  return mul(g, exp(sub(sums, lgamma(a))));
}

Primitive makeIgamma(const char *name, bool isComplement) {
  Primitive p = floatPrimitive(name, 2);
  p.composite = [=](const Tensors &in, const Params &) {
    return Tensors{gammas::inF64(in, [&](const Tensors &wide, bool isNarrow) {
      return value(wide[0], wide[1], isNarrow, isComplement);
    })};
  };
  p.jvp = [=](const Tensors &in, const MaybeTensors &t, const Params &params) {
    Tensor out = bind1(*findPrimitive(name), in, params);
    auto signedOf = [&](const Tensor &x) { return isComplement ? neg(x) : x; };
    MaybeTensor tangent;
    if (t[0])
      tangent = signedOf(mul(*t[0], igamma_grad_a(in[0], in[1])));
    if (t[1])
      tangent = addTangents(tangent, signedOf(slopeInX(*t[1], in[0], in[1])));
    return oneResult(out, tangent);
  };
  return p;
}
Primitive makeSlope(const char *name, bool ofSample) {
  Primitive p = floatPrimitive(name, 2);
  p.composite = [=](const Tensors &in, const Params &) {
    return Tensors{gammas::inF64(in, [&](const Tensors &wide, bool isNarrow) {
      return slope(wide[0], wide[1], isNarrow, ofSample);
    })};
  };
  return p;
}

const bool registered = registerAll(
    {makeIgamma("igamma", false), makeIgamma("igammac", true),
     makeSlope("igamma_grad_a", false), makeSlope("random_gamma_grad", true)});

} // namespace

namespace lax {
Tensor igamma(const Tensor &a, const Tensor &x) {
  return bind1(*findPrimitive("igamma"), {a, x});
}
Tensor igammac(const Tensor &a, const Tensor &x) {
  return bind1(*findPrimitive("igammac"), {a, x});
}
Tensor igamma_grad_a(const Tensor &a, const Tensor &x) {
  return bind1(*findPrimitive("igamma_grad_a"), {a, x});
}
Tensor random_gamma_grad(const Tensor &a, const Tensor &x) {
  return bind1(*findPrimitive("random_gamma_grad"), {a, x});
}
} // namespace lax
} // namespace shardwright::frontend
