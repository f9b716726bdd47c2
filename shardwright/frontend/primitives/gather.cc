//===- gather.cc - gather -------------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/gather_params.h"
#include "shardwright/frontend/primitives/reshard.h"

#include <limits>

namespace shardwright::frontend {
namespace {

using namespace lax;

Expected<std::vector<Aval>> inferGather(const std::vector<Aval> &in,
                                        const Params &params) {
  GatherDims d = gatherDimsOf(params);
  const Ints &sizes = params.ints("slice_sizes");
  if (!isInteger(in[1].dtype))
    return valueError("indices must have an integer type");
  if (in[1].rank() == 0)
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
  SW_TRY(checkGatherDims("Gather", d, in[0].rank(), in[1].rank(), rank));
  Shape shape;
  size_t batch = 0, offset = 0;
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(containsInt(d.offsetDims, i) && offset < slice.size()
                        ? slice[offset++]
                        : in[1].shape[static_cast<int64_t>(batch++)]);
  return std::vector<Aval>{Aval{in[0].dtype, shape}};
}

/// What FillOrDrop gives out of bounds, by default.
Param fillValue(DType type) {
  if (isInexact(type))
    return std::numeric_limits<double>::quiet_NaN();
  if (type == DType::Bool)
    return true;
  if (isUnsigned(type))
    return bitWidth(type) < 64 ? Param((int64_t(1) << bitWidth(type)) - 1)
                               : Param(cat(~uint64_t(0)));
  if (isInteger(type))
    return std::numeric_limits<int64_t>::min() >> (64 - bitWidth(type));
  return std::monostate();
}

Tensor filledLike(const Tensor &x, const Param *fill) {
  if (fill)
    if (const auto *number = std::get_if<double>(fill))
      return full_like(x, *number);
  int64_t value = 0;
  if (fill) {
    if (const auto *integer = std::get_if<int64_t>(fill))
      value = *integer;
    if (const auto *flag = std::get_if<bool>(fill))
      value = *flag;
    if (std::get_if<std::string>(fill))
      value = -1; // All bits of a u64.
  }
  return isInteger(x.dtype())
             ? broadcast_in_dim(scalarOf(value, x.dtype()), x.shape(), {})
             : full_like(x, static_cast<double>(value));
}

Tensors gatherWithFill(const Tensors &in, const Params &params) {
  Params inner = params;
  inner.set("mode", gatherModeParam(GatherMode::PromiseInBounds));
  inner.set("fill_value", std::monostate());
  const Primitive &self = *findPrimitive("gather");
  GatherDims d = gatherDimsOf(params);
  Tensor mask =
      indicesInBounds(in[1], in[0].shape(), params.ints("slice_sizes"), d);
  Tensor out = bind1(self, in, inner);
  Ints kept = withoutInts(out.rank(), d.offsetDims);
  // Of the type of the result, also where that is sharded as the operand is.
  mask = reshardLike(broadcast_in_dim(mask, out.shape(), kept), out.aval());
  Tensor fill =
      reshardLike(filledLike(out, params.find("fill_value")), out.aval());
  return {select(mask, out, fill)};
}

std::vector<std::string> lowerGather(LoweringContext &c) {
  if (gatherModeOf(c.params()) == GatherMode::FillOrDrop) {
    Params params = c.params();
    return c.inlineFunction(
        [&](const Tensors &in) { return gatherWithFill(in, params); });
  }
  GatherDims d = gatherDimsOf(c.params());
  return c.op(
      "stablehlo.gather", c.operands(), mlirTypes(c.operandTypes()),
      mlirTypes(c.resultTypes()),
      cat("dimension_numbers = #stablehlo.gather<offset_dims = ",
          bracketList(d.offsetDims),
          ", collapsed_slice_dims = ", bracketList(d.collapsedSliceDims),
          ", operand_batching_dims = ", bracketList(d.operandBatchingDims),
          ", start_indices_batching_dims = ",
          bracketList(d.startIndicesBatchingDims),
          ", start_index_map = ", bracketList(d.startIndexMap),
          ", index_vector_dim = ", c.operandTypes()[1].rank() - 1, ">, ",
          arrayAttr("slice_sizes", c.params().ints("slice_sizes")),
          ", indices_are_sorted = ",
          c.params().flag("indices_are_sorted") ? "true" : "false"));
}

/// Dimension numbers of a batch: operand and indices, both batched at 0, or
/// only one of them.
BatchResult batchGather(const BatchAxis &axis, const Tensors &in,
                        const Ints &dims, const Params &params) {
  GatherDims d = gatherDimsOf(params);
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
    // Slices of several examples may be equal, in any order.
    changed.set("unique_indices", false);
    changed.set("indices_are_sorted", false);
  } else {
    x = moveBatch(x, dims[0], 0);
    indices = moveBatch(indices, dims[1], 0);
    shift(d.offsetDims), shift(d.collapsedSliceDims);
    shift(d.startIndexMap), shift(d.operandBatchingDims);
    shift(d.startIndicesBatchingDims);
    d.operandBatchingDims.insert(d.operandBatchingDims.begin(), 0);
    d.startIndicesBatchingDims.insert(d.startIndicesBatchingDims.begin(), 0);
    sizes.insert(sizes.begin(), x.dim(0) ? 1 : 0);
  }
  changed.set("dimension_numbers", gatherDimsParam(d, false));
  changed.set("slice_sizes", sizes);
  return {frontend::bind(*findPrimitive("gather"), {x, indices}, changed), {0}};
}

Expected<std::vector<PartitionSpec>>
gatherSharding(const std::vector<Aval> &in, const std::vector<Aval> &out,
               const Params &params) {
  std::optional<PartitionSpec> spec =
      gatherSpec(in[0], in[1], gatherDimsOf(params), params.ints("slice_sizes"),
                 out[0].rank());
  if (!spec)
    return makeError(
        ErrorKind::ShardingType,
        "Use `.at[...].get(out_sharding=)` to provide output PartitionSpec for "
        "the gather indexing as out sharding could not be resolved "
        "unambiguously (or would require collectives on inputs). Got operand=",
        shapedArray(in[0]), ", indices=", shapedArray(in[1]));
  return std::vector<PartitionSpec>{*spec};
}

const Primitive gatherP = [] {
  Primitive p;
  p.name = "gather";
  p.infer = inferGather;
  p.sharding = gatherSharding;
  p.lower = lowerGather;
  p.batch = batchGather;
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("gather");
    Tensor out = bind1(self, in, params);
    MaybeTensor tangent;
    if (t[0]) {
      // Elements that are filled in have no tangent.
      Params zeros = params;
      if (gatherModeOf(params) == GatherMode::FillOrDrop)
        zeros.set("fill_value", int64_t(0));
      tangent = bind1(self, {*t[0], in[1]}, zeros);
    }
    return oneResult(out, tangent);
  };
  p.isLinearIn = [](size_t i) { return i == 0; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &params) {
    MaybeTensors out(2);
    out[0] = scatter(ScatterKind::Add, lax::zeros(types[0]), *in[1], *ct[0],
                     gatherDimsOf(params), gatherModeOf(params),
                     params.flag("indices_are_sorted"),
                     params.flag("unique_indices"));
    return out;
  };
  return p;
}();
const Registered gatherR(gatherP);

} // namespace

