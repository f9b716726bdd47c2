//===- elementwise_ops.cc - functions of jax.numpy for typed_calls.py -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {

using Unary = Tensor (*)(const Tensor &);
using Binary = Tensor (*)(const Tensor &, const Tensor &);
using Reduction = Tensor (*)(const Tensor &, const Axes &, bool);

static void addUnary(Ops &ops) {
  static constexpr std::pair<const char *, Unary> functions[] = {
      {"exp", exp},
      {"exp2", exp2},
      {"log", log},
      {"log1p", log1p},
      {"expm1", expm1},
      {"sin", sin},
      {"cos", cos},
      {"tan", tan},
      {"tanh", tanh},
      {"sqrt", sqrt},
      {"cbrt", cbrt},
      {"arcsin", arcsin},
      {"arccos", arccos},
      {"arctan", arctan},
      {"sinh", sinh},
      {"cosh", cosh},
      {"arcsinh", arcsinh},
      {"arccosh", arccosh},
      {"arctanh", arctanh},
      {"abs", abs},
      {"absolute", absolute},
      {"fabs", fabs},
      {"square", square},
      {"sign", sign},
      {"floor", floor},
      {"ceil", ceil},
      {"negative", negative},
      {"positive", positive},
      {"logical_not", logicalNot},
      {"bitwise_not", bitwiseNot},
      {"invert", invert},
      {"bitwise_count", bitwiseCount},
      {"log2", log2},
      {"log10", log10},
      {"sinc", sinc},
      {"degrees", degrees},
      {"radians", radians},
      {"i0", i0},
      {"real", real},
      {"imag", imag},
      {"conjugate", conjugate},
      {"signbit", signbit},
      {"rint", rint},
      {"isposinf", isposinf},
      {"isneginf", isneginf},
      {"isreal", isreal},
      {"iscomplex", iscomplex},
      {"isnan", isnan},
      {"isinf", isinf},
      {"isfinite", isfinite},
      {"reciprocal", reciprocal},
      {"trunc", trunc},
      {"nan_to_num", nanToNum},
      {"ravel", ravel},
      {"zeros_like", zerosLike},
      {"ones_like", onesLike},
  };
  for (const auto &[name, function] : functions)
    ops[cat("call_", name)] = [f = function](const Args &a, const Keys &) {
      return Tensors{f(a[0])};
    };
}

static void addBinary(Ops &ops) {
  static constexpr std::pair<const char *, Binary> functions[] = {
      {"add", add},
      {"subtract", subtract},
      {"multiply", multiply},
      {"true_divide", trueDivide},
      {"remainder", remainder},
      {"fmod", fmod},
      {"floor_divide", floorDivide},
      {"power", power},
      {"float_power", floatPower},
      {"maximum", maximum},
      {"minimum", minimum},
      {"fmax", fmax},
      {"fmin", fmin},
      {"equal", equal},
      {"not_equal", notEqual},
      {"less", less},
      {"less_equal", lessEqual},
      {"greater", greater},
      {"greater_equal", greaterEqual},
      {"logical_and", logicalAnd},
      {"logical_or", logicalOr},
      {"logical_xor", logicalXor},
      {"bitwise_and", bitwiseAnd},
      {"bitwise_or", bitwiseOr},
      {"bitwise_xor", bitwiseXor},
      {"left_shift", leftShift},
      {"right_shift", rightShift},
      {"arctan2", arctan2},
      {"hypot", hypot},
      {"logaddexp", logaddexp},
      {"logaddexp2", logaddexp2},
      {"copysign", copysign},
      {"nextafter", nextafter},
      {"heaviside", heaviside},
      {"gcd", gcd},
      {"lcm", lcm},
      {"ldexp", ldexp},
      {"array_equiv", arrayEquiv},
  };
  for (const auto &[name, function] : functions)
    ops[cat("call_", name)] = [f = function](const Args &a, const Keys &) {
      return Tensors{f(a[0], a[1])};
    };
  ops["call_divmod"] = [](const Args &a, const Keys &) -> Tensors {
    auto out = divmod(a[0], a[1]);
    return {out.first, out.second};
  };
  ops["call_modf"] = [](const Args &a, const Keys &) -> Tensors {
    auto out = modf(a[0]);
    return {out.first, out.second};
  };
  ops["call_frexp"] = [](const Args &a, const Keys &) -> Tensors {
    auto out = frexp(a[0]);
    return {out.first, out.second};
  };
  OP("call_round", round(a[0], one(k, "decimals")))
  OP("call_angle", angle(a[0], one(k, "deg") != 0))
  OP("call_array_equal", arrayEqual(a[0], a[1], one(k, "nan") != 0))
  OP("call_where", where(a[0], a[1], a[2]))
  OP("call_clip", clip(a[0], a[1], a[2]))
}

static void addReductions(Ops &ops) {
  static constexpr std::pair<const char *, Reduction> functions[] = {
      {"sum", sum},         {"mean", mean},     {"var", var},
      {"prod", prod},       {"max", max},       {"min", min},
      {"any", any},         {"all", all},       {"nansum", nansum},
      {"nanmean", nanmean}, {"nanmax", nanmax}, {"nanmin", nanmin},
  };
  for (const auto &[name, function] : functions)
    ops[cat("call_", name)] = [f = function](const Args &a, const Keys &k) {
      Axes axes = k.count("axes") ? Axes(get(k, "axes")) : Axes();
      return Tensors{f(a[0], axes, one(k, "keep") != 0)};
    };
  auto axis = [](const Keys &k) {
    return k.count("axis") ? std::optional<int64_t>(one(k, "axis"))
                           : std::nullopt;
  };
  ops["call_argmax"] = [axis](const Args &a, const Keys &k) -> Tensors {
    return {argmax(a[0], axis(k), one(k, "keep") != 0)};
  };
  ops["call_argmin"] = [axis](const Args &a, const Keys &k) -> Tensors {
    return {argmin(a[0], axis(k), one(k, "keep") != 0)};
  };
  ops["call_cumsum"] = [axis](const Args &a, const Keys &k) -> Tensors {
    return {cumsum(a[0], axis(k))};
  };
  OP("call_sort", sort(a[0], one(k, "axis")))
  OP("call_argsort", argsort(a[0], one(k, "axis")))
}

void addElementwiseCalls(Ops &ops) {
  addUnary(ops);
  addBinary(ops);
  addReductions(ops);
}

} // namespace shardwright::frontend
