//===- unary.cc - elementwise primitives of one operand -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/accuracy.h"

#include "shardwright/frontend/primitives/special.h"

#include <cmath>

namespace shardwright::frontend {
namespace {

/// The tangent from operand, result and the operand's tangent.
using Tangent = Tensor (*)(const Tensor &x, const Tensor &y, const Tensor &t);

struct UnarySpec {
  const char *name;
  Accepts accepts;
  const char *opName;
  /// Null: the tangent is zero, unless the primitive is linear.
  Tangent tangent = nullptr;
  bool isLinear = false;
  enum Result { Same, Bool, Real } result = Same;
};

using namespace lax;
Tensor like(const Tensor &x, double v) { return scalarOf(v, x.dtype()); }

const UnarySpec specs[] = {
    {"neg", Accepts::Number, "stablehlo.negate", nullptr, true},
    {"sign", Accepts::Number, "stablehlo.sign"},
    {"floor", Accepts::Float, "stablehlo.floor"},
    {"ceil", Accepts::Float, "stablehlo.ceil"},
    {"is_finite", Accepts::Float, "stablehlo.is_finite", nullptr, false,
     UnarySpec::Bool},
    {"exp", Accepts::Inexact, "stablehlo.exponential",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, y);
     }},
    {"exp2", Accepts::Inexact, "",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       Tensor factor = log(like(x, 2));
       return mul(factor, mul(t, y));
     }},
    {"log", Accepts::Inexact, "stablehlo.log",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return div(t, x);
     }},
    {"log1p", Accepts::Inexact, "stablehlo.log_plus_one",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return div(t, add(x, like(x, 1)));
     }},
    {"expm1", Accepts::Inexact, "stablehlo.exponential_minus_one",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, add(y, like(y, 1)));
     }},
    {"sin", Accepts::Inexact, "stablehlo.sine",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, cos(x));
     }},
    {"cos", Accepts::Inexact, "stablehlo.cosine",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return neg(mul(t, sin(x)));
     }},
    {"tan", Accepts::Inexact, "stablehlo.tan",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, add(like(x, 1), square(y)));
     }},
    {"tanh", Accepts::Inexact, "stablehlo.tanh",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       // (1 + y) (1 - y), so that it is accurate near its zeros.
       return mul(add(t, mul(t, y)), sub(like(y, 1), y));
     }},
    {"logistic", Accepts::Inexact, "stablehlo.logistic",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, mul(y, sub(like(y, 1), y)));
     }},
    {"sqrt", Accepts::Inexact, "stablehlo.sqrt",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, div(like(x, 0.5), y));
     }},
    {"rsqrt", Accepts::Inexact, "stablehlo.rsqrt",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, mul(like(x, -0.5), div(y, x)));
     }},
    {"cbrt", Accepts::Float, "stablehlo.cbrt",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, mul(like(x, 1.0 / 3), integer_pow(y, -2)));
     }},
    {"abs", Accepts::Signed, "stablehlo.abs",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       if (!isComplex(x.dtype()))
         return select(ge(x, like(x, 0)), t, neg(t));
       Tensor turned = conj(x);
       Tensor size = convert_element_type(y, x.dtype());
       Tensor isZero = eq(size, like(size, 0));
       Tensor divisor = select(isZero, full_like(size, 1), size);
       return real(mul(t, div(turned, divisor)));
     },
     false, UnarySpec::Real},
    {"square", Accepts::Number, "",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, mul(like(x, 2), x));
     }},
    {"erf", Accepts::Float, "chlo.erf",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(like(x, 2 / std::sqrt(M_PI)), mul(t, exp(neg(square(x)))));
     }},
    {"erfc", Accepts::Float, "chlo.erfc",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(like(x, -2 / std::sqrt(M_PI)), mul(t, exp(neg(square(x)))));
     }},
    {"erf_inv", Accepts::Float, "chlo.erf_inv",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(like(x, std::sqrt(M_PI) / 2), mul(t, exp(square(y))));
     }},
    {"lgamma", Accepts::Float, "chlo.lgamma",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, digamma(x));
     }},
    {"digamma", Accepts::Float, "chlo.digamma",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, polygamma(like(x, 1), x));
     }},
    {"asin", Accepts::Inexact, "chlo.asin",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, rsqrt(sub(like(x, 1), square(x))));
     }},
    {"acos", Accepts::Inexact, "chlo.acos",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, neg(rsqrt(sub(like(x, 1), square(x)))));
     }},
    {"atan", Accepts::Inexact, "chlo.atan",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return div(t, add(like(x, 1), square(x)));
     }},
    {"sinh", Accepts::Inexact, "chlo.sinh",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, cosh(x));
     }},
    {"cosh", Accepts::Inexact, "chlo.cosh",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, sinh(x));
     }},
    {"asinh", Accepts::Inexact, "chlo.asinh",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, rsqrt(add(square(x), like(x, 1))));
     }},
    {"acosh", Accepts::Inexact, "chlo.acosh",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       return mul(t, rsqrt(sub(square(x), like(x, 1))));
     }},
    {"atanh", Accepts::Inexact, "chlo.atanh",
     [](const Tensor &x, const Tensor &y, const Tensor &t) {
       Tensor factor = integer_pow(add(like(x, 1), x), -1);
       return mul(factor, div(t, sub(like(x, 1), x)));
     }},
    {"real", Accepts::Complex, "stablehlo.real", nullptr, true,
     UnarySpec::Real},
    {"imag", Accepts::Complex, "stablehlo.imag", nullptr, true,
     UnarySpec::Real},
    {"clz", Accepts::Integer, "stablehlo.count_leading_zeros"},
    {"population_count", Accepts::Integer, "stablehlo.popcnt"},
    {"not", Accepts::BoolOrInt, "stablehlo.not"},
};

