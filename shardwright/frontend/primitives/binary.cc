//===- binary.cc - elementwise primitives of two operands -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/primitives/type_errors.h"

namespace shardwright::frontend {
namespace {

using namespace lax;

/// The tangent from both operands, the result and the tangent of one operand.
using Tangent = Tensor (*)(const Tensor &x, const Tensor &y, const Tensor &out,
                           const Tensor &t);

struct BinarySpec {
  const char *name;
  Accepts accepts;
  const char *opName;
  Tangent ofX = nullptr, ofY = nullptr;
  const char *comparison = nullptr;
};

Tensor like(const Tensor &x, double v) { return scalarOf(v, x.dtype()); }

/// The share of the tangent of max and min: half each on ties.
Tensor winnerShare(const Tensor &x, const Tensor &y, const Tensor &out) {
  Tensor wins = eq(x, out);
  Tensor ones = full_like(out, 1);
  Tensor share = select(wins, ones, full_like(out, 0));
  Tensor ties = eq(y, out), twos = full_like(out, 2);
  return div(share, select(ties, twos, full_like(out, 1)));
}

/// x, and 1 where it is 0.
Tensor replaceZero(const Tensor &x) {
  Tensor isZero = eq(x, like(x, 0));
  return select(isZero, full_like(x, 1), x);
}
Tensor powSlopeX(const Tensor &x, const Tensor &exponent) {
  Tensor y = convert_element_type(exponent, x.dtype());
  if (isInexact(exponent.dtype()))
    return mul(y, pow(x, sub(y, full_like(y, 1))));
  Tensor isZero = eq(y, like(y, 0)), zeros = full_like(y, 0);
  Tensor factor = replaceZero(y);
  Tensor power = pow(x, sub(y, full_like(y, 1)));
  return select(isZero, zeros, mul(factor, power));
}
Tensor powSlopeY(const Tensor &x, const Tensor &out) {
  return mul(log(replaceZero(x)), out);
}

// Tangents of one operand.
#define SW_ARGS                                                                \
  const Tensor &x, const Tensor &y, const Tensor &out, const Tensor &t
Tensor divX(SW_ARGS) { return div(t, y); }
Tensor divY(SW_ARGS) {
  Tensor numerator = mul(neg(t), x);
  return mul(numerator, integer_pow(y, -2));
}
Tensor remX(SW_ARGS) {
  return out.shape() == t.shape() ? t : add(t, lax::zeros(out.aval()));
}
Tensor remY(SW_ARGS) {
  Tensor negative = neg(t);
  Tensor direction = sign(div(x, y));
  return mul(negative, mul(direction, floor(abs(div(x, y)))));
}
Tensor winnerX(SW_ARGS) { return mul(t, winnerShare(x, y, out)); }
Tensor winnerY(SW_ARGS) { return mul(t, winnerShare(y, x, out)); }
Tensor powX(SW_ARGS) { return mul(t, powSlopeX(x, y)); }
Tensor powY(SW_ARGS) { return mul(t, powSlopeY(x, out)); }
Tensor atan2X(SW_ARGS) { return mul(t, div(y, add(square(x), square(y)))); }
Tensor atan2Y(SW_ARGS) {
  return mul(t, div(neg(x), add(square(x), square(y))));
}
#undef SW_ARGS

const BinarySpec specs[] = {
    {"add", Accepts::Number, "stablehlo.add"},
    {"sub", Accepts::Number, "stablehlo.subtract"},
    {"add_any", Accepts::Any, "stablehlo.add"},
    {"mul", Accepts::Number, "stablehlo.multiply"},
    {"div", Accepts::Number, "stablehlo.divide", divX, divY},
    {"rem", Accepts::Real, "stablehlo.remainder", remX, remY},
    {"max", Accepts::Any, "stablehlo.maximum", winnerX, winnerY},
    {"min", Accepts::Any, "stablehlo.minimum", winnerX, winnerY},
    {"pow", Accepts::Inexact, "stablehlo.power", powX, powY},
    {"atan2", Accepts::Inexact, "stablehlo.atan2", atan2X, atan2Y},
    {"nextafter", Accepts::Float, "chlo.next_after"},
    {"complex", Accepts::PartOfComplex, "stablehlo.complex"},
    {"and", Accepts::BoolOrInt, "stablehlo.and"},
    {"or", Accepts::BoolOrInt, "stablehlo.or"},
    {"xor", Accepts::BoolOrInt, "stablehlo.xor"},
    {"mulhi", Accepts::Integer, "chlo.mulhi"},
    {"shift_left", Accepts::Integer, "stablehlo.shift_left"},
    {"shift_right_logical", Accepts::Integer, "stablehlo.shift_right_logical"},
    {"shift_right_arithmetic", Accepts::Integer,
     "stablehlo.shift_right_arithmetic"},
    {"eq", Accepts::Any, "", nullptr, nullptr, "EQ"},
    {"ne", Accepts::Any, "", nullptr, nullptr, "NE"},
    {"lt", Accepts::Ordered, "", nullptr, nullptr, "LT"},
    {"le", Accepts::Ordered, "", nullptr, nullptr, "LE"},
    {"gt", Accepts::Ordered, "", nullptr, nullptr, "GT"},
    {"ge", Accepts::Ordered, "", nullptr, nullptr, "GE"},
};

bool isName(const BinarySpec *s, const char *name) {
  return std::string_view(s->name) == name;
}

/// The error of checkAccepts with the position of the operand.
Error atPosition(Error error, size_t position) {
  std::string where = cat(" at position ", position);
  size_t at = error.text.find(". Accepted dtypes are");
  if (at != std::string::npos) {
    error.text.insert(at + std::string_view(". Accepted dtypes").size(), where);
    error.text.insert(at, where);
  }
  return error;
}

Expected<std::vector<Aval>> inferBinary(const BinarySpec *s,
                                        const std::vector<Aval> &in,
                                        const Params &params) {
  bool hasOutType = !params.isNone("out_dtype");
  for (size_t i = 0; i < in.size(); ++i) {
    DType type = in[i].dtype;
    bool isZero = type == DType::Float0 && isName(s, "add_any");
    bool isExponent = isName(s, "pow") && i == 1 && isInteger(type);
    if (isZero || isExponent)
      continue;
    if (Status status = checkAccepts(s->name, s->accepts, type); !status)
      return atPosition(status.error(), i);
  }
  bool integerPower = isName(s, "pow") && isInteger(in[1].dtype);
  if (in[0].dtype != in[1].dtype && !integerPower && !hasOutType)
    return differentTypes(s->name, in[0].dtype, in[1].dtype);
  Expected<Shape> shape = broadcastShapes(s->name, in);
  if (!shape)
    return shape.error();
  Aval out{in[0].dtype, *shape, in[0].weak && in[1].weak};
  if (s->comparison)
    out = Aval{DType::Bool, *shape};
  if (isName(s, "complex"))
    out.dtype = complexType(in[0].dtype);
  if (hasOutType)
    out = Aval{params.dtype("out_dtype"), *shape};
  return std::vector<Aval>{out};
}

std::vector<std::string> lowerBinary(const BinarySpec *s, LoweringContext &c) {
  std::vector<std::string> args = broadcastOperands(c);
  std::vector<std::string> types;
  for (const Aval &a : c.operandTypes())
    types.push_back(mlirType(a.withShape(c.resultTypes()[0].shape)));
  DType type = c.operandTypes()[0].dtype;
  if (isName(s, "pow") && isInteger(c.operandTypes()[1].dtype)) {
    args[1] = c.op("stablehlo.convert", {args[1]}, {types[1]}, {types[0]})[0];
    types[1] = types[0];
  }
  if (!c.params().isNone("out_dtype"))
    for (size_t i = 0; i < 2; ++i) {
      std::string type = mlirType(c.resultTypes()[0]);
      if (types[i] != type)
        args[i] = c.op("stablehlo.convert", {args[i]}, {types[i]}, {type})[0];
      types[i] = type;
    }
  if (!s->comparison)
    return c.op(s->opName, args, types, mlirTypes(c.resultTypes()));
  const char *kind = isInexact(type)                           ? "FLOAT"
                     : isUnsigned(type) || type == DType::Bool ? "UNSIGNED"
                                                               : "SIGNED";
  return c.op("stablehlo.compare", args, types, mlirTypes(c.resultTypes()),
              cat("comparison_direction = #stablehlo<comparison_direction ",
                  s->comparison,
                  ">, compare_type = #stablehlo<comparison_type ", kind, ">"));
}

JvpResult jvpBinary(const BinarySpec *s, const Tensors &in,
                    const MaybeTensors &t, const Params &params) {
  const Primitive &self = *findPrimitive(s->name);
  Tensor out = bind1(self, in, params);
  auto wide = [&](const MaybeTensor &v) -> MaybeTensor {
    if (!v || v->shape() == out.shape())
      return v;
    return add(*v, lax::zeros(out.aval()));
  };
  bool isDifference = isName(s, "sub");
  if (t[0] && t[1] && (isDifference || isName(s, "add")))
    return oneResult(out, isDifference ? sub(*t[0], *t[1]) : add(*t[0], *t[1]));
  if (isName(s, "add_any"))
    return oneResult(out, add_any(t[0] ? *t[0] : full_like(in[0], 0),
                                  t[1] ? *t[1] : full_like(in[1], 0)));
  if (isName(s, "add"))
    return oneResult(out, addTangents(wide(t[0]), wide(t[1])));
  if (isDifference)
    return oneResult(
        out, addTangents(wide(t[0]), t[1] ? wide(neg(*t[1])) : MaybeTensor()));
  if (isName(s, "mul"))
    return oneResult(
        out, addTangents(t[0] ? MaybeTensor(bind1(self, {*t[0], in[1]}, params))
                              : std::nullopt,
                         t[1] ? MaybeTensor(bind1(self, {in[0], *t[1]}, params))
                              : std::nullopt));
  if (isName(s, "complex"))
    return oneResult(out, complex(t[0] ? *t[0] : full_like(in[0], 0),
                                  t[1] ? *t[1] : full_like(in[1], 0)));
  MaybeTensor tangent;
  if (t[0] && s->ofX)
    tangent = s->ofX(in[0], in[1], out, *t[0]);
  if (t[1] && s->ofY)
    tangent = addTangents(tangent, s->ofY(in[0], in[1], out, *t[1]));
  return oneResult(out, tangent);
}

MaybeTensors transposeBinary(const BinarySpec *s, const Tensor &ct,
                             const MaybeTensors &in,
                             const std::vector<Aval> &types,
                             const Params &params) {
  MaybeTensors out(2);
  // A product in another type goes back to the type of its operand.
  auto product = [&](int i, const Tensor &x, const Tensor &y) {
    return params.isNone("out_dtype") ? mul(x, y)
                                      : mul_as(x, y, types[i].dtype);
  };
  for (int i = 0; i < 2; ++i) {
    if (in[i])
      continue;
    Tensor part = ct;
    if (isName(s, "sub") && i == 1)
      part = neg(ct);
    else if (isName(s, "mul"))
      part = i == 0 ? product(i, ct, *in[1]) : product(i, *in[0], ct);
    else if (isName(s, "div"))
      part = div(ct, *in[1]);
    else if (isName(s, "complex"))
      part = i == 0 ? real(ct) : imag(neg(ct));
    out[i] = unbroadcast(part, types[i]);
  }
  return out;
}

/// A sum of values of equal shapes: both are batched where the second one is.
BatchResult batchSum(const BatchAxis &axis, const Tensors &in,
                     const Ints &dims) {
  int64_t at = dims[1] < 0 ? dims[0] : dims[1];
  Tensor x = batchTo(in[0], dims[0], at, axis);
  Tensor y = batchTo(in[1], dims[1], at, axis);
  return {{add_any(x, y)}, {at}};
}

Primitive makeBinary(const BinarySpec &spec) {
  Primitive p;
  p.name = spec.name;
  p.hiddenIfNone = {"out_dtype"};
  const BinarySpec *s = &spec;
  p.infer = [s](const std::vector<Aval> &in, const Params &params) {
    return inferBinary(s, in, params);
  };
  p.lower = [s](LoweringContext &c) { return lowerBinary(s, c); };
  p.sharding = [s](const std::vector<Aval> &in, const std::vector<Aval> &,
                   const Params &) { return broadcastSpecs(s->name, in); };
  p.batch = [s](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                const Params &params) {
    if (isName(s, "add_any"))
      return batchSum(axis, in, dims);
    return batchElementwise(*findPrimitive(s->name), axis, in, dims, params);
  };
  if (std::string_view(s->name) == "nextafter")
    return p; // JAX has no derivative of it.
  p.jvp = [s](const Tensors &in, const MaybeTensors &t, const Params &params) {
    return jvpBinary(s, in, t, params);
  };
  bool isLinear = isName(s, "add") || isName(s, "sub") || isName(s, "mul") ||
                  isName(s, "div") || isName(s, "add_any") ||
                  isName(s, "complex");
  p.isBilinear = isName(s, "mul");
  if (isName(s, "div"))
    p.isLinearIn = [](size_t i) { return i == 0; };
  if (isLinear)
    p.transpose = [s](const MaybeTensors &ct, const MaybeTensors &in,
                      const std::vector<Aval> &types, const Params &params) {
      return transposeBinary(s, *ct[0], in, types, params);
    };
  return p;
}

const bool registered = [] {
  std::vector<Primitive> made;
  for (const BinarySpec &spec : specs)
    made.push_back(makeBinary(spec));
  return registerAll(std::move(made));
}();

} // namespace

namespace lax {
#define SW_DEFINE(name)                                                        \
  Tensor name(const Tensor &x, const Tensor &y) {                              \
    static const Primitive &p = *findPrimitive(#name);                         \
    return bind1(p, {x, y});                                                   \
  }
SW_LAX_BINARY(SW_DEFINE)
#undef SW_DEFINE
Tensor mul_as(const Tensor &x, const Tensor &y, DType type) {
  return bind1(*findPrimitive("mul"), {x, y},
               {{"out_dtype", canonicalType(type)}});
}
Tensor mulhi(const Tensor &x, const Tensor &y) {
  return bind1(*findPrimitive("mulhi"), {x, y});
}
Tensor bitwise_and(const Tensor &x, const Tensor &y) {
  return bind1(*findPrimitive("and"), {x, y});
}
Tensor bitwise_or(const Tensor &x, const Tensor &y) {
  return bind1(*findPrimitive("or"), {x, y});
}
Tensor bitwise_xor(const Tensor &x, const Tensor &y) {
  return bind1(*findPrimitive("xor"), {x, y});
}
} // namespace lax
} // namespace shardwright::frontend
