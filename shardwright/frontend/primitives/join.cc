//===- join.cc - concatenation, padding and slicing -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/gather_params.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/primitives/type_errors.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using namespace lax;

Ints zerosOf(int64_t n) { return Ints(n, 0); }

const Primitive concatenateP = [] {
  Primitive p;
  p.name = "concatenate";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    int64_t dim = params.integer("dimension");
    if (in.empty())
      return valueError("concatenate requires a non-empty sequences of arrays");
    Shape shape = in[0].shape;
    std::string shapes, types;
    bool sameRanks = true, sameTypes = true;
    for (const Aval &a : in) {
      shapes += cat(shapes.empty() ? "" : ", ", tupleText(a.shape));
      types += cat(types.empty() ? "" : ", ", name(a.dtype));
      sameRanks &= a.rank() == shape.rank();
      sameTypes &= a.dtype == in[0].dtype;
    }
    if (!sameRanks)
      return typeError("Cannot concatenate arrays with different numbers of "
                       "dimensions: got ",
                       shapes, ".");
    if (dim < 0 || dim >= shape.rank())
      return typeError("concatenate dimension out of bounds: dimension ", dim,
                       " for shapes ", shapes, ".");
    if (!sameTypes)
      return typeError("lax.concatenate requires arguments to have the same "
                       "dtypes, got ",
                       types,
                       ". (Tip: jnp.concatenate is a similar function that "
                       "does automatic type promotion on inputs).");
    for (size_t i = 1; i < in.size(); ++i) {
      for (int64_t d = 0; d < shape.rank(); ++d)
        if (d != dim && in[i].shape[d] != shape[d])
          return typeError("Cannot concatenate arrays with shapes that differ "
                           "in dimensions other than the one being "
                           "concatenated: concatenating along dimension ",
                           dim, " for shapes ", shapes, ".");
      if (__builtin_add_overflow(shape[dim], in[i].shape[dim], &shape.at(dim)))
        return valueError("concatenation of shapes ", shapes, " is too large");
    }
    return std::vector<Aval>{Aval{in[0].dtype, shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    for (const Aval &a : in)
      if (!(a.spec() == in[0].spec()))
        return makeError(ErrorKind::ShardingType,
                         "All operands should have the same sharding. Got "
                         "shardings ",
                         shardingText(in[0]), ", ", shardingText(a));
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.lower = [](LoweringContext &c) {
    return c.op("stablehlo.concatenate", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                cat("dimension = ", c.params().integer("dimension"), " : i64"));
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    int64_t dim = params.integer("dimension");
    Tensor out = concatenate(in, dim);
    Tensors tangents;
    for (size_t i = 0; i < in.size(); ++i)
      tangents.push_back(t[i] ? *t[i] : full_like(in[i], 0));
    return oneResult(out, concatenate(tangents, dim));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &params) {
    int64_t dim = params.integer("dimension");
    Ints sizes;
    for (const Aval &type : types)
      sizes.push_back(type.shape[dim]);
    Tensors parts = bindMany(*findPrimitive("split"), sizes.size(), {*ct[0]},
                             {{"sizes", sizes}, {"axis", dim}});
    MaybeTensors out(in.size());
    for (size_t i = 0; i < in.size(); ++i)
      if (!in[i])
        out[i] = parts[i];
    return out;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Tensors moved;
    for (size_t i = 0; i < in.size(); ++i)
      moved.push_back(batchToFront(in[i], dims[i], axis));
    return {{concatenate(moved, params.integer("dimension") + 1)}, {0}};
  };
  return p;
}();
const Registered concatenateR(concatenateP);

const Primitive padP = [] {
  Primitive p;
  p.name = "pad";
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) {
    return resizedSpec("padding", in[0], out[0]);
  };
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    const IntsList &config = params.lists("padding_config");
    if (in[0].dtype != in[1].dtype)
      return typeError("pad operand and padding_value must be same dtype: "
                       "got ",
                       name(in[0].dtype), " and ", name(in[1].dtype), ".");
    if (in[1].rank())
      return valueError("padding_value must be a scalar; got "
                        "np.shape(padding_value)=",
                        tupleText(in[1].shape));
    if (static_cast<int64_t>(config.size()) != in[0].rank())
      return valueError("length of padding_config must equal the number of "
                        "axes of operand, got padding_config ",
                        paramText(Param(config)), " for operand shape ",
                        tupleText(in[0].shape));
    Shape shape;
    for (int64_t d = 0; d < in[0].rank(); ++d) {
      if (config[d].size() != 3 || config[d][2] < 0)
        return valueError("interior padding in padding_config must be "
                          "nonnegative, got padding_config ",
                          paramText(Param(config)));
      int64_t n = in[0].shape[d];
      auto size = static_cast<__int128>(config[d][0]) + config[d][1] + n +
                  __int128(std::max<int64_t>(n - 1, 0)) * config[d][2];
      if (size < 0 || size > INT64_MAX)
        return valueError(
            "Dimension size after padding is not ",
            size < 0 ? "at least 0" : "below 2^63", ", got result dimension ",
            int64_t(std::clamp<__int128>(size, INT64_MIN, INT64_MAX)),
            " for padding_config ", paramText(Param(config)),
            " and operand shape ", tupleText(in[0].shape));
      shape.push_back(static_cast<int64_t>(size));
    }
    return std::vector<Aval>{Aval{in[0].dtype, shape}};
  };
  p.lower = [](LoweringContext &c) {
    Ints low, high, interior;
    for (const Ints &d : c.params().lists("padding_config")) {
      low.push_back(d[0]);
      high.push_back(d[1]);
      interior.push_back(d[2]);
    }
    return c.op("stablehlo.pad", c.operands(), mlirTypes(c.operandTypes()),
                mlirTypes(c.resultTypes()),
                cat(arrayAttr("edge_padding_low", low), ", ",
                    arrayAttr("edge_padding_high", high), ", ",
                    arrayAttr("interior_padding", interior)));
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const IntsList &config = params.lists("padding_config");
    return oneResult(pad(in[0], in[1], config),
                     pad(t[0] ? *t[0] : full_like(in[0], 0),
                         t[1] ? *t[1] : scalarOf(0.0, in[1].dtype()), config));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &params) {
    const IntsList &config = params.lists("padding_config");
    std::vector<Ints> undo;
    Ints start = zerosOf(types[0].rank()), strides;
    for (const Ints &d : config) {
      undo.push_back({-d[0], -d[1], 0});
      strides.push_back(d[2] + 1);
    }
    Tensor inner = pad(*ct[0], scalarOf(0.0, types[0].dtype), undo);
    Tensor own = slice(inner, start, inner.shape(), strides);
    MaybeTensors out(2);
    if (!in[0])
      out[0] = own;
    if (!in[1])
      out[1] = lax::sub(reduce_sum(*ct[0], iotaInts(ct[0]->rank())),
                        reduce_sum(own, iotaInts(own.rank())));
    return out;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    std::vector<Ints> config = params.lists("padding_config");
    int64_t at = std::max<int64_t>(dims[0], 0);
    config.insert(config.begin() + at, Ints{0, 0, 0});
    Tensor x = batchTo(in[0], dims[0], at, axis);
    if (dims[1] < 0)
      return {{pad(x, in[1], config)}, {at}};
    // Another value for each example: pad a mask as well.
    Tensor zero = scalarOf(0.0, x.dtype());
    Tensor padded = pad(x, zero, config);
    Tensor inside = pad(full(x.shape(), 1, DType::Bool),
                        scalarOf(int64_t(0), DType::Bool), config);
    Tensor values = broadcast_in_dim(in[1], padded.shape(), {at});
    return {{select(inside, padded, values)}, {at}};
  };
  return p;
}();
const Registered padR(padP);