Aval resultOf(const UnarySpec &spec, const Aval &x) {
  if (spec.result == UnarySpec::Bool)
    return Aval{DType::Bool, x.shape};
  Aval out{spec.result == UnarySpec::Real ? realType(x.dtype) : x.dtype,
           x.shape, x.weak};
  return out;
}

MaybeTensors transposeUnary(const std::string &name, const Tensor &ct) {
  if (name == "neg")
    return {neg(ct)};
  Tensor zero = scalarOf(0.0, ct.dtype());
  if (name == "real")
    return {complex(ct, zero)};
  return {complex(zero, neg(ct))}; // imag
}

Primitive makeUnary(const UnarySpec &spec) {
  Primitive p;
  p.name = spec.name;
  p.hiddenIfNone = {"accuracy"};
  const UnarySpec *s = &spec;
  p.infer = [s](const std::vector<Aval> &in,
                const Params &) -> Expected<std::vector<Aval>> {
    SW_TRY(checkAccepts(s->name, s->accepts, in[0].dtype));
    return std::vector<Aval>{resultOf(*s, in[0])};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.batch = [s](const BatchAxis &, const Tensors &in, const Ints &dims,
                const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive(s->name), in, params), dims};
  };
  p.jvp = [s](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive(s->name);
    Tensor y = bind1(self, in, params);
    if (s->isLinear)
      return oneResult(y, bind1(self, {*t[0]}, params));
    if (!s->tangent)
      return oneResult(y, {});
    if (params.has("accuracy"))
      if (MaybeTensor tangent =
              accurateTangent(s->name, in[0], y, *t[0], params))
        return oneResult(y, tangent);
    return oneResult(y, s->tangent(in[0], y, *t[0]));
  };
  if (spec.isLinear)
    p.transpose = [s](const MaybeTensors &ct, const MaybeTensors &,
                      const std::vector<Aval> &, const Params &) {
      return transposeUnary(s->name, *ct[0]);
    };
  if (*spec.opName)
    p.lower = [s](LoweringContext &c) {
      return c.op(s->opName, c.operands(), mlirTypes(c.operandTypes()),
                  mlirTypes(c.resultTypes()), accuracyAttribute(c.params()));
    };
  // StableHLO has no sign of unsigned integers.
  if (p.name == "sign")
    p.lower = [signedLower = p.lower](LoweringContext &c) {
      if (!isUnsigned(c.operandTypes()[0].dtype))
        return signedLower(c);
      return c.inlineFunction([](const Tensors &in) -> Tensors {
        Tensor zero = full_like(in[0], 0);
        return {select(eq(in[0], zero), zero, full_like(in[0], 1))};
      });
    };
  return p;
}