Params gatherParams(const GatherDims &dims, const Ints &sliceSizes,
                    GatherMode mode, DType type, bool sorted, bool unique,
                    std::optional<Param> fill) {
  Params params{{"dimension_numbers", gatherDimsParam(dims, false)},
                {"slice_sizes", sliceSizes},
                {"indices_are_sorted", sorted},
                {"unique_indices", unique},
                {"mode", gatherModeParam(mode)},
                {"fill_value", std::monostate()}};
  if (mode == GatherMode::FillOrDrop)
    params.set("fill_value", fill ? *fill : fillValue(type));
  return params;
}

std::pair<Tensor, int64_t> batchedStarts(const Tensors &starts,
                                         const Ints &dims) {
  if (starts.empty())
    return {lax::full({0}, 0, DType::I32), -1};
  int64_t size = -1;
  for (size_t i = 0; i < starts.size(); ++i)
    if (dims[i] >= 0 && starts[i].ok())
      size = starts[i].dim(dims[i]);
  Tensors columns;
  for (size_t i = 0; i < starts.size(); ++i)
    columns.push_back(size < 0
                          ? broadcast_in_dim(starts[i], {1}, {})
                          : broadcast_in_dim(starts[i], {size, 1},
                                             dims[i] < 0 ? Ints() : Ints{0}));
  return {concatenate(columns, size < 0 ? 0 : 1), size < 0 ? -1 : 0};
}

GatherDims windowDims(int64_t rank) {
  GatherDims d;
  for (int64_t i = 0; i < rank; ++i) {
    d.offsetDims.push_back(i);
    d.startIndexMap.push_back(i);
  }
  return d;
}

namespace lax {
Tensor gather(const Tensor &x, const Tensor &indices, const GatherDims &dims,
              const Ints &sliceSizes, GatherMode mode, bool sorted,
              bool unique) {
  DType type = x.ok() ? x.dtype() : DType::F32;
  return bind1(gatherP, {x, indices},
               gatherParams(dims, sliceSizes, mode, type, sorted, unique));
}
} // namespace lax
} // namespace shardwright::frontend
