//===- incomplete_beta.cc - the incomplete beta function ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// x^a y^b / Beta(a, b) with y = 1 - x and a, b > 0.
Tensor leadingFactor(const Tensor &a, const Tensor &b, const Tensor &x,
                     const Tensor &y) {
  Tensor total = add(a, b), p = lax::min(a, b), q = lax::max(a, b);
  Tensor ten = number(a, 10), rest = gammas::stirlingRest(total);
  // Both great: powers of x / (a / (a + b)) and y / (b / (a + b)), whose linear
  // terms cancel.
  Tensor offset = sub(mul(x, b), mul(y, a));
  Tensor exponent = neg(add(mul(a, gammas::xMinusLog1p(div(offset, a))),
                            mul(b, gammas::xMinusLog1p(div(neg(offset), b)))));
  exponent =
      add(exponent,
          sub(rest, add(gammas::stirlingRest(a), gammas::stirlingRest(b))));
  Tensor scale =
      sqrt(div(mul(div(a, total), b), number(a, 2 * std::numbers::pi)));
  Tensor great = mul(scale, exp(exponent));
  // log(Gamma(q) / Gamma(p + q)).
  Tensor half = number(a, 0.5);
  Tensor ratio =
      add(sub(sub(p, mul(sub(q, half), log1p(div(p, q)))), mul(p, log(total))),
          sub(gammas::stirlingRest(q), rest));
  ratio = select(lt(q, ten), sub(lgamma(q), lgamma(total)), ratio);
  Tensor powers = add(mul(a, log(x)), mul(b, log1p(neg(x))));
  Tensor other = exp(sub(powers, add(lgamma(p), ratio)));
  return select(ge(p, ten), great, other);
}

/// The continued fraction of DLMF 8.17.22, in the manner of Lentz, for x < (a +
/// 1) / (a + b + 2).
Tensor continuedFraction(const Tensor &a, const Tensor &b, const Tensor &x,
                         const Tensor &active, double eps) {
  constexpr double tiny = 1e-290;
  auto awayFromZero = [&](const Tensor &v) {
    return select(lt(lax::abs(v), number(v, tiny)), full_like(v, tiny), v);
  };
  Tensor one = number(a, 1), total = add(a, b);
  Tensor d0 = awayFromZero(sub(one, div(mul(total, x), add(a, one))));
  d0 = div(one, d0);
  auto step = [&](const Tensor &m, const Tensors &in) {
    Tensor twice = add(a, add(m, m)), c = in[1], d = in[2], h = in[3], factor;
    auto advance = [&](const Tensor &numerator) {
      d = div(one, awayFromZero(add(one, mul(numerator, d))));
      c = awayFromZero(add(one, div(numerator, c)));
      factor = mul(c, d);
      h = mul(h, factor);
    };
    advance(mul(div(m, sub(twice, one)), mul(div(sub(b, m), twice), x)));
    advance(neg(mul(div(add(a, m), twice),
                    mul(div(add(total, m), add(twice, one)), x))));
    Tensor isLarge = gt(lax::abs(sub(factor, one)), number(a, eps));
    return Tensors{isLarge, c, d, h};
  };
  return gammas::iterate(step, {active, full_like(a, 1), d0, d0}, 20000)[3];
}

Tensor betaOf(const Tensor &a, const Tensor &b, const Tensor &x,
              bool isNarrow) {
  Tensor zero = number(a, 0), one = number(a, 1),
         infinity = number(a, INFINITY);
  // Where a is 0 or b infinite, all of the weight is at 0.
  Tensor atZero = bitwise_or(eq(a, zero), eq(b, infinity)),
         atOne = bitwise_or(eq(b, zero), eq(a, infinity));
  Tensor y = sub(one, x);
  Tensor converges = lt(x, div(add(a, one), add(add(a, b), number(a, 2))));
  Tensor p = select(converges, a, b), q = select(converges, b, a),
         u = select(converges, x, y), v = select(converges, y, x);
  Tensor isInside = bitwise_and(gt(x, zero), lt(x, one));
  Tensor hasShape = bitwise_and(bitwise_and(gt(a, zero), gt(b, zero)),
                                bitwise_not(bitwise_or(atZero, atOne)));
  Tensor active = bitwise_and(isInside, hasShape);
  Tensor fraction =
      continuedFraction(p, q, u, active, isNarrow ? 1e-12 : 1.1e-16);
  Tensor part = div(mul(leadingFactor(p, q, u, v), fraction), p);
  Tensor out = select(converges, part, sub(one, part));
  Tensor isNone = bitwise_or(bitwise_and(atOne, ne(x, one)), eq(x, zero));
  Tensor isAll = bitwise_or(bitwise_and(atZero, ne(x, zero)), eq(x, one));
  out = select(isNone, full_like(out, 0), out);
  out = select(isAll, full_like(out, 1), out);
  Tensor isWrong = bitwise_or(bitwise_or(lt(a, zero), lt(b, zero)),
                              bitwise_or(lt(x, zero), gt(x, one)));
  isWrong = bitwise_or(isWrong, bitwise_and(atZero, atOne));
  for (const Tensor &value : {a, b, x})
    isWrong = bitwise_or(isWrong, ne(value, value));
  return select(isWrong, full_like(out, NAN), out);
}

Primitive makeBeta() {
  Primitive p = floatPrimitive("regularized_incomplete_beta", 3);
  p.composite = [](const Tensors &in, const Params &) {
    return Tensors{gammas::inF64(in, [](const Tensors &wide, bool isNarrow) {
      return betaOf(wide[0], wide[1], wide[2], isNarrow);
    })};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    if (t[0] || t[1])
      return failedJvp(valueError(
          "Betainc gradient with respect to a and b not supported."));
    Tensor out =
        bind1(*findPrimitive("regularized_incomplete_beta"), in, params);
    const Tensor &a = in[0], &b = in[1], &x = in[2];
    Tensor one = number(a, 1);
    Tensor scale = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)));
    Tensor first = mul(sub(b, one), log1p(neg(x)));
    Tensor second = mul(sub(a, one), log(x));
    return oneResult(out, mul(exp(sub(add(first, second), scale)), *t[2]));
  };
  return p;
}

const bool registered = registerAll({makeBeta()});

} // namespace

namespace lax {
Tensor betainc(const Tensor &a, const Tensor &b, const Tensor &x) {
  return bind1(*findPrimitive("regularized_incomplete_beta"), {a, b, x});
}
} // namespace lax
} // namespace shardwright::frontend