/// Real operands are their own conjugates, and complex ones result.
Primitive makeConj() {
  Primitive conj = makeUnary(specs[0]);
  conj.name = "conj";
  conj.hiddenIfNone = {};
  conj.infer = [](const std::vector<Aval> &in,
                  const Params &) -> Expected<std::vector<Aval>> {
    SW_TRY(checkAccepts("conj", Accepts::ComplexOrPartOfComplex, in[0].dtype));
    return std::vector<Aval>{Aval{complexType(in[0].dtype), in[0].shape}};
  };
  conj.lower = nullptr;
  conj.composite = [](const Tensors &in, const Params &) {
    if (isComplex(in[0].dtype()))
      return Tensors{complex(real(in[0]), neg(imag(in[0])))};
    return Tensors{complex(in[0], full_like(in[0], 0))};
  };
  conj.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
                  const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive("conj"), in, params), dims};
  };
  conj.jvp = [](const Tensors &in, const MaybeTensors &t,
                const Params &params) {
    const Primitive &self = *findPrimitive("conj");
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
  conj.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                      const std::vector<Aval> &types, const Params &) {
    Tensor out = lax::conj(*ct[0]);
    return MaybeTensors{isComplex(types[0].dtype) ? out : real(out)};
  };
  return conj;
}

const bool registered = [] {
  std::vector<Primitive> made{makeConj()};
  for (const UnarySpec &spec : specs) {
    made.push_back(makeUnary(spec));
    if (made.back().name == "square")
      made.back().composite = [](const Tensors &in, const Params &) {
        return Tensors{mul(in[0], in[0])};
      };
    if (made.back().name == "exp2")
      made.back().composite = [](const Tensors &in, const Params &) {
        return Tensors{exp(mul(like(in[0], std::log(2.0)), in[0]))};
      };
  }
  return registerAll(std::move(made));
}();

/// Primitives with one operand and parameters, whose derivative is zero or that
/// are linear.
Primitive withParams(const char *name, bool linear, Accepts accepts) {
  Primitive p;
  p.name = name;
  p.infer = [=](const std::vector<Aval> &in,
                const Params &) -> Expected<std::vector<Aval>> {
    SW_TRY(checkAccepts(name, accepts, in[0].dtype));
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape, in[0].weak}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.batch = [=](const BatchAxis &, const Tensors &in, const Ints &dims,
                const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive(name), in, params), dims};
  };
  p.jvp = [=](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive(name);
    Tensor y = bind1(self, in, params);
    return oneResult(y, linear ? MaybeTensor(bind1(self, {*t[0]}, params))
                               : MaybeTensor());
  };
  return p;
}

const Primitive roundP = [] {
  Primitive p = withParams("round", false, Accepts::Float);
  p.lower = [](LoweringContext &c) {
    bool even = c.params().integer("rounding_method") == 1;
    return c.op(
        even ? "stablehlo.round_nearest_even" : "stablehlo.round_nearest_afz",
        c.operands(), mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()));
  };
  return p;
}();
const Registered roundR(roundP);

