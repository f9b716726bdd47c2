//===- gather.cc - gather and scatter -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using namespace lax;

struct GatherParam : ParamObject {
  GatherParam(GatherDims d, bool scatter)
      : dims(std::move(d)), isScatter(scatter) {}
  std::string str() const override {
    if (isScatter)
      return cat(
          "ScatterDimensionNumbers(update_window_dims=",
          tupleText(dims.offsetDims),
          ", inserted_window_dims=", tupleText(dims.collapsedSliceDims),
          ", scatter_dims_to_operand_dims=", tupleText(dims.startIndexMap),
          ", operand_batching_dims=", tupleText(dims.operandBatchingDims),
          ", scatter_indices_batching_dims=",
          tupleText(dims.startIndicesBatchingDims), ")");
    return cat(
        "GatherDimensionNumbers(offset_dims=", tupleText(dims.offsetDims),
        ", collapsed_slice_dims=", tupleText(dims.collapsedSliceDims),
        ", start_index_map=", tupleText(dims.startIndexMap),
        ", operand_batching_dims=", tupleText(dims.operandBatchingDims),
        ", start_indices_batching_dims=",
        tupleText(dims.startIndicesBatchingDims), ")");
  }
  GatherDims dims;
  bool isScatter;
};

struct ModeParam : ParamObject {
  explicit ModeParam(GatherMode m) : mode(m) {}
  std::string str() const override {
    return cat("GatherScatterMode.", mode == GatherMode::ClipIndices ? "CLIP"
                                     : mode == GatherMode::FillOrDrop
                                         ? "FILL_OR_DROP"
                                         : "PROMISE_IN_BOUNDS");
  }
  GatherMode mode;
};

GatherDims dimsOf(const Params &params) {
  const auto *p = params.object<GatherParam>("dimension_numbers");
  return p ? p->dims : GatherDims();
}
GatherMode modeOf(const Params &params) {
  const auto *p = params.object<ModeParam>("mode");
  return p ? p->mode : GatherMode::PromiseInBounds;
}
Param dimsParam(const GatherDims &dims, bool scatter) {
  return std::shared_ptr<const ParamObject>(
      std::make_shared<const GatherParam>(dims, scatter));
}
Param modeParam(GatherMode mode) {
  return std::shared_ptr<const ParamObject>(
      std::make_shared<const ModeParam>(mode));
}

std::string list(const Ints &v) {
  std::string out = "[";
  for (size_t i = 0; i < v.size(); ++i)
    out += cat(i ? ", " : "", v[i]);
  return out + "]";
}

Expected<std::vector<Aval>> inferGather(const std::vector<Aval> &in,
                                        const Params &params) {
  GatherDims d = dimsOf(params);
  const Ints &sizes = params.ints("slice_sizes");
  if (in[1].rank() == 0 || !isInteger(in[1].dtype))
    return typeError("Gather indices must be an integer array of rank at "
                     "least 1, got ",
                     in[1].longStr());
  if (static_cast<int64_t>(sizes.size()) != in[0].rank() ||
      static_cast<int64_t>(d.startIndexMap.size()) != in[1].shape[-1])
    return typeError("Gather op must have one slice size for every input "
                     "dimension; got: len(slice_sizes)=",
                     sizes.size(), ", input shape=", tupleText(in[0].shape));
  Ints slice;
  for (int64_t i = 0; i < in[0].rank(); ++i) {
    if (sizes[i] < 0 || sizes[i] > in[0].shape[i])
      return typeError("Slice size at index ", i,
                       " in gather op is out of range, must be within [0, ",
                       in[0].shape[i], "), got ", sizes[i], ".");
    if (!containsInt(d.collapsedSliceDims, i) &&
        !containsInt(d.operandBatchingDims, i))
      slice.push_back(sizes[i]);
  }
  if (slice.size() != d.offsetDims.size())
    return typeError("Gather op has ", d.offsetDims.size(),
                     " offset dimensions, but its slices have ", slice.size(),
                     " dimensions");
  int64_t rank = in[1].rank() - 1 + static_cast<int64_t>(slice.size());
  Shape shape;
  size_t batch = 0, offset = 0;
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(containsInt(d.offsetDims, i) && offset < slice.size()
                        ? slice[offset++]
                        : in[1].shape[static_cast<int64_t>(batch++)]);
  return std::vector<Aval>{Aval{in[0].dtype, shape}};
}