Expected<std::vector<Aval>> inferSlice(const std::vector<Aval> &in,
                                       const Params &params) {
  const Ints &start = params.ints("start_indices");
  const Ints &limit = params.ints("limit_indices");
  const Ints &strides = params.ints("strides");
  size_t rank = in[0].shape.size();
  if (start.size() != rank || limit.size() != rank ||
      (!strides.empty() && strides.size() != rank))
    return typeError("slice start_indices must have length equal to the "
                     "number of dimensions of the operand, got indices ",
                     tupleText(start), " for operand shape ",
                     tupleText(in[0].shape), ".");
  Shape shape;
  for (size_t d = 0; d < rank; ++d) {
    int64_t n = in[0].shape[d], stride = strides.empty() ? 1 : strides[d];
    if (start[d] < 0 || limit[d] > n || limit[d] < start[d])
      return typeError("slice limit_indices must be greater than or equal to "
                       "start_indices, and within the operand, got "
                       "start_indices ",
                       tupleText(start), " and limit_indices ",
                       tupleText(limit), " for operand shape ",
                       tupleText(in[0].shape), ".");
    if (stride <= 0)
      return typeError("slice strides must be positive, got ",
                       tupleText(strides));
    int64_t range = limit[d] - start[d];
    shape.push_back(range ? (range - 1) / stride + 1 : 0);
  }
  return std::vector<Aval>{Aval{in[0].dtype, shape, in[0].weak}};
}

