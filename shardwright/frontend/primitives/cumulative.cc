//===- cumulative.cc - cumulative reductions ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"

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
  Ints window(x.rank(), 1), ones(x.rank(), 1);
  window[axis] = n;
  std::string padding;
  for (int64_t d = 0; d < x.rank(); ++d) {
    int64_t low = d == axis && !reverse ? n - 1 : 0;
    int64_t high = d == axis && reverse ? n - 1 : 0;
    padding += cat(d ? ", " : "", "[", low, ", ", high, "]");
  }
  std::string scalar = mlirType(Aval{x.dtype, {}});
  std::string region =
      c.regionOf({scalar, scalar}, [&](const std::vector<std::string> &args) {
        return c.op(spec.opName, args, {scalar, scalar}, {scalar});
      });
  return c.op("stablehlo.reduce_window",
              {c.operands()[0], c.constant(Aval{x.dtype, {}}, spec.start)},
              {mlirType(x), scalar}, mlirTypes(c.resultTypes()),
              cat(arrayAttr("window_dimensions", window), ", ",
                  arrayAttr("window_strides", ones), ", ",
                  arrayAttr("base_dilations", ones), ", ",
                  arrayAttr("window_dilations", ones), ", padding = dense<[",
                  padding, "]> : tensor<", x.rank(), "x2xi64>"),
              {region});
}

/// The same prefix results by doubling steps: differentiable.
Tensor byDoubling(
    const Tensor &x, int64_t axis, bool reverse,
    const std::function<Tensor(const Tensor &, const Tensor &)> &combine) {
  Tensor out = x;
  int64_t n = x.dim(axis);
  for (int64_t step = 1; step < n; step *= 2) {
    Tensor head = reverse ? slice_in_dim(out, 0, n - step, 1, axis)
                          : slice_in_dim(out, step, n, 1, axis);
    Tensor tail = reverse ? slice_in_dim(out, step, n, 1, axis)
                          : slice_in_dim(out, 0, n - step, 1, axis);
    Tensor kept = reverse ? slice_in_dim(out, n - step, n, 1, axis)
                          : slice_in_dim(out, 0, step, 1, axis);
    Tensor changed = combine(tail, head);
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

using Combine = Tensor (*)(const Tensor &, const Tensor &);
Combine combinerOf(const std::string &name) {
  if (name == "cumprod")
    return [](const Tensor &a, const Tensor &b) { return mul(a, b); };
  if (name == "cummax")
    return [](const Tensor &a, const Tensor &b) { return lax::max(a, b); };
  if (name == "cummin")
    return [](const Tensor &a, const Tensor &b) { return lax::min(a, b); };
  return [](const Tensor &a, const Tensor &b) {
    // log(exp(a) + exp(b)) of finite values.
    Tensor top = lax::max(a, b);
    return add(top, log1p(exp(neg(lax::abs(lax::sub(a, b))))));
  };
}

/// The rule of differentiation of a two-operand combiner, applied step by step
/// along with the primal.
JvpResult jvpByDoubling(const std::string &name, const Tensors &in,
                        const MaybeTensors &t, const Params &params) {
  int64_t axis = params.integer("axis");
  bool reverse = params.flag("reverse");
  Tensor x = in[0], dx = *t[0];
  int64_t n = x.dim(axis);
  for (int64_t step = 1; step < n; step *= 2) {
    auto part = [&](const Tensor &v, bool head) {
      return head == reverse ? slice_in_dim(v, 0, n - step, 1, axis)
                             : slice_in_dim(v, step, n, 1, axis);
    };
    auto rest = [&](const Tensor &v) {
      return reverse ? slice_in_dim(v, n - step, n, 1, axis)
                     : slice_in_dim(v, 0, step, 1, axis);
    };
    auto join = [&](const Tensor &changed, const Tensor &kept) {
      return reverse ? concatenate({changed, kept}, axis)
                     : concatenate({kept, changed}, axis);
    };
    Tensor a = part(x, false), b = part(x, true);
    Tensor da = part(dx, false), db = part(dx, true);
    Tensor out = combinerOf(name)(a, b), dout;
    if (name == "cumprod")
      dout = add(mul(da, b), mul(a, db));
    else if (name == "cumlogsumexp")
      dout =
          add(mul(da, exp(lax::sub(a, out))), mul(db, exp(lax::sub(b, out))));
    else {
      Tensor half = full_like(out, 0.5), one = full_like(out, 1),
             zero = full_like(out, 0);
      Tensor tie = eq(a, b);
      Tensor wa = select(tie, half, select(eq(a, out), one, zero));
      dout = add(mul(da, wa), mul(db, lax::sub(one, wa)));
    }
    dx = join(dout, rest(dx));
    x = join(out, rest(x));
  }
  return oneResult(frontend::bind(*findPrimitive(name), in, params).at(0), dx);
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
      return jvpByDoubling(n, in, t, params);
    };
  }
  for (const CumulativeSpec &spec : specs)
    if (n == spec.name) {
      const CumulativeSpec *s = &spec;
      p.lower = [s](LoweringContext &c) { return lowerCumulative(*s, c); };
    }
  if (!p.lower)
    p.composite = [n](const Tensors &in, const Params &params) -> Tensors {
      return {byDoubling(in[0], params.integer("axis"), params.flag("reverse"),
                         combinerOf(n))};
    };
  return p;
}

const bool registered =
    registerAll({makeCumulative("cumsum"), makeCumulative("cumprod"),
                 makeCumulative("cummax"), makeCumulative("cummin"),
                 makeCumulative("cumlogsumexp")});

} // namespace

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