/// Whether each index vector is in bounds, of shape indices.shape[:-1].
Tensor inBounds(const Tensor &indices, const Shape &operand, const Ints &window,
                const GatherDims &d) {
  std::vector<int32_t> limits;
  for (int64_t dim : d.startIndexMap)
    limits.push_back(static_cast<int32_t>(operand[dim] - window[dim]));
  Tensor limit = convert_element_type(arrayOf(limits), indices.dtype());
  Shape wide(Ints(indices.rank(), 1));
  wide.at(indices.rank() - 1) = static_cast<int64_t>(limits.size());
  Tensor zero = scalarOf(int64_t(0), indices.dtype());
  Tensor fits =
      bitwise_and(ge(indices, zero), le(indices, reshape(limit, wide)));
  return reduce_and(fits, {indices.rank() - 1});
}

double fillValue(DType type) {
  if (isInexact(type))
    return NAN;
  return isUnsigned(type) ? INFINITY : -INFINITY;
}

Tensors gatherWithFill(const Tensors &in, const Params &params) {
  Params inner = params;
  inner.set("mode", modeParam(GatherMode::ClipIndices));
  const Primitive &self = *findPrimitive("gather");
  GatherDims d = dimsOf(params);
  Tensor out = bind1(self, in, inner);
  Tensor mask = inBounds(in[1], in[0].shape(), params.ints("slice_sizes"), d);
  Ints kept = withoutInts(out.rank(), d.offsetDims);
  mask = broadcast_in_dim(mask, out.shape(), kept);
  DType type = out.dtype();
  Tensor fill;
  if (isInexact(type) || type == DType::Bool)
    fill = full(out.shape(), type == DType::Bool ? 1 : NAN, type);
  else
    fill = broadcast_in_dim(
        scalarOf(isUnsigned(type) ? int64_t(-1)
                                  : -(int64_t(1) << (bitWidth(type) - 1)),
                 type),
        out.shape(), {});
  return {select(mask, out, fill)};
}

std::vector<std::string> lowerGather(LoweringContext &c) {
  if (modeOf(c.params()) == GatherMode::FillOrDrop) {
    Params params = c.params();
    return c.inlineFunction(
        [&](const Tensors &in) { return gatherWithFill(in, params); });
  }
  GatherDims d = dimsOf(c.params());
  return c.op(
      "stablehlo.gather", c.operands(), mlirTypes(c.operandTypes()),
      mlirTypes(c.resultTypes()),
      cat("dimension_numbers = #stablehlo.gather<offset_dims = ",
          list(d.offsetDims),
          ", collapsed_slice_dims = ", list(d.collapsedSliceDims),
          ", operand_batching_dims = ", list(d.operandBatchingDims),
          ", start_indices_batching_dims = ", list(d.startIndicesBatchingDims),
          ", start_index_map = ", list(d.startIndexMap),
          ", index_vector_dim = ", c.operandTypes()[1].rank() - 1, ">, ",
          arrayAttr("slice_sizes", c.params().ints("slice_sizes")),
          ", indices_are_sorted = ",
          c.params().flag("indices_are_sorted") ? "true" : "false"));
}

