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
    {"scatter-sub", "stablehlo.subtract", ScatterKind::Sub},
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
  bool isApply =
      spec.kind == ScatterKind::Set && !c.params().isNone("update_jaxpr");
  std::string region =
      isApply
          ? c.region(*c.params().jaxpr("update_jaxpr"), {})
          : c.regionOf(
                {scalar, scalar}, [&](const std::vector<std::string> &args) {
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
  bool sharedIndices = dims[1] < 0;
  Tensors moved;
  for (size_t i = 0; i < 3; ++i)
    moved.push_back(
        i == 1 && sharedIndices ? in[i] : batchToFront(in[i], dims[i], axis));
  for (Ints *values : {&d.offsetDims, &d.collapsedSliceDims, &d.startIndexMap,
                       &d.operandBatchingDims})
    for (int64_t &v : *values)
      ++v;
  if (sharedIndices) {
    // The batch dimension is a part of each window.
    d.offsetDims.insert(d.offsetDims.begin(), 0);
  } else {
    for (int64_t &v : d.startIndicesBatchingDims)
      ++v;
    d.operandBatchingDims.insert(d.operandBatchingDims.begin(), 0);
    d.startIndicesBatchingDims.insert(d.startIndicesBatchingDims.begin(), 0);
  }
  Params changed = params;
  changed.set("dimension_numbers", gatherDimsParam(d, true));
  return {frontend::bind(*findPrimitive(spec.name), moved, changed), {0}};
}

/// The gather that reads what a scatter with these dimension numbers writes.
Tensor gatherBack(const Tensor &from, const Tensor &indices,
                  const Shape &updates, const GatherDims &d,
                  GatherMode mode = GatherMode::PromiseInBounds) {
  // Elements out of bounds count as zero.
  return bind1(*findPrimitive("gather"), {from, indices},
               gatherParams(d, windowOf(from.shape(), updates, d), mode,
                            from.dtype(), false, false, Param(int64_t(0))));
}
Tensor scatterAdd(const Tensor &x, const Tensor &indices, const Tensor &updates,
                  const Params &params) {
  return scatter(ScatterKind::Add, x, indices, updates, gatherDimsOf(params),
                 gatherModeOf(params), params.flag("indices_are_sorted"),
                 params.flag("unique_indices"));
}
Tensor zerosOf(const Tensor &x) { return full_like(x, 0); }
Tensor onesOf(const Tensor &x) { return full_like(x, 1); }

/// Products of elements that are written once.
JvpResult jvpScatterMul(const Tensors &in, const MaybeTensors &t,
                        const Params &params) {
  const Primitive &self = *findPrimitive("scatter-mul");
  Tensor out = bind1(self, in, params);
  MaybeTensor ofOperand, ofUpdates;
  if (t[0])
    ofOperand = bind1(self, {*t[0], in[1], in[2]}, params);
  if (t[2]) {
    if (!params.flag("unique_indices"))
      return {
          {out},
          {Tensor(notImplemented("scatter_mul gradients are only implemented "
                                 "if `unique_indices=True`"))}};
    ofUpdates = mul(in[0], scatterAdd(zerosOf(in[0]), in[1], *t[2], params));
  }
  return oneResult(out, addTangents(ofOperand, ofUpdates));
}

/// The tangent of each extreme element is the mean of those of the updates that
/// attain it, and of the operand's element if that does.
Tensor extremeTangent(const Tensors &in, const Tensor &dx, const Tensor &du,
                      const Tensor &out, const Params &params) {
  GatherDims d = gatherDimsOf(params);
  const Tensor &x = in[0], &indices = in[1], &updates = in[2];
  auto back = [&](const Tensor &from) {
    return gatherBack(from, indices, updates.shape(), d);
  };
  auto counted = [&](const Tensor &marks, const Tensor &zeros) {
    return back(scatter(ScatterKind::Add, zeros, indices, marks, d,
                        GatherMode::FillOrDrop));
  };
  auto number = [&](double value) {
    return scalarOf(value, x.dtype(), /*weak=*/true);
  };
  Tensor before = back(x), after = back(out);
  Tensor successful = eq(updates, after), retained = eq(before, after);
  Tensor zeros = zerosOf(x), ones = onesOf(updates);
  Tensor wins = counted(select(successful, ones, zerosOf(updates)), zeros);
  zeros = zerosOf(x);
  Tensor references = counted(onesOf(updates), zeros);
  auto share = [&] { return div(number(1), add(wins, number(1))); };
  Tensor shared = share();
  Tensor normalizer = select(retained, shared, div(number(1), wins));
  Tensor ofUpdate = select(successful, normalizer, zerosOf(updates));
  shared = share();
  Tensor kept = select(retained, shared, zerosOf(wins));
  Tensor ofOperand = div(add(number(-1), kept), references);
  Tensor old = mul(back(dx), ofOperand);
  return scatterAdd(dx, indices, add(old, mul(du, ofUpdate)), params);
}

/// Where several updates write one element, any of them may win: each gets a
/// number, and the numbers that are read back are those of the winners.
JvpResult jvpOverlappingSet(const Tensors &in, const Tensor &dx,
                            const Tensor &du, const Params &params) {
  GatherDims d = gatherDimsOf(params);
  const Tensor &x = in[0], &indices = in[1], &updates = in[2];
  Shape shape = updates.shape();
  for (int64_t dim : d.offsetDims)
    shape.at(dim) = 1;
  Tensor ids = reshape(iota(DType::U32, {shape.elements()}, 0), shape);
  ids = add(ids, broadcast_in_dim(scalarOf(int64_t(1), DType::U32),
                                  updates.shape(), {}));
  Tensor untouched =
      broadcast_in_dim(scalarOf(int64_t(0), DType::U32), x.shape(), {});
  Tensor winners = scatter(
      ScatterKind::Set, untouched, indices, ids, d, gatherModeOf(params),
      params.flag("indices_are_sorted"), params.flag("unique_indices"));
  Tensor seen = gatherBack(winners, indices, updates.shape(), d);
  auto kept = [&](const Tensor &value) {
    Tensor none =
        broadcast_in_dim(scalarOf(int64_t(0), DType::U32), x.shape(), {});
    return select(eq(winners, none), value, zerosOf(value));
  };
  auto winning = [&](const Tensor &value) {
    return select(eq(ids, seen), value, zerosOf(value));
  };
  Tensor keptX = kept(x), won = winning(updates);
  Tensor keptTangent = kept(dx), wonTangent = winning(du);
  Tensor out = scatterAdd(keptX, indices, won, params);
  return oneResult(out, scatterAdd(keptTangent, indices, wonTangent, params));
}

JvpResult jvpScatter(const ScatterSpec &spec, const Tensors &in,
                     const MaybeTensors &t, const Params &params) {
  const Primitive &self = *findPrimitive(spec.name);
  if (spec.kind == ScatterKind::Mul)
    return jvpScatterMul(in, t, params);
  if (spec.kind == ScatterKind::Set && !params.isNone("update_jaxpr"))
    return failedJvp(
        *errorIn(Tensor(notImplemented("scatter_apply JVP not implemented"))));
  auto tangent = [&](size_t i) { return t[i] ? *t[i] : zerosOf(in[i]); };
  bool isLinear =
      spec.kind == ScatterKind::Add || spec.kind == ScatterKind::Sub ||
      (spec.kind == ScatterKind::Set && params.flag("unique_indices"));
  if (spec.kind == ScatterKind::Set && !isLinear) {
    Tensor dx = tangent(0);
    return jvpOverlappingSet(in, dx, tangent(2), params);
  }
  Tensor out = bind1(self, in, params);
  Tensor dx = tangent(0), du = tangent(2);
  if (isLinear)
    return oneResult(out, bind1(self, {dx, in[1], du}, params));
  return oneResult(out, extremeTangent(in, dx, du, out, params));
}

MaybeTensors transposeScatter(const ScatterSpec &spec, const MaybeTensors &ct,
                              const MaybeTensors &in,
                              const std::vector<Aval> &types,
                              const Params &params) {
  MaybeTensors out(3);
  bool isSum = spec.kind == ScatterKind::Add || spec.kind == ScatterKind::Sub;
  if (!in[0])
    out[0] = isSum ? *ct[0]
                   : bind1(*findPrimitive("scatter"),
                           {*ct[0], *in[1], lax::zeros(types[2])}, params);
  if (!in[2]) {
    out[2] = gatherBack(*ct[0], *in[1], types[2].shape, gatherDimsOf(params),
                        gatherModeOf(params));
    if (spec.kind == ScatterKind::Sub)
      out[2] = neg(*out[2]);
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
        (kind == "scatter-add" || kind == "scatter-mul" ||
         kind == "scatter-sub"))
      return typeError(kind.substr(8),
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
  bool isMul = s->kind == ScatterKind::Mul;
  p.isLinearIn = [isMul](size_t i) { return i == 0 || (i == 2 && !isMul); };
  if (isMul)
    p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                     const std::vector<Aval> &, const Params &params) {
      return MaybeTensors{bind1(*findPrimitive("scatter-mul"),
                                {*ct[0], *in[1], *in[2]}, params),
                          {},
                          {}};
    };
  if (s->kind == ScatterKind::Add || s->kind == ScatterKind::Sub ||
      s->kind == ScatterKind::Set)
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
Param updateParam(const ScatterSpec &spec, DType type) {
  if (spec.kind == ScatterKind::Set)
    return std::monostate();
  // Programs are compared by identity.
  static std::mutex mutex;
  static auto *made =
      new std::map<std::pair<const ScatterSpec *, DType>, JaxprPtr>;
  std::lock_guard lock(mutex);
  JaxprPtr &jaxpr = (*made)[{&spec, type}];
  if (!jaxpr) {
    std::string name(std::string_view(spec.name).substr(8));
    Aval scalar{type, {}};
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

Params scatterParams(lax::ScatterKind kind, DType type, const GatherDims &dims,
                     GatherMode mode, bool sorted, bool unique) {
  const ScatterSpec &spec = scatters[static_cast<int>(kind)];
  return {{"dimension_numbers", gatherDimsParam(dims, true)},
          {"indices_are_sorted", sorted},
          {"unique_indices", unique},
          {"mode", gatherModeParam(mode)},
          {"update_jaxpr", updateParam(spec, type)},
          {"update_consts", Ints()}};
}

namespace lax {
Tensor scatter(ScatterKind kind, const Tensor &x, const Tensor &indices,
               const Tensor &updates, const GatherDims &dims, GatherMode mode,
               bool sorted, bool unique) {
  if (!x.ok())
    return x;
  return bind1(*findPrimitive(scatters[static_cast<int>(kind)].name),
               {x, indices, updates},
               scatterParams(kind, x.dtype(), dims, mode, sorted, unique));
}
} // namespace lax
} // namespace shardwright::frontend
