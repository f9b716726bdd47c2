//===- cumulative.cc - cumulative reductions ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/primitives/window_params.h"
#include "shardwright/frontend/transform/custom.h"

namespace shardwright::frontend {
namespace {

using namespace lax;

struct CumulativeSpec {
  const char *name, *opName;
  double start;
};
const CumulativeSpec specs[] = {
    {"cumsum", "stablehlo.add", 0},
    {"cumprod", "stablehlo.multiply", 1},
    {"cummax", "stablehlo.maximum", -INFINITY},
    {"cummin", "stablehlo.minimum", INFINITY},
};

/// A window of the size of the axis, padded on one side.
std::vector<std::string> lowerCumulative(const CumulativeSpec &spec,
                                         LoweringContext &c) {
  const Aval &x = c.operandTypes()[0];
  int64_t axis = c.params().integer("axis"), n = x.shape[axis];
  if (n == 0)
    return c.operands();
  bool reverse = c.params().flag("reverse");
  Window window{.dims = Ints(x.rank(), 1),
                .padding = IntsList(x.rank(), Ints{0, 0})};
  window.dims[axis] = n;
  window.padding[axis][reverse] = n - 1;
  std::string scalar = mlirType(Aval{x.dtype, {}});
  std::string region =
      c.regionOf({scalar, scalar}, [&](const std::vector<std::string> &args) {
        return c.op(spec.opName, args, {scalar, scalar}, {scalar});
      });
  return c.op("stablehlo.reduce_window",
              {c.operands()[0], c.constant(Aval{x.dtype, {}}, spec.start)},
              {mlirType(x), scalar}, mlirTypes(c.resultTypes()),
              windowAttributes(windowParams(window, x.rank(), true)), {region});
}

/// log(exp(a) + exp(b)). Equal infinities, and NaN, are added.
Tensor plainLogAddExp(const Tensor &a, const Tensor &b) {
  Tensor top = lax::max(a, b), delta = lax::sub(a, b);
  Tensor isNan = ne(delta, delta);
  Tensor sum = add(a, b);
  return select(isNan, sum, add(top, log1p(exp(neg(lax::abs(delta))))));
}

/// The prefix results of log(exp(a) + exp(b)), by doubling steps.
Tensor byDoubling(const Tensor &x, int64_t axis, bool reverse) {
  Tensor out = x;
  int64_t n = x.dim(axis);
  for (int64_t step = 1; step < n; step *= 2) {
    Tensor head = reverse ? slice_in_dim(out, 0, n - step, 1, axis)
                          : slice_in_dim(out, step, n, 1, axis);
    Tensor tail = reverse ? slice_in_dim(out, step, n, 1, axis)
                          : slice_in_dim(out, 0, n - step, 1, axis);
    Tensor kept = reverse ? slice_in_dim(out, n - step, n, 1, axis)
                          : slice_in_dim(out, 0, step, 1, axis);
    Tensor changed = plainLogAddExp(tail, head);
    out = reverse ? concatenate({changed, kept}, axis)
                  : concatenate({kept, changed}, axis);
  }
  return out;
}

BatchResult batchCumulative(const std::string &name, const Tensors &in,
                            const Ints &dims, Params params) {
  int64_t axis = params.integer("axis");
  params.set("axis", axis + (axis >= dims[0]));
  return {frontend::bind(*findPrimitive(name), in, params), dims};
}

/// The value, or 0 for infinity.
Tensor withoutInfinity(const Tensor &x) {
  Tensor isInfinite = eq(x, scalarOf(INFINITY, x.dtype()));
  return select(isInfinite, full_like(x, 0), x);
}

/// The same with a derivative that is exact where a or b is infinite.
Tensors differentiableLogAddExp(const Tensors &args) {
  TensorsFunction function = [](const Tensors &in) {
    return Tensors{plainLogAddExp(in[0], in[1])};
  };
  TensorsFunction rule = [](const Tensors &in) {
    Tensor out = differentiableLogAddExp({in[0], in[1]})[0];
    auto part = [&](const Tensor &x, const Tensor &t) {
      Tensor value = withoutInfinity(x);
      return mul(t, exp(lax::sub(value, withoutInfinity(out))));
    };
    Tensor first = part(in[0], in[2]);
    return Tensors{out, add(first, part(in[1], in[3]))};
  };
  return customJvpFlat("logaddexp", function, rule, args, "_logaddexp_jvp");
}

/// The function of two operands whose prefix results a primitive gives.
TensorsFunction combinerOf(const std::string &name) {
  if (name == "cumlogsumexp")
    return differentiableLogAddExp;
  auto combine = name == "cumprod"  ? lax::mul
                 : name == "cummax" ? lax::max
                                    : lax::min;
  return
      [combine](const Tensors &in) { return Tensors{combine(in[0], in[1])}; };
}

Primitive makeCumulative(const char *name) {
  Primitive p;
  p.name = name;
  std::string n = name;
  p.infer = [n](const std::vector<Aval> &in,
                const Params &params) -> Expected<std::vector<Aval>> {
    int64_t axis = params.integer("axis");
    if (axis < 0 || axis >= in[0].rank())
      return valueError("axis ", axis, " is out of bounds for array of shape ",
                        tupleText(in[0].shape));
    if (in[0].dtype == DType::Bool)
      return typeError(n, " does not accept dtype bool. Accepted dtypes are "
                          "subtypes of number.");
    SW_TRY(checkAccepts(n,
                        n == "cumlogsumexp" ? Accepts::Float : Accepts::Number,
                        in[0].dtype));
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape}};
  };
  p.sharding =
      [](const std::vector<Aval> &in, const std::vector<Aval> &,
         const Params &params) -> Expected<std::vector<PartitionSpec>> {
    int64_t axis = params.integer("axis");
    if (!in[0].spec()[axis].empty())
      return makeError(ErrorKind::ShardingType,
                       "Input should be unsharded over the axis being "
                       "reduced. Got input type=",
                       in[0].longStr(), " and axis=", axis);
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.batch = [n](const BatchAxis &, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchCumulative(n, in, dims, params);
  };
  if (n == "cumsum") {
    p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
      const Primitive &self = *findPrimitive("cumsum");
      return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
    };
    p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                     const std::vector<Aval> &, const Params &params) {
      return MaybeTensors{
          cumsum(*ct[0], params.integer("axis"), !params.flag("reverse"))};
    };
  } else {
    p.jvp = [n](const Tensors &in, const MaybeTensors &t,
                const Params &params) {
      // Windows cannot be differentiated again and again.
      Expected<JvpResult> result = jvpFlat(
          [&](const Tensors &xs) {
            return associativeScanFlat(combinerOf(n), xs,
                                       params.integer("axis"),
                                       params.flag("reverse"));
          },
          in, t);
      return result ? *result : failedJvp(result.error());
    };
  }
  for (const CumulativeSpec &spec : specs)
    if (n == spec.name) {
      const CumulativeSpec *s = &spec;
      p.lower = [s](LoweringContext &c) { return lowerCumulative(*s, c); };
    }
  if (!p.lower)
    p.composite = [n](const Tensors &in, const Params &params) -> Tensors {
      return {
          byDoubling(in[0], params.integer("axis"), params.flag("reverse"))};
    };
  return p;
}

const bool registered =
    registerAll({makeCumulative("cumsum"), makeCumulative("cumprod"),
                 makeCumulative("cummax"), makeCumulative("cummin"),
                 makeCumulative("cumlogsumexp")});

} // namespace

Tensor logAddExp(const Tensor &a, const Tensor &b) {
  return differentiableLogAddExp({a, b})[0];
}

namespace lax {
#define SW_DEFINE(name)                                                        \
  Tensor name(const Tensor &x, int64_t axis, bool reverse) {                   \
    return bind1(*findPrimitive(#name), {x},                                   \
                 {{"axis", axis}, {"reverse", reverse}});                      \
  }
SW_DEFINE(cumsum)
SW_DEFINE(cumprod)
SW_DEFINE(cummax)
SW_DEFINE(cummin)
SW_DEFINE(cumlogsumexp)
#undef SW_DEFINE
} // namespace lax
} // namespace shardwright::frontend