/// Dimension numbers of a batch: operand and indices, both batched at 0, or
/// only one of them.
BatchResult batchGather(const BatchAxis &axis, const Tensors &in,
                        const Ints &dims, const Params &params) {
  GatherDims d = dimsOf(params);
  Params changed = params;
  Ints sizes = params.ints("slice_sizes");
  auto shift = [](Ints &values, int64_t from = 0) {
    for (int64_t &v : values)
      v += v >= from;
  };
  Tensor x = in[0], indices = in[1];
  if (dims[1] < 0) {
    x = moveBatch(x, dims[0], 0);
    shift(d.collapsedSliceDims), shift(d.operandBatchingDims);
    shift(d.startIndexMap), shift(d.offsetDims);
    d.offsetDims.insert(d.offsetDims.begin(), 0);
    sizes.insert(sizes.begin(), axis.size);
  } else if (dims[0] < 0) {
    indices = moveBatch(indices, dims[1], 0);
    shift(d.offsetDims), shift(d.startIndicesBatchingDims);
  } else {
    x = moveBatch(x, dims[0], 0);
    indices = moveBatch(indices, dims[1], 0);
    shift(d.offsetDims), shift(d.collapsedSliceDims);
    shift(d.startIndexMap), shift(d.operandBatchingDims);
    shift(d.startIndicesBatchingDims);
    d.operandBatchingDims.insert(d.operandBatchingDims.begin(), 0);
    d.startIndicesBatchingDims.insert(d.startIndicesBatchingDims.begin(), 0);
    sizes.insert(sizes.begin(), 1);
  }
  changed.set("dimension_numbers", dimsParam(d, false));
  changed.set("slice_sizes", sizes);
  return {frontend::bind(*findPrimitive("gather"), {x, indices}, changed), {0}};
}

const Primitive gatherP = [] {
  Primitive p;
  p.name = "gather";
  p.infer = inferGather;
  p.lower = lowerGather;
  p.batch = batchGather;
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("gather");
    MaybeTensor tangent;
    if (t[0]) {
      Tensor out = bind1(self, {*t[0], in[1]}, params);
      // Elements that are filled in have no tangent.
      if (modeOf(params) == GatherMode::FillOrDrop)
        out = select(broadcast_in_dim(
                         inBounds(in[1], in[0].shape(),
                                  params.ints("slice_sizes"), dimsOf(params)),
                         out.shape(),
                         withoutInts(out.rank(), dimsOf(params).offsetDims)),
                     out, full_like(out, 0));
      tangent = out;
    }
    return oneResult(bind1(self, in, params), tangent);
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &params) {
    MaybeTensors out(2);
    out[0] = scatter(ScatterKind::Add, lax::zeros(types[0]), *in[1], *ct[0],
                     dimsOf(params), modeOf(params),
                     params.flag("indices_are_sorted"),
                     params.flag("unique_indices"));
    return out;
  };
  return p;
}();
const Registered gatherR(gatherP);

struct ScatterSpec {
  const char *name, *opName;
  ScatterKind kind;
};
const ScatterSpec scatters[] = {
    {"scatter", "", ScatterKind::Set},
    {"scatter-add", "stablehlo.add", ScatterKind::Add},
    {"scatter-mul", "stablehlo.multiply", ScatterKind::Mul},
    {"scatter-min", "stablehlo.minimum", ScatterKind::Min},
    {"scatter-max", "stablehlo.maximum", ScatterKind::Max},
};

/// The window of the operand that one update writes.
Ints windowOf(const Shape &operand, const Shape &updates, const GatherDims &d) {
  Ints window(operand.size(), 1);
  size_t next = 0;
  for (int64_t i = 0; i < operand.rank(); ++i)
    if (!containsInt(d.collapsedSliceDims, i) &&
        !containsInt(d.operandBatchingDims, i) && next < d.offsetDims.size())
      window[i] = updates[d.offsetDims[next++]];
  return window;
}