const Primitive integerPowP = [] {
  Primitive p = withParams("integer_pow", false, Accepts::Number);
  p.infer = [infer =
                 p.infer](const std::vector<Aval> &in,
                          const Params &params) -> Expected<std::vector<Aval>> {
    if (params.integer("y") < 0 && isInteger(in[0].dtype))
      return typeError("Integers cannot be raised to negative powers, got "
                       "integer_pow(",
                       in[0].longStr(), ", ", params.integer("y"), ")");
    return infer(in, params);
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    int64_t n = params.integer("y");
    Tensor y = integer_pow(in[0], n);
    if (n == 0)
      return oneResult(y, full_like(*t[0], 0));
    if (n == 1)
      return oneResult(y, *t[0]);
    Tensor power = n == 2 ? in[0] : integer_pow(in[0], n - 1);
    Tensor slope = mul(like(in[0], static_cast<double>(n)), power);
    return oneResult(y, mul(*t[0], slope));
  };
  p.composite = [](const Tensors &in, const Params &params) -> Tensors {
    int64_t n = params.integer("y");
    if (n == 0)
      return {full_like(in[0], 1)};
    if (n == 3)
      return {mul(mul(in[0], in[0]), in[0])};
    bool reciprocal = n < 0;
    Tensor power = in[0];
    MaybeTensor result;
    for (uint64_t k = reciprocal ? -n : n; k; k >>= 1) {
      if (k & 1)
        result = result ? mul(*result, power) : power;
      if (k > 1)
        power = mul(power, power);
    }
    return {reciprocal ? div(full_like(in[0], 1), *result) : *result};
  };
  return p;
}();
const Registered integerPowR(integerPowP);

const Primitive stopGradientP = [] {
  Primitive p = withParams("stop_gradient", false, Accepts::Any);
  p.composite = [](const Tensors &in, const Params &) { return in; };
  return p;
}();
const Registered stopGradientR(stopGradientP);

const Primitive copyP = [] {
  Primitive p = withParams("copy", true, Accepts::Any);
  p.composite = [](const Tensors &in, const Params &) { return in; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &,
                   const Params &) { return MaybeTensors{copy(*ct[0])}; };
  return p;
}();
const Registered copyR(copyP);

const Primitive reducePrecisionP = [] {
  Primitive p = withParams("reduce_precision", true, Accepts::Float);
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    return MaybeTensors{
        bind1(*findPrimitive("reduce_precision"), {*ct[0]}, params)};
  };
  p.lower = [](LoweringContext &c) {
    return c.op("stablehlo.reduce_precision", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                cat("exponent_bits = ", c.params().integer("exponent_bits"),
                    " : i32, mantissa_bits = ",
                    c.params().integer("mantissa_bits"), " : i32"));
  };
  return p;
}();
const Registered reducePrecisionR(reducePrecisionP);

Params paramsOf(std::string_view name, const Tensor &x) {
  return name == "conj" && x.ok() ? Params{{"input_dtype", x.dtype()}}
                                  : Params();
}

} // namespace

namespace lax {
#define SW_DEFINE(name)                                                        \
  Tensor name(const Tensor &x) {                                               \
    static const Primitive &p = *findPrimitive(#name);                         \
    return bind1(p, {x}, paramsOf(#name, x));                                  \
  }
SW_LAX_UNARY(SW_DEFINE)
#undef SW_DEFINE
Tensor bitwise_not(const Tensor &x) {
  return bind1(*findPrimitive("not"), {x});
}
Tensor round(const Tensor &x, RoundingMethod method) {
  return bind1(roundP, {x},
               {{"rounding_method", static_cast<int64_t>(method)}});
}
Tensor integer_pow(const Tensor &x, int64_t y) {
  return bind1(integerPowP, {x}, {{"y", y}});
}
Tensor copy(const Tensor &x) { return bind1(copyP, {x}); }
Tensor reduce_precision(const Tensor &x, int64_t exponentBits,
                        int64_t mantissaBits) {
  return bind1(
      reducePrecisionP, {x},
      {{"exponent_bits", exponentBits}, {"mantissa_bits", mantissaBits}});
}
} // namespace lax
} // namespace shardwright::frontend