const Primitive sliceP = [] {
  Primitive p;
  p.name = "slice";
  p.infer = inferSlice;
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return resizedSpec("slicing", in[0], out[0]);
  };
  p.lower = [](LoweringContext &c) {
    Ints start = c.params().ints("start_indices");
    Ints limit = c.params().ints("limit_indices");
    Ints strides = c.params().ints("strides");
    if (strides.empty())
      strides.assign(c.operandTypes()[0].rank(), 1);
    // The words of keys are a dimension of their own.
    if (c.operandTypes()[0].dtype == DType::Key) {
      start.push_back(0);
      limit.push_back(2);
      strides.push_back(1);
    }
    return c.op("stablehlo.slice", c.operands(), mlirTypes(c.operandTypes()),
                mlirTypes(c.resultTypes()),
                cat(arrayAttr("start_indices", start), ", ",
                    arrayAttr("limit_indices", limit), ", ",
                    arrayAttr("strides", strides)));
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("slice");
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &params) {
    const Ints &start = params.ints("start_indices");
    const Ints &strides = params.ints("strides");
    std::vector<Ints> config;
    for (int64_t d = 0; d < types[0].rank(); ++d) {
      int64_t step = strides.empty() ? 1 : strides[d];
      int64_t n = ct[0]->dim(d);
      int64_t end = start[d] + (n ? (n - 1) * step + 1 : 0);
      config.push_back({start[d], types[0].shape[d] - end, step - 1});
    }
    return MaybeTensors{pad(*ct[0], scalarOf(0.0, types[0].dtype), config)};
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Ints start = params.ints("start_indices");
    Ints limit = params.ints("limit_indices");
    Ints strides = params.ints("strides");
    start.insert(start.begin() + dims[0], 0);
    limit.insert(limit.begin() + dims[0], axis.size);
    if (!strides.empty())
      strides.insert(strides.begin() + dims[0], 1);
    return {{slice(in[0], start, limit, strides)}, dims};
  };
  return p;
}();
const Registered sliceR(sliceP);

/// Starts count from 0 and are clamped into range.
Tensor sliceAt(const Tensor &x, const Tensors &starts, const Ints &sizes) {
  Tensors in{x};
  in.insert(in.end(), starts.begin(), starts.end());
  return bind1(*findPrimitive("dynamic_slice"), in, {{"slice_sizes", sizes}});
}
Tensor updateAt(const Tensor &x, const Tensor &update, const Tensors &starts) {
  Tensors in{x, update};
  in.insert(in.end(), starts.begin(), starts.end());
  return bind1(*findPrimitive("dynamic_update_slice"), in);
}

const Primitive dynamicSliceP = [] {
  Primitive p;
  p.name = "dynamic_slice";
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) {
    return resizedSpec("dynamic_slice", in[0], out[0]);
  };
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    const Ints &sizes = params.ints("slice_sizes");
    if (static_cast<int64_t>(sizes.size()) != in[0].rank() ||
        in.size() != sizes.size() + 1)
      return typeError("dynamic_slice slice_sizes must have length equal to "
                       "the number of dimensions of the operand, got ",
                       tupleText(sizes), " for operand shape ",
                       tupleText(in[0].shape), ".");
    SW_TRY(checkIndices("dynamic_slice", ": ", in, 1));
    for (size_t d = 0; d < sizes.size(); ++d)
      if (sizes[d] < 0 || sizes[d] > in[0].shape[d])
        return typeError("slice slice_sizes must be less than or equal to "
                         "operand shape, got slice_sizes ",
                         tupleText(sizes), " for operand shape ",
                         tupleText(in[0].shape), ".");
    return std::vector<Aval>{Aval{in[0].dtype, sizes, in[0].weak}};
  };
  p.lower = [](LoweringContext &c) {
    return c.op("stablehlo.dynamic_slice", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                arrayAttr("slice_sizes", c.params().ints("slice_sizes")));
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    Tensors starts(in.begin() + 1, in.end());
    const Ints &sizes = params.ints("slice_sizes");
    // The tangent's equation comes first, as JAX writes it.
    MaybeTensor tangent;
    if (t[0])
      tangent = sliceAt(*t[0], starts, sizes);
    return oneResult(sliceAt(in[0], starts, sizes), tangent);
  };
  p.isLinearIn = [](size_t i) { return i == 0; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &) {
    MaybeTensors out(in.size());
    Tensors starts;
    appendGiven(starts, MaybeTensors(in.begin() + 1, in.end()));
    out[0] = updateAt(lax::zeros(types[0]), *ct[0], starts);
    return out;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    const Ints &sizes = params.ints("slice_sizes");
    auto [indices, dim] = batchedStarts({in.begin() + 1, in.end()},
                                        {dims.begin() + 1, dims.end()});
    // A dynamic slice is a gather of one window.
    Params asGather =
        gatherParams(windowDims(static_cast<int64_t>(sizes.size())), sizes,
                     GatherMode::ClipIndices, in[0].dtype(), /*sorted=*/true,
                     /*unique=*/true);
    return findPrimitive("gather")->batch(axis, {in[0], indices},
                                          {dims[0], dim}, asGather);
  };
  return p;
}();
const Registered dynamicSliceR(dynamicSliceP);