std::vector<std::string> lowerScatter(const ScatterSpec &spec,
                                      LoweringContext &c) {
  GatherDims d = dimsOf(c.params());
  if (modeOf(c.params()) == GatherMode::ClipIndices) {
    Params params = c.params();
    return c.inlineFunction([&](const Tensors &in) -> Tensors {
      Ints window = windowOf(in[0].shape(), in[2].shape(), d);
      std::vector<int32_t> limits;
      for (int64_t dim : d.startIndexMap)
        limits.push_back(static_cast<int32_t>(in[0].dim(dim) - window[dim]));
      Tensor limit = convert_element_type(arrayOf(limits), in[1].dtype());
      Tensor high = broadcast_in_dim(limit, in[1].shape(), {in[1].rank() - 1});
      Tensor clipped = clamp(scalarOf(int64_t(0), in[1].dtype()), in[1], high);
      Params inner = params;
      inner.set("mode", modeParam(GatherMode::PromiseInBounds));
      return frontend::bind(*findPrimitive(spec.name), {in[0], clipped, in[2]},
                            inner);
    });
  }
  std::string scalar = mlirType(Aval{c.operandTypes()[0].dtype, {}});
  std::string region =
      c.regionOf({scalar, scalar}, [&](const std::vector<std::string> &args) {
        if (spec.kind == ScatterKind::Set)
          return std::vector<std::string>{args[1]};
        return c.op(spec.opName, args, {scalar, scalar}, {scalar});
      });
  return c.op(
      "stablehlo.scatter", c.operands(), mlirTypes(c.operandTypes()),
      mlirTypes(c.resultTypes()),
      cat("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims "
          "= ",
          list(d.offsetDims),
          ", inserted_window_dims = ", list(d.collapsedSliceDims),
          ", input_batching_dims = ", list(d.operandBatchingDims),
          ", scatter_indices_batching_dims = ",
          list(d.startIndicesBatchingDims),
          ", scatter_dims_to_operand_dims = ", list(d.startIndexMap),
          ", index_vector_dim = ", c.operandTypes()[1].rank() - 1,
          ">, indices_are_sorted = ",
          c.params().flag("indices_are_sorted") ? "true" : "false",
          ", unique_indices = ",
          c.params().flag("unique_indices") ? "true" : "false"),
      {region});
}

BatchResult batchScatter(const ScatterSpec &spec, const BatchAxis &axis,
                         const Tensors &in, const Ints &dims,
                         const Params &params) {
  GatherDims d = dimsOf(params);
  Tensors moved;
  for (size_t i = 0; i < 3; ++i)
    moved.push_back(batchToFront(in[i], dims[i], axis.size));
  for (Ints *values : {&d.offsetDims, &d.collapsedSliceDims, &d.startIndexMap,
                       &d.operandBatchingDims, &d.startIndicesBatchingDims})
    for (int64_t &v : *values)
      ++v;
  d.operandBatchingDims.insert(d.operandBatchingDims.begin(), 0);
  d.startIndicesBatchingDims.insert(d.startIndicesBatchingDims.begin(), 0);
  Params changed = params;
  changed.set("dimension_numbers", dimsParam(d, true));
  return {frontend::bind(*findPrimitive(spec.name), moved, changed), {0}};
}

/// The gather that reads what a scatter with these parameters writes.
Tensor gatherBack(const Tensor &from, const Tensor &indices,
                  const Shape &updates, const Params &params) {
  GatherDims d = dimsOf(params);
  return gather(from, indices, d, windowOf(from.shape(), updates, d),
                modeOf(params));
}

JvpResult jvpScatter(const ScatterSpec &spec, const Tensors &in,
                     const MaybeTensors &t, const Params &params) {
  const Primitive &self = *findPrimitive(spec.name);
  Tensor out = bind1(self, in, params);
  Tensor dx = t[0] ? *t[0] : full_like(in[0], 0);
  Tensor du = t[2] ? *t[2] : full_like(in[2], 0);
  if (spec.kind == ScatterKind::Add)
    return oneResult(out, bind1(self, {dx, in[1], du}, params));
  if (spec.kind != ScatterKind::Set)
    return {{out},
            {Tensor(notImplemented("Differentiation rule for '", spec.name,
                                   "' not implemented"))}};
  // The last writer of an element wins: mark each update with its number, and
  // see which number each element holds.
  if (params.flag("unique_indices"))
    return oneResult(out, bind1(self, {dx, in[1], du}, params));
  Tensor numbers = reshape(add(iota(DType::I32, {in[2].size()}, 0),
                               scalarOf(int64_t(1), DType::I32)),
                           in[2].shape());
  Tensor winners = bind1(
      self, {lax::full(in[0].shape(), 0, DType::I32), in[1], numbers}, params);
  Tensor untouched = eq(winners, scalarOf(int64_t(0), DType::I32));
  Tensor seen = gatherBack(winners, in[1], in[2].shape(), params);
  Tensor counted = select(eq(seen, numbers), du, full_like(du, 0));
  return oneResult(
      out,
      bind1(*findPrimitive("scatter-add"),
            {select(untouched, dx, full_like(dx, 0)), in[1], counted}, params));
}

