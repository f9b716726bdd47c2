//===- scatter.cc - scatter -----------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/gather_params.h"
#include "shardwright/frontend/primitives/reshard.h"

#include <algorithm>
#include <mutex>

namespace shardwright::frontend {
namespace {

using namespace lax;

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
  GatherDims d = gatherDimsOf(c.params());
  if (gatherModeOf(c.params()) == GatherMode::ClipIndices) {
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
      inner.set("mode", gatherModeParam(GatherMode::PromiseInBounds));
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
          bracketList(d.offsetDims),
          ", inserted_window_dims = ", bracketList(d.collapsedSliceDims),
          ", input_batching_dims = ", bracketList(d.operandBatchingDims),
          ", scatter_indices_batching_dims = ",
          bracketList(d.startIndicesBatchingDims),
          ", scatter_dims_to_operand_dims = ", bracketList(d.startIndexMap),
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
  GatherDims d = gatherDimsOf(params);
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
  changed.set("dimension_numbers", gatherDimsParam(d, true));
  return {frontend::bind(*findPrimitive(spec.name), moved, changed), {0}};
}

/// The gather that reads what a scatter with these parameters writes.
Tensor gatherBack(const Tensor &from, const Tensor &indices,
                  const Shape &updates, const Params &params) {
  GatherDims d = gatherDimsOf(params);
  return gather(from, indices, d, windowOf(from.shape(), updates, d),
                gatherModeOf(params));
}

/// Products of elements that are written once.
JvpResult jvpScatterMul(const Tensors &in, const Tensor &dx, const Tensor &du,
                        const Tensor &out, const Params &params) {
  if (!params.flag("unique_indices"))
    return {{out},
            {Tensor(notImplemented("scatter_mul gradients are only implemented "
                                   "if `unique_indices=True`"))}};
  const Primitive &self = *findPrimitive("scatter-mul");
  Tensor ofUpdates = bind1(*findPrimitive("scatter-add"),
                           {full_like(in[0], 0), in[1], du}, params);
  return oneResult(
      out, add(bind1(self, {dx, in[1], in[2]}, params), mul(in[0], ofUpdates)));
}

/// The tangent of each extreme element is shared evenly by all that attain it:
/// the operand's element and the updates.
Tensor extremeTangent(const Tensors &in, const Tensor &dx, const Tensor &du,
                      const Tensor &out, const Params &params) {
  const Primitive &sum = *findPrimitive("scatter-add");
  auto oneWhere = [](const Tensor &mask, const Tensor &like) {
    return select(mask, full_like(like, 1), full_like(like, 0));
  };
  Tensor kept = oneWhere(eq(in[0], out), out);
  Tensor best = gatherBack(out, in[1], in[2].shape(), params);
  Tensor attained = oneWhere(eq(in[2], best), in[2]);
  Tensor winners = bind1(sum, {kept, in[1], attained}, params);
  Tensor shared = gatherBack(winners, in[1], in[2].shape(), params);
  // Updates out of bounds attain nothing, whatever was gathered for them.
  Tensor share = select(gt(attained, full_like(attained, 0)),
                        div(attained, shared), full_like(attained, 0));
  return bind1(sum, {mul(dx, div(kept, winners)), in[1], mul(du, share)},
               params);
}

JvpResult jvpScatter(const ScatterSpec &spec, const Tensors &in,
                     const MaybeTensors &t, const Params &params) {
  const Primitive &self = *findPrimitive(spec.name);
  Tensor out = bind1(self, in, params);
  Tensor dx = t[0] ? *t[0] : full_like(in[0], 0);
  Tensor du = t[2] ? *t[2] : full_like(in[2], 0);
  if (spec.kind == ScatterKind::Add)
    return oneResult(out, bind1(self, {dx, in[1], du}, params));
  if (spec.kind == ScatterKind::Mul)
    return jvpScatterMul(in, dx, du, out, params);
  if (spec.kind != ScatterKind::Set)
    return oneResult(out, extremeTangent(in, dx, du, out, params));
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
    if (gatherModeOf(params) == GatherMode::FillOrDrop) {
      GatherDims d = gatherDimsOf(params);
      Tensor mask =
          indicesInBounds(*in[1], types[0].shape,
                          windowOf(types[0].shape, types[2].shape, d), d);
      back = select(broadcast_in_dim(mask, back.shape(),
                                     withoutInts(back.rank(), d.offsetDims)),
                    back, full_like(back, 0));
    }
    out[2] = back;
  }
  return out;
}

Expected<std::vector<PartitionSpec>>
scatterSharding(const std::vector<Aval> &in, const Params &params) {
  GatherDims d = gatherDimsOf(params);
  // Batching dimensions of the operand may be sharded by the indices.
  std::vector<SpecEntry> entries = in[0].spec().entries();
  for (size_t k = 0; k < d.operandBatchingDims.size(); ++k)
    if (SpecEntry &entry = entries[d.operandBatchingDims[k]]; entry.empty())
      entry = in[1].spec()[d.startIndicesBatchingDims[k]];
  Expected<PartitionSpec> joined = PartitionSpec::get(entries);
  std::optional<PartitionSpec> updates;
  if (joined) {
    Aval operand = in[0];
    operand.sharding = std::make_shared<const TypeSharding>(
        TypeSharding{contextAbstractMesh(), *joined});
    updates = gatherSpec(operand, in[1], d,
                         windowOf(in[0].shape, in[2].shape, d), in[2].rank());
  }
  if (!updates || !(updates->normalized(in[2].rank()) == in[2].spec()))
    return makeError(
        ErrorKind::ShardingType,
        "Use `.at[...].set/add/mul/...(out_sharding=)` to provide output "
        "PartitionSpec for the scatter update as out sharding could not be "
        "resolved unambiguously (or would require collectives on inputs). Got "
        "operand=",
        shapedArray(in[0]), ", indices=", shapedArray(in[1]),
        ", updates=", shapedArray(in[2]));
  return std::vector<PartitionSpec>{*joined};
}

Primitive makeScatter(const ScatterSpec &spec) {
  const ScatterSpec *s = &spec;
  Primitive p;
  p.name = spec.name;
  p.infer = [s](const std::vector<Aval> &in,
                const Params &params) -> Expected<std::vector<Aval>> {
    std::string kind = s->name;
    if (in[0].dtype == DType::Bool &&
        (kind == "scatter-add" || kind == "scatter-mul"))
      return typeError(kind == "scatter-add" ? "add" : "mul",
                       " does not accept dtype bool at position 0. Accepted "
                       "dtypes at position 0 are subtypes of integer, "
                       "floating, complexfloating.");
    if (!isInteger(in[1].dtype))
      return valueError("indices must have an integer type");
    if (in[0].dtype != in[2].dtype)
      return typeError("lax.scatter requires arguments to have the same "
                       "dtypes, got ",
                       name(in[0].dtype), ", ", name(in[2].dtype), ".");
    if (in[1].rank() == 0)
      return typeError("Scatter indices must be an integer array of rank at "
                       "least 1, got ",
                       in[1].longStr());
    SW_TRY(checkGatherDims("Scatter", gatherDimsOf(params), in[0].rank(),
                           in[1].rank(), in[2].rank()));
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &params) { return scatterSharding(in, params); };
  p.lower = [s](LoweringContext &c) { return lowerScatter(*s, c); };
  p.batch = [s](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchScatter(*s, axis, in, dims, params);
  };
  p.jvp = [s](const Tensors &in, const MaybeTensors &t, const Params &params) {
    return jvpScatter(*s, in, t, params);
  };
  if (s->kind == ScatterKind::Mul)
    // Linear in the operand alone.
    p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                     const std::vector<Aval> &, const Params &params) {
      return MaybeTensors{bind1(*findPrimitive("scatter-mul"),
                                {*ct[0], *in[1], *in[2]}, params),
                          {},
                          {}};
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

/// What a jaxpr prints of the combination of an element and an update.
Param updateParam(const ScatterSpec &spec, const Tensor &x) {
  if (spec.kind == ScatterKind::Set || !x.ok())
    return std::monostate();
  // Programs are compared by identity.
  static std::mutex mutex;
  static auto *made =
      new std::map<std::pair<const ScatterSpec *, DType>, JaxprPtr>;
  std::lock_guard lock(mutex);
  JaxprPtr &jaxpr = (*made)[{&spec, x.dtype()}];
  if (!jaxpr) {
    std::string name(std::string_view(spec.name).substr(8));
    Aval scalar{x.dtype(), {}};
    ScopedTrace none(nullptr);
    Expected<JaxprPtr> traced = traceToJaxpr(
        [&](const Tensors &in) {
          return frontend::bind(*findPrimitive(name), in);
        },
        {scalar, scalar});
    if (!traced)
      return std::monostate();
    jaxpr = *traced;
  }
  return jaxpr;
}

} // namespace

namespace lax {
Tensor scatter(ScatterKind kind, const Tensor &x, const Tensor &indices,
               const Tensor &updates, const GatherDims &dims, GatherMode mode,
               bool sorted, bool unique) {
  const ScatterSpec &spec = scatters[static_cast<int>(kind)];
  return bind1(*findPrimitive(spec.name), {x, indices, updates},
               {{"dimension_numbers", gatherDimsParam(dims, true)},
                {"indices_are_sorted", sorted},
                {"unique_indices", unique},
                {"mode", gatherModeParam(mode)},
                {"update_jaxpr", updateParam(spec, x)},
                {"update_consts", Ints()}});
}
} // namespace lax
} // namespace shardwright::frontend
