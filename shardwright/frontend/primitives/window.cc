//===- window.cc - reductions over windows --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/primitives/window_params.h"

namespace shardwright::frontend {
namespace {

using namespace lax;

BatchResult batchWindow(const std::string &name, const BatchAxis &axis,
                        const Tensors &in, const Ints &dims,
                        const Params &params) {
  // A window of two arrays is batched in front.
  int64_t at = in.size() == 1 ? dims[0] : 0;
  Tensors moved;
  for (size_t i = 0; i < in.size(); ++i)
    moved.push_back(batchTo(in[i], dims[i], at, axis));
  return {
      frontend::bind(*findPrimitive(name), moved, withWindowBatch(params, at)),
      {at}};
}

struct ReduceSpec {
  const char *name, *opName;
  double start;
  const char *select; ///< the primitive that picks an element
};
const ReduceSpec reducers[] = {
    {"reduce_window_sum", "stablehlo.add", 0, ""},
    {"reduce_window_max", "stablehlo.maximum", -INFINITY, "ge"},
    {"reduce_window_min", "stablehlo.minimum", INFINITY, "le"},
};

Param selectParam(const std::string &name) {
  return objectParam(TextParam(name));
}

Tensor bindGather(const Tensor &t, const Tensor &x, const char *select,
                  const Params &params) {
  Params changed = params;
  changed.set("select_prim", selectParam(select));
  return bind1(*findPrimitive("select_and_gather_add"), {t, x}, changed);
}
Tensor bindScatter(const Tensor &source, const Tensor &x,
                   const std::string &select, const Params &params) {
  return bind1(*findPrimitive("select_and_scatter_add"), {source, x},
               {{"padding", params.lists("padding")},
                {"select_prim", selectParam(select)},
                {"window_dimensions", params.ints("window_dimensions")},
                {"window_strides", params.ints("window_strides")}});
}

/// Each element gets the sum of the cotangents of the windows that contain it:
/// a sum over windows of the dilated cotangent.
Tensor transposeSum(const Tensor &ct, const Aval &type, const Params &params) {
  Window w = windowOf(params);
  std::vector<Ints> config;
  for (int64_t d = 0; d < type.rank(); ++d) {
    int64_t window = dilatedSize(w.dims[d], w.windowDilation[d]);
    int64_t size = dilatedSize(type.shape[d], w.baseDilation[d]);
    int64_t lo = window - w.padding[d][0] - 1;
    int64_t out = dilatedSize(ct.dim(d), w.strides[d]);
    config.push_back({lo, size + window - 1 - out - lo, w.strides[d] - 1});
  }
  Tensor padded = pad(ct, scalarOf(0.0, ct.dtype()), config);
  Window back{
      w.dims, w.baseDilation, {}, Ints(type.rank(), 1), w.windowDilation};
  return reduce_window_sum(padded, back);
}

Primitive makeReduce(const ReduceSpec &spec) {
  const ReduceSpec *s = &spec;
  Primitive p;
  p.name = spec.name;
  p.infer = [s](const std::vector<Aval> &in,
                const Params &params) -> Expected<std::vector<Aval>> {
    if (!*s->select && !checkAccepts(s->name, Accepts::Number, in[0].dtype))
      return typeError("operand to ", s->name,
                       " must have a number dtype, got ",
                       frontend::name(in[0].dtype));
    Expected<Shape> shape = windowShape(s->name, in[0].shape, params);
    if (!shape)
      return shape.error();
    return std::vector<Aval>{Aval{in[0].dtype, *shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) {
    return resizedSpec("reduce_window", in[0], out[0]);
  };
  p.batch = [s](const BatchAxis &, const Tensors &in, const Ints &dims,
                const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive(s->name), in,
                           withWindowBatch(params, dims[0])),
            dims};
  };
  p.jvp = [s](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive(s->name);
    Tensor out = bind1(self, in, params);
    return oneResult(out, *s->select
                              ? bindGather(*t[0], in[0], s->select, params)
                              : bind1(self, {*t[0]}, params));
  };
  if (!*s->select)
    p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                     const std::vector<Aval> &types, const Params &params) {
      return MaybeTensors{transposeSum(*ct[0], types[0], params)};
    };
  p.lower = [s](LoweringContext &c) {
    const Aval &x = c.operandTypes()[0];
    if (!x.rank())
      return c.operands();
    std::string scalar = mlirType(Aval{x.dtype, {}});
    std::string region =
        c.regionOf({scalar, scalar}, [&](const std::vector<std::string> &args) {
          return c.op(s->opName, args, {scalar, scalar}, {scalar});
        });
    return c.op("stablehlo.reduce_window",
                {c.operands()[0], c.constant(Aval{x.dtype, {}}, s->start)},
                {mlirType(x), scalar}, mlirTypes(c.resultTypes()),
                windowAttributes(c.params()), {region});
  };
  return p;
}

std::string comparison(LoweringContext &c, const std::string &select,
                       const std::string &a, const std::string &b,
                       const std::string &scalar) {
  return c.op("stablehlo.compare", {a, b}, {scalar, scalar},
              {mlirType(Aval{DType::Bool, {}})},
              cat("comparison_direction = #stablehlo<comparison_direction ",
                  select == "ge" ? "GE" : "LE", ">"))[0];
}
std::string selectOf(const Params &params) {
  const auto *text = params.object<TextParam>("select_prim");
  return text ? text->text : "ge";
}
double startOf(const std::string &select) {
  return select == "ge" ? -INFINITY : INFINITY;
}

/// Adds each cotangent to the element that its window selects, for windows with
/// dilations, which select_and_scatter_add does not have.
Tensor addToSelected(const Tensor &ct, const Tensor &x, const Params &params) {
  // The number of each element, from 1; padding has number 0.
  int64_t n = x.size();
  Tensor numbers = lax::reshape(
      add(iota(DType::I32, {n}, 0), scalarOf(int64_t(1), DType::I32)),
      x.shape());
  Tensor selected =
      sub(bind1(*findPrimitive("select_and_gather_add"), {numbers, x}, params),
          scalarOf(int64_t(1), DType::I32));
  // Windows of padding alone write out of bounds: nowhere.
  Tensor sums = scatter(ScatterKind::Add, lax::full({n}, 0, ct.dtype()),
                        lax::reshape(selected, {ct.size(), 1}),
                        lax::reshape(ct, {ct.size()}), {{}, {0}, {0}, {}, {}},
                        GatherMode::FillOrDrop);
  return lax::reshape(sums, x.shape());
}

/// The tangent of the selected element of each window.
Primitive makeGather() {
  Primitive p;
  p.name = "select_and_gather_add";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    Expected<Shape> shape =
        windowShape("select_and_gather_add", in[1].shape, params);
    if (!shape)
      return shape.error();
    return std::vector<Aval>{Aval{in[0].dtype, *shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) {
    return resizedSpec("reduce_window", in[1], out[0]);
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchWindow("select_and_gather_add", axis, in, dims, params);
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("select_and_gather_add");
    return oneResult(bind1(self, in, params),
                     t[0] ? MaybeTensor(bind1(self, {*t[0], in[1]}, params))
                          : MaybeTensor());
  };
  p.isLinearIn = [](size_t i) { return i == 0; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &, const Params &params) {
    for (const char *name : {"base_dilation", "window_dilation"})
      for (int64_t d : params.ints(name))
        if (d != 1)
          return MaybeTensors{addToSelected(*ct[0], *in[1], params), {}};
    return MaybeTensors{bindScatter(*ct[0], *in[1], selectOf(params), params),
                        {}};
  };
  p.lower = [](LoweringContext &c) {
    const Aval &t = c.operandTypes()[0], &x = c.operandTypes()[1];
    if (!x.rank())
      return std::vector<std::string>{c.operands()[0]};
    std::string select = selectOf(c.params());
    std::string value = mlirType(Aval{x.dtype, {}}),
                tangent = mlirType(Aval{t.dtype, {}}),
                boolean = mlirType(Aval{DType::Bool, {}});
    std::string region =
        c.regionOf({value, tangent, value, tangent},
                   [&](const std::vector<std::string> &a) {
                     std::string first =
                         comparison(c, select, a[0], a[2], value);
                     return std::vector<std::string>{
                         c.op("stablehlo.select", {first, a[0], a[2]},
                              {boolean, value, value}, {value})[0],
                         c.op("stablehlo.select", {first, a[1], a[3]},
                              {boolean, tangent, tangent}, {tangent})[0]};
                   });
    std::string values = mlirType(x.withShape(c.resultTypes()[0].shape));
    return std::vector<std::string>{
        c.op("stablehlo.reduce_window",
             {c.operands()[1], c.operands()[0],
              c.constant(Aval{x.dtype, {}}, startOf(select)),
              c.constant(Aval{t.dtype, {}}, 0)},
             {mlirType(x), mlirType(t), value, tangent},
             {values, mlirType(c.resultTypes()[0])},
             windowAttributes(c.params()), {region})[1]};
  };
  return p;
}

Primitive makeScatter() {
  Primitive p;
  p.name = "select_and_scatter_add";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    Expected<Shape> shape =
        windowShape("select_and_scatter_add", in[1].shape, params);
    if (!shape)
      return shape.error();
    if (*shape != in[0].shape)
      return typeError("select_and_scatter_add source shape ",
                       tupleText(in[0].shape),
                       " must be the shape of the windows ", tupleText(*shape));
    return std::vector<Aval>{Aval{in[1].dtype, in[1].shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[1].spec()};
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchWindow("select_and_scatter_add", axis, in, dims, params);
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("select_and_scatter_add");
    return oneResult(bind1(self, in, params),
                     t[0] ? MaybeTensor(bind1(self, {*t[0], in[1]}, params))
                          : MaybeTensor());
  };
  p.isLinearIn = [](size_t i) { return i == 0; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &, const Params &params) {
    Params dilations = params;
    auto rank = params.ints("window_dimensions").size();
    dilations.set("base_dilation", Ints(rank, 1));
    dilations.set("window_dilation", Ints(rank, 1));
    return MaybeTensors{bind1(*findPrimitive("select_and_gather_add"),
                              {*ct[0], *in[1]}, dilations),
                        {}};
  };
  p.lower = [](LoweringContext &c) {
    const Aval &source = c.operandTypes()[0], &x = c.operandTypes()[1];
    if (!x.rank())
      return std::vector<std::string>{c.operands()[0]};
    std::string select = selectOf(c.params());
    std::string scalar = mlirType(Aval{x.dtype, {}});
    std::string choose =
        c.regionOf({scalar, scalar}, [&](const std::vector<std::string> &a) {
          return std::vector<std::string>{
              comparison(c, select, a[0], a[1], scalar)};
        });
    std::string add =
        c.regionOf({scalar, scalar}, [&](const std::vector<std::string> &a) {
          return c.op("stablehlo.add", a, {scalar, scalar}, {scalar});
        });
    return c.op(
        "stablehlo.select_and_scatter",
        {c.operands()[1], c.operands()[0], c.constant(Aval{x.dtype, {}}, 0)},
        {mlirType(x), mlirType(source), scalar}, mlirTypes(c.resultTypes()),
        windowAttributes(c.params()), {choose, add});
  };
  return p;
}

const bool registered = [] {
  std::vector<Primitive> made{makeGather(), makeScatter()};
  for (const ReduceSpec &spec : reducers)
    made.push_back(makeReduce(spec));
  return registerAll(std::move(made));
}();

} // namespace

std::vector<Ints> samePadding(const Shape &shape, const Ints &window,
                              const Ints &strides) {
  std::vector<Ints> out;
  for (size_t d = 0; d < window.size(); ++d) {
    int64_t n = shape[static_cast<int64_t>(d)];
    // A window that is no window is refused where the padding is used.
    int64_t stride = std::max<int64_t>(d < strides.size() ? strides[d] : 1, 1);
    int64_t size = std::clamp<int64_t>(window[d], 0, int64_t(1) << 31);
    int64_t last = n > 0 ? (n - 1) / stride * stride : -stride;
    int64_t total = std::max<int64_t>(last + size - n, 0);
    out.push_back({total / 2, total - total / 2});
  }
  return out;
}

namespace lax {
#define SW_DEFINE(name)                                                        \
  Tensor name(const Tensor &x, const Window &window) {                         \
    return bind1(*findPrimitive(#name), {x},                                   \
                 windowParams(window, x.rank(), true));                        \
  }
SW_DEFINE(reduce_window_sum)
SW_DEFINE(reduce_window_max)
SW_DEFINE(reduce_window_min)
#undef SW_DEFINE
Tensor select_and_scatter_add(const Tensor &source, const Tensor &x,
                              const Window &window) {
  return bindScatter(source, x, "ge", windowParams(window, x.rank(), false));
}
} // namespace lax
} // namespace shardwright::frontend