const Primitive dynamicUpdateP = [] {
  Primitive p;
  p.name = "dynamic_update_slice";
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    if (!(in[0].spec() == in[1].spec()))
      return makeError(ErrorKind::ShardingType,
                       "dynamic_update_slice operand sharding must be equal to "
                       "update sharding, got operand sharding ",
                       typeWithAxes(in[0]), " and update sharding ",
                       typeWithAxes(in[1]), ".");
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    if (in[0].dtype != in[1].dtype)
      return typeError("lax.dynamic_update_slice requires arguments to have "
                       "the same dtypes, got ",
                       name(in[0].dtype), ", ", name(in[1].dtype), ".");
    if (in[0].rank() != in[1].rank() ||
        static_cast<int64_t>(in.size()) != in[0].rank() + 2)
      return typeError("dynamic_update_slice update must have the same rank "
                       "as operand, got update shape ",
                       tupleText(in[1].shape), " for operand shape ",
                       tupleText(in[0].shape), ".");
    for (int64_t d = 0; d < in[0].rank(); ++d)
      if (in[1].shape[d] > in[0].shape[d])
        return typeError("dynamic_update_slice update shape must be smaller "
                         "than operand shape, got update shape ",
                         tupleText(in[1].shape), " for operand shape ",
                         tupleText(in[0].shape), ".");
    SW_TRY(checkIndices("dynamic_update_slice", " ", in, 2));
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape, in[0].weak}};
  };
  p.lower = lowerTo("stablehlo.dynamic_update_slice");
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &) {
    Tensors starts(in.begin() + 2, in.end());
    return oneResult(updateAt(in[0], in[1], starts),
                     updateAt(t[0] ? *t[0] : full_like(in[0], 0),
                              t[1] ? *t[1] : full_like(in[1], 0), starts));
  };
  p.isLinearIn = [](size_t i) { return i < 2; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &) {
    MaybeTensors out(in.size());
    Tensors starts;
    for (size_t i = 2; i < in.size(); ++i)
      starts.push_back(*in[i]);
    if (!in[0])
      out[0] = updateAt(*ct[0], lax::zeros(types[1]), starts);
    if (!in[1])
      out[1] = sliceAt(*ct[0], starts, types[1].shape);
    return out;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &) -> BatchResult {
    auto [indices, dim] = batchedStarts({in.begin() + 2, in.end()},
                                        {dims.begin() + 2, dims.end()});
    int64_t rank = in[0].rank() - (dims[0] >= 0);
    // A dynamic update is a scatter of one window.
    return findPrimitive("scatter")->batch(
        axis, {in[0], indices, in[1]}, {dims[0], dim, dims[1]},
        scatterParams(ScatterKind::Set, in[0].dtype(), windowDims(rank),
                      GatherMode::ClipIndices, /*sorted=*/true,
                      /*unique=*/true));
  };
  return p;
}();
const Registered dynamicUpdateR(dynamicUpdateP);

} // namespace

namespace lax {
Tensor concatenate(const Tensors &xs, int64_t dimension) {
  if (xs.size() == 1 && xs[0].ok() && xs[0].rank())
    return xs[0];
  return bind1(concatenateP, xs, {{"dimension", dimension}});
}
Tensor pad(const Tensor &x, const Tensor &value,
           const std::vector<Ints> &config) {
  return bind1(padP, {x, value}, {{"padding_config", config}});
}
Tensor slice(const Tensor &x, const Ints &start, const Ints &limit,
             const Ints &strides) {
  Params params{{"start_indices", start}, {"limit_indices", limit}};
  params.set("strides",
             strides.empty() ? Param(std::monostate()) : Param(strides));
  return bind1(sliceP, {x}, params);
}
Tensor slice_in_dim(const Tensor &x, std::optional<int64_t> start,
                    std::optional<int64_t> limit, int64_t stride,
                    int64_t axis) {
  if (!x.ok())
    return x;
  if (axis < -x.rank() || axis >= x.rank())
    return valueError("axis ", axis,
                      " is out of bounds for array of dimension ", x.rank());
  axis += axis < 0 ? x.rank() : 0;
  Ints from(x.rank(), 0), to = x.shape(), steps(x.rank(), 1);
  int64_t n = x.dim(axis);
  auto fromEnd = [n](int64_t position) {
    return position < 0 ? position + n : position;
  };
  from[axis] = fromEnd(start.value_or(0));
  to[axis] = fromEnd(limit.value_or(n));
  steps[axis] = stride;
  return slice(x, from, to, steps);
}
} // namespace lax
} // namespace shardwright::frontend
