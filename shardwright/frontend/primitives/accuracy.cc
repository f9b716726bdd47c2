//===- accuracy.cc - functions with an accuracy ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/accuracy.h"

#include <cstdio>

namespace shardwright::frontend {

using namespace lax;

namespace {

struct AccuracyParam final : ParamObject {
  explicit AccuracyParam(const Accuracy &a) : accuracy(a) {}
  std::string str() const override {
    if (accuracy.mode == Accuracy::Mode::Tolerance)
      return "<jax._src.lax.lax.Tolerance object at 0xXXXXXXXXXXXX>";
    return accuracy.mode == Accuracy::Mode::Highest ? "AccuracyMode.HIGHEST"
                                                    : "AccuracyMode.DEFAULT";
  }
  std::string key() const override {
    return cat(str(), accuracy.atol, ";", accuracy.rtol, ";", accuracy.ulps);
  }
  const Accuracy accuracy;
};

Tensor bindAccurate(const char *name, const Tensor &x, const Accuracy &a) {
  if (!(a.atol >= 0 && a.rtol >= 0 && a.ulps >= 0))
    return valueError("Tolerances must be non-negative.");
  return bind1(*findPrimitive(name), {x},
               {{"accuracy", objectParam(AccuracyParam(a))}});
}

} // namespace

std::string accuracyAttribute(const Params &params) {
  const auto *given = params.object<AccuracyParam>("accuracy");
  if (!given || given->accuracy.mode == Accuracy::Mode::Default)
    return "";
  const Accuracy &a = given->accuracy;
  bool isHighest = a.mode == Accuracy::Mode::Highest;
  char tolerance[80];
  std::snprintf(tolerance, sizeof(tolerance), "atol = %.17e, rtol = %.17e, ",
                a.atol, a.rtol);
  return cat("result_accuracy = #stablehlo.result_accuracy<", tolerance,
             "ulps = ", a.ulps, ", mode = #stablehlo.result_accuracy_mode<",
             isHighest ? "HIGHEST" : "TOLERANCE", ">>");
}

MaybeTensor accurateTangent(std::string_view name, const Tensor &x,
                            const Tensor &y, const Tensor &t,
                            const Params &params) {
  auto accurate = [&](const char *other, const Tensor &of) {
    return bind1(*findPrimitive(other), {of}, params);
  };
  auto number = [&](double v) { return scalarOf(v, x.dtype()); };
  if (name == "sin")
    return mul(t, accurate("cos", x));
  if (name == "cos")
    return neg(mul(t, accurate("sin", x)));
  const auto *given = params.object<AccuracyParam>("accuracy");
  if (!given || given->accuracy.mode != Accuracy::Mode::Highest)
    return {};
  // No small differences of large numbers.
  if (name == "expm1")
    return mul(t, accurate("exp", x));
  if (name == "logistic")
    return mul(t, mul(y, logistic(neg(x))));
  if (name != "tanh")
    return {};
  Tensor left = accurate("logistic", mul(number(2), x));
  Tensor right = accurate("logistic", mul(number(-2), x));
  return mul(t, mul(number(4), mul(left, right)));
}

namespace lax {
namespace accurate {
#define SW_DEFINE(name)                                                        \
  Tensor name(const Tensor &x, const Accuracy &accuracy) {                     \
    return bindAccurate(#name, x, accuracy);                                   \
  }
SW_LAX_ACCURATE(SW_DEFINE)
#undef SW_DEFINE
} // namespace accurate
} // namespace lax
} // namespace shardwright::frontend