MaybeTensors transposeScatter(const ScatterSpec &spec, const MaybeTensors &ct,
                              const MaybeTensors &in,
                              const std::vector<Aval> &types,
                              const Params &params) {
  MaybeTensors out(3);
  bool isAdd = spec.kind == ScatterKind::Add;
  if (!in[0])
    out[0] = isAdd ? *ct[0]
                   : bind1(*findPrimitive("scatter"),
                           {*ct[0], *in[1], lax::zeros(types[2])}, params);
  if (!in[2]) {
    Tensor back = gatherBack(*ct[0], *in[1], types[2].shape, params);
    if (modeOf(params) == GatherMode::FillOrDrop) {
      GatherDims d = dimsOf(params);
      Tensor mask = inBounds(*in[1], types[0].shape,
                             windowOf(types[0].shape, types[2].shape, d), d);
      back = select(broadcast_in_dim(mask, back.shape(),
                                     withoutInts(back.rank(), d.offsetDims)),
                    back, full_like(back, 0));
    }
    out[2] = back;
  }
  return out;
}

Primitive makeScatter(const ScatterSpec &spec) {
  const ScatterSpec *s = &spec;
  Primitive p;
  p.name = spec.name;
  p.infer = [s](const std::vector<Aval> &in,
                const Params &) -> Expected<std::vector<Aval>> {
    if (in[0].dtype != in[2].dtype)
      return typeError("lax.", s->name,
                       " requires arguments to have the same dtypes, got ",
                       name(in[0].dtype), ", ", name(in[2].dtype), ".");
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape}};
  };
  p.lower = [s](LoweringContext &c) { return lowerScatter(*s, c); };
  p.batch = [s](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchScatter(*s, axis, in, dims, params);
  };
  p.jvp = [s](const Tensors &in, const MaybeTensors &t, const Params &params) {
    return jvpScatter(*s, in, t, params);
  };
  if (s->kind == ScatterKind::Add || s->kind == ScatterKind::Set)
    p.transpose = [s](const MaybeTensors &ct, const MaybeTensors &in,
                      const std::vector<Aval> &types, const Params &params) {
      return transposeScatter(*s, ct, in, types, params);
    };
  return p;
}

const bool registered = [] {
  std::vector<Primitive> made;
  for (const ScatterSpec &spec : scatters)
    made.push_back(makeScatter(spec));
  return registerAll(std::move(made));
}();

} // namespace

namespace lax {
Tensor gather(const Tensor &x, const Tensor &indices, const GatherDims &dims,
              const Ints &sliceSizes, GatherMode mode, bool sorted,
              bool unique) {
  Params params{{"dimension_numbers", dimsParam(dims, false)},
                {"slice_sizes", sliceSizes},
                {"indices_are_sorted", sorted},
                {"unique_indices", unique},
                {"mode", modeParam(mode)},
                {"fill_value", std::monostate()}};
  if (mode == GatherMode::FillOrDrop && isInexact(x.dtype()))
    params.set("fill_value", fillValue(x.dtype()));
  return bind1(gatherP, {x, indices}, params);
}
Tensor scatter(ScatterKind kind, const Tensor &x, const Tensor &indices,
               const Tensor &updates, const GatherDims &dims, GatherMode mode,
               bool sorted, bool unique) {
  const ScatterSpec &spec = scatters[static_cast<int>(kind)];
  return bind1(*findPrimitive(spec.name), {x, indices, updates},
               {{"dimension_numbers", dimsParam(dims, true)},
                {"indices_are_sorted", sorted},
                {"unique_indices", unique},
                {"mode", modeParam(mode)},
                {"update_jaxpr", std::monostate()},
                {"update_consts", Ints()}});
}
} // namespace lax
} // namespace shardwright::frontend
