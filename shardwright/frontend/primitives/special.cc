//===- special.cc - polygamma, zeta and Bessel functions ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/special.h"

#include "shardwright/frontend/primitives/accuracy.h"

#include <cmath>
#include <limits>

namespace shardwright::frontend {

Primitive floatPrimitive(const char *name, size_t count) {
  Primitive p;
  p.name = name;
  p.infer = [=](const std::vector<Aval> &in,
                const Params &) -> Expected<std::vector<Aval>> {
    if (in.size() != count)
      return typeError(name, " expects ", count, " operands, got ", in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      const Aval &a = in[i];
      std::string position = count > 1 ? cat(" at position ", i) : "";
      if (!isFloat(a.dtype))
        return typeError(name, " does not accept dtype ",
                         frontend::name(a.dtype), position, ". Accepted dtypes",
                         position, " are subtypes of floating.");
      if (a.dtype != in[0].dtype)
        return typeError(
            "lax.", name, " requires arguments to have the same dtypes, got ",
            frontend::name(in[0].dtype), ", ", frontend::name(a.dtype), ".");
    }
    Expected<Shape> shape = broadcastShapes(name, in);
    if (!shape)
      return shape.error();
    bool weak = true;
    for (const Aval &a : in)
      weak = weak && a.weak;
    return std::vector<Aval>{Aval{in[0].dtype, *shape, weak}};
  };
  p.sharding = [=](const std::vector<Aval> &in, const std::vector<Aval> &,
                   const Params &) { return broadcastSpecs(name, in); };
  p.batch = [=](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchElementwise(*findPrimitive(name), axis, in, dims, params);
  };
  return p;
}

namespace {

using namespace lax;

Tensor like(const Tensor &x, double v) { return scalarOf(v, x.dtype()); }

std::function<std::vector<std::string>(LoweringContext &)>
lowerBroadcast(const char *opName) {
  return [=](LoweringContext &c) {
    return c.op(opName, broadcastOperands(c),
                std::vector<std::string>(c.operands().size(),
                                         mlirType(c.operandTypes()[0].withShape(
                                             c.resultTypes()[0].shape))),
                mlirTypes(c.resultTypes()));
  };
}

Primitive makePolygamma() {
  Primitive p = floatPrimitive("polygamma", 2);
  p.lower = lowerBroadcast("chlo.polygamma");
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    Tensor out = bind1(*findPrimitive("polygamma"), in, params);
    MaybeTensor tangent;
    if (t[0])
      return failedJvp(
          valueError("polygamma gradient with respect to m is not supported"));
    if (t[1])
      tangent = addTangents(
          tangent, mul(*t[1], polygamma(add(in[0], like(in[0], 1)), in[1])));
    return oneResult(out, tangent);
  };
  return p;
}

Primitive makeZeta() {
  Primitive p = floatPrimitive("zeta", 2);
  p.lower = lowerBroadcast("chlo.zeta");
  return p;
}

// exp(-x) I0(x) as Chebyshev series in x/2 - 2 for x <= 8, and in 32/x - 2,
// times sqrt(x), beyond: Cephes Math Library. Single precision needs the last
// 18 and 7 terms.
constexpr double smallTerms[] = {
    -4.41534164647933937950e-18, 3.33079451882223809783e-17,
    -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11,
    -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8,  6.04699502254191894932e-8,
    -2.67079385394061173391e-7,  1.11738753912010371815e-6,
    -4.41673835845875056359e-6,  1.64484480707288970893e-5,
    -5.75419501008210370398e-5,  1.88502885095841655729e-4,
    -5.76375574538582365885e-4,  1.63947561694133579842e-3,
    -4.32430999505057594430e-3,  1.05464603945949983183e-2,
    -2.37374148058994688156e-2,  4.93052842396707084878e-2,
    -9.49010970480476444210e-2,  1.71620901522208775349e-1,
    -3.04682672343198398683e-1,  6.76795274409476084995e-1};
constexpr double largeTerms[] = {
    -7.23318048787475395456e-18, -4.83050448594418207126e-18,
    4.46562142029675999901e-17,  3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15,  3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14,
    1.54008621752140982691e-14,  3.85277838274214270114e-13,
    7.18012445138366623367e-13,  -1.79417853150680611778e-12,
    -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11,  4.94060238822496958910e-10,
    3.39623202570838634515e-9,   2.26666899049817806459e-8,
    2.04891858946906374183e-7,   2.89137052083475648297e-6,
    6.88975834691682398426e-5,   3.36911647825569408990e-3,
    8.04490411014108831608e-1};

/// The Chebyshev series of the last `count` terms, by Clenshaw's recurrence.
Tensor chebyshev(const Tensor &x, std::span<const double> terms) {
  Tensor b0 = full_like(x, 0), b1 = b0, b2 = b0;
  for (double term : terms) {
    b2 = b1;
    b1 = b0;
    b0 = add(sub(mul(x, b1), b2), like(x, term));
  }
  return mul(like(x, 0.5), sub(b0, b2));
}

Tensor besselI0e(const Tensor &in) {
  bool isDouble = in.dtype() == DType::F64;
  Tensor x = abs(isDouble ? in : convert_element_type(in, DType::F32));
  std::span<const double> small(smallTerms), large(largeTerms);
  Tensor low = chebyshev(sub(mul(like(x, 0.5), x), like(x, 2)),
                         isDouble ? small : small.last(18));
  Tensor high = div(chebyshev(sub(div(full_like(x, 32), x), like(x, 2)),
                              isDouble ? large : large.last(7)),
                    sqrt(x));
  return convert_element_type(select(le(x, like(x, 8)), low, high), in.dtype());
}

Primitive makeI0e() {
  Primitive p = floatPrimitive("bessel_i0e", 1);
  p.composite = [](const Tensors &in, const Params &) {
    return Tensors{besselI0e(in[0])};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &) {
    Tensor y = bessel_i0e(in[0]);
    return oneResult(y,
                     mul(*t[0], sub(bessel_i1e(in[0]), mul(sign(in[0]), y))));
  };
  return p;
}

double epsilonOf(DType type) {
  switch (type) {
  case DType::F64:
    return std::numeric_limits<double>::epsilon();
  case DType::F16:
    return 0.0009765625;
  case DType::BF16:
    return 0.0078125;
  default:
    return std::numeric_limits<float>::epsilon();
  }
}

Primitive makeI1e() {
  Primitive p = floatPrimitive("bessel_i1e", 1);
  p.lower = lowerTo("chlo.bessel_i1e");
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &) {
    Tensor y = bessel_i1e(in[0]);
    double eps = epsilonOf(in[0].dtype());
    // The slope at 0 is 1/2; the formula divides by x.
    Tensor isLarge = gt(abs(in[0]), like(in[0], eps));
    Tensor x = select(isLarge, in[0], full_like(in[0], eps));
    Tensor slope = sub(bessel_i0e(x), mul(y, add(sign(x), integer_pow(x, -1))));
    return oneResult(y,
                     mul(*t[0], select(isLarge, slope, full_like(slope, 0.5))));
  };
  return p;
}

const bool registered =
    registerAll({makePolygamma(), makeZeta(), makeI0e(), makeI1e()});

} // namespace

namespace lax {
Tensor polygamma(const Tensor &m, const Tensor &x) {
  return bind1(*findPrimitive("polygamma"), {m, x});
}
Tensor zeta(const Tensor &x, const Tensor &q) {
  return bind1(*findPrimitive("zeta"), {x, q});
}
Tensor bessel_i0e(const Tensor &x) {
  return bind1(*findPrimitive("bessel_i0e"), {x});
}
Tensor bessel_i1e(const Tensor &x) {
  return bind1(*findPrimitive("bessel_i1e"), {x});
}
} // namespace lax
} // namespace shardwright::frontend
