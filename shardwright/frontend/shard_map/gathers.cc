//===- gathers.cc - all_gather and reduce_scatter -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/mixed_axes.h"

namespace shardwright::frontend {
namespace {

using Rule = Expected<std::vector<Aval>>;

/// The number of devices that communicate.
int64_t countOf(const Params &params) { return params.integer("axis_size"); }

/// The type with another shape, and its sharding where dimensions allow.
Aval reshaped(const Aval &aval, const Shape &shape) {
  Aval out = aval.withShape(shape);
  if (aval.sharding && shape.rank() == aval.rank())
    out.sharding = aval.sharding;
  return out;
}

/// What the result of all_gather is along the axes.
enum class Gathered { Varying, Invariant, Reduced };

Rule inferGather(const std::vector<Aval> &in, const Params &params,
                 Gathered to) {
  const AxisNames axes = axisNamesIn(params, "axis_name");
  if (to == Gathered::Reduced)
    for (const std::string &axis : axes)
      if (stateAlong(in[0], axis) != AxisState::Varying)
        return valueError(
            "all_gather_reduced is a Varying -> Reduced collective. This means "
            "that the axis_name=",
            namesText(axes),
            " passed to `all_gather_reduced` must be present in "
            "jax.typeof(x).mat.varying=",
            AxisSet(in[0].varying).repr());
  Shape shape = in[0].shape;
  int64_t at = params.integer("all_gather_dimension");
  if (params.flag("tiled"))
    shape.at(at) *= countOf(params);
  else
    shape.insert(shape.begin() + at, countOf(params));
  Aval out = reshaped(in[0], shape);
  if (to != Gathered::Varying)
    out.varying = without(out.varying, axes);
  if (to == Gathered::Reduced) {
    out.reduced.insert(out.reduced.end(), axes.begin(), axes.end());
    out.reduced = inBindingOrder(out.reduced);
  }
  return std::vector<Aval>{out};
}

std::vector<std::string> lowerGather(LoweringContext &c) {
  auto groups = groupsOf(c, axisNamesIn(c.params(), "axis_name"));
  if (!groups)
    return {};
  int64_t at = c.params().integer("all_gather_dimension");
  const Aval &type = c.operandTypes()[0];
  std::string x = c.operands()[0], xType = mlirType(type);
  if (!c.params().flag("tiled")) {
    Shape shape = type.shape;
    Ints dims = withoutInts(type.rank() + 1, {at});
    shape.insert(shape.begin() + at, 1);
    std::string wide = mlirType(type.withShape(shape));
    x = c.op("stablehlo.broadcast_in_dim", {x}, {xType}, {wide},
             arrayAttr("broadcast_dimensions", dims))[0];
    xType = wide;
  }
  return c.op(
      "stablehlo.all_gather", {x}, {xType}, mlirTypes(c.resultTypes()),
      cat("all_gather_dim = ", at, " : i64, ", groupAttributes(*groups, true)));
}

/// Merges dimension `at` with the next one.
Tensor mergeWithNext(const Tensor &x, int64_t at) {
  if (!x.ok())
    return x;
  Shape shape = x.shape();
  shape.at(at) *= shape[at + 1];
  shape.erase(shape.begin() + at + 1);
  return lax::reshape(x, shape);
}

BatchResult batchGather(const char *name, const BatchAxis &axis,
                        const Tensors &in, const Ints &dims,
                        const Params &params) {
  int64_t at = params.integer("all_gather_dimension");
  std::optional<AxisNames> rest =
      withoutMapped(axisNamesIn(params, "axis_name"), axis);
  if (!rest) {
    Params changed = params;
    bool before = dims[0] >= 0 && dims[0] <= at;
    changed.set("all_gather_dimension", at + before);
    int64_t out = dims[0];
    if (dims[0] >= 0 && !before && !params.flag("tiled"))
      ++out;
    return {frontend::bind(*findPrimitive(name), in, changed), {out}};
  }
  if (!params.isNone("axis_index_groups"))
    return {{Tensor(notImplemented("axis_index_groups not supported in vmap"))},
            {}};
  if (!rest->empty())
    return gatherMixed(name, axis, in[0], dims[0], params);
  Tensor x = moveBatch(batchToFront(in[0], dims[0], axis), 0, at);
  return {{params.flag("tiled") ? mergeWithNext(x, at) : x}, {-1}};
}

/// The transpose of all_gather, by the primitive of this name.
Tensor scatterOf(const char *name, const Tensor &ct, const Params &params) {
  Params back;
  for (const char *same : {"axis_name", "axis_size", "tiled"})
    back.set(same, *params.find(same));
  back.set("axis_mesh", *params.find("axis_mesh"));
  if (const Param *groups = params.find("axis_index_groups"))
    back.set("axis_index_groups", *groups);
  back.set("scatter_dimension", params.integer("all_gather_dimension"));
  return bind1(*findPrimitive(name), {ct}, back);
}

Primitive makeGather(const char *name, Gathered to) {
  Primitive p;
  p.name = name;
  p.hidden = {"axis_mesh"};
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = [=](const std::vector<Aval> &in, const Params &params) {
    return inferGather(in, params, to);
  };
  p.lower = lowerGather;
  p.jvp = linearJvp(name);
  p.batch = [=](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchGather(name, axis, in, dims, params);
  };
  p.transpose = [=](const MaybeTensors &ct, const MaybeTensors &,
                    const std::vector<Aval> &types, const Params &params) {
    if (to != Gathered::Invariant)
      return MaybeTensors{scatterOf(to == Gathered::Reduced
                                        ? "unreduced_reduce_scatter"
                                        : "reduce_scatter",
                                    *ct[0], params)};
    // The cotangent is the same everywhere: each device takes its piece.
    int64_t at = params.integer("all_gather_dimension");
    int64_t size = params.flag("tiled") ? types[0].shape[at] : 1;
    Tensor index = lax::axis_index(axisNamesIn(params, "axis_name"));
    Tensor start =
        lax::mul(index, scalarOf(static_cast<int64_t>(size), DType::I32));
    Ints sizes = ct[0]->shape();
    sizes[at] = size;
    Tensors starts(ct[0]->rank(), scalarOf(int64_t(0), DType::I32));
    starts[at] = start;
    Tensor piece = lax::dynamic_slice(*ct[0], starts, sizes);
    return MaybeTensors{params.flag("tiled") ? piece
                                             : lax::squeeze(piece, {at})};
  };
  return p;
}
const Primitive gatherP = makeGather("all_gather", Gathered::Varying);
const Registered gatherR(gatherP);
const Primitive gatherInvariantP =
    makeGather("all_gather_invariant", Gathered::Invariant);
const Registered gatherInvariantR(gatherInvariantP);
const Primitive gatherReducedP =
    makeGather("all_gather_reduced", Gathered::Reduced);
const Registered gatherReducedR(gatherReducedP);

Rule inferScatter(const std::vector<Aval> &in, const Params &params,
                  bool isSum) {
  Shape shape = in[0].shape;
  int64_t at = params.integer("scatter_dimension"), count = countOf(params);
  if (params.flag("tiled")) {
    if (shape[at] % count)
      return valueError("tiled reduce_scatter operand scatter dimension size ",
                        shape[at], " must be divisible by shard_count ", count);
    shape.at(at) /= count;
  } else {
    if (shape[at] != count)
      return valueError("reduce_scatter operand scatter dimension size ",
                        shape[at], " must match shard count ", count);
    shape.erase(shape.begin() + at);
  }
  Aval out = reshaped(in[0], shape);
  if (isSum) {
    AxisNames axes = axisNamesIn(params, "axis_name");
    out.unreduced = without(out.unreduced, axes);
    out.varying.insert(out.varying.end(), axes.begin(), axes.end());
    out.varying = inBindingOrder(out.varying);
  }
  return std::vector<Aval>{out};
}

std::vector<std::string> lowerScatter(LoweringContext &c) {
  auto groups = groupsOf(c, axisNamesIn(c.params(), "axis_name"));
  if (!groups)
    return {};
  int64_t at = c.params().integer("scatter_dimension");
  const Aval &type = c.operandTypes()[0];
  Shape shape = type.shape;
  shape.at(at) /= countOf(c.params());
  std::string scattered = mlirType(type.withShape(shape));
  std::vector<std::string> out = c.op(
      "stablehlo.reduce_scatter", c.operands(), {mlirType(type)}, {scattered},
      cat("scatter_dimension = ", at, " : i64, ",
          groupAttributes(*groups, true)),
      {reducerRegion(c, type, "stablehlo.add")});
  if (c.params().flag("tiled"))
    return out;
  return c.op("stablehlo.reshape", out, {scattered},
              mlirTypes(c.resultTypes()));
}

BatchResult batchScatter(const char *name, const BatchAxis &axis,
                         const Tensors &in, const Ints &dims,
                         const Params &params) {
  int64_t at = params.integer("scatter_dimension");
  std::optional<AxisNames> rest =
      withoutMapped(axisNamesIn(params, "axis_name"), axis);
  if (!rest) {
    Params changed = params;
    bool before = dims[0] >= 0 && dims[0] <= at;
    changed.set("scatter_dimension", at + before);
    int64_t out = dims[0];
    if (out > at && !params.flag("tiled"))
      --out;
    return {frontend::bind(*findPrimitive(name), in, changed), {out}};
  }
  if (!params.isNone("axis_index_groups"))
    return {{Tensor(notImplemented("axis_index_groups not supported in vmap"))},
            {}};
  if (!rest->empty())
    return scatterMixed(axis, in[0], dims[0], params);
  Tensor sum = dims[0] >= 0
                   ? lax::reduce_sum(in[0], {dims[0]})
                   : lax::mul(in[0], scalarOf(static_cast<double>(axis.size),
                                              in[0].dtype()));
  if (!params.flag("tiled") || !sum.ok())
    return {{sum}, {at}};
  Shape shape = sum.shape();
  shape.at(at) /= axis.size;
  shape.insert(shape.begin() + at, axis.size);
  return {{lax::reshape(sum, shape)}, {at}};
}

/// Of varying values, or of values that are sums already.
Primitive makeScatter(const char *name, bool isSum) {
  Primitive p;
  p.name = name;
  p.hidden = {"axis_mesh"};
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = [=](const std::vector<Aval> &in, const Params &params) {
    return inferScatter(in, params, isSum);
  };
  p.lower = lowerScatter;
  p.batch = [=](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchScatter(name, axis, in, dims, params);
  };
  p.jvp = linearJvp(name);
  p.transpose = [=](const MaybeTensors &ct, const MaybeTensors &,
                    const std::vector<Aval> &, const Params &params) {
    Params back = params;
    back.set("all_gather_dimension", params.integer("scatter_dimension"));
    Params clean;
    for (const auto &[key, value] : back)
      if (key != "scatter_dimension")
        clean.set(key, value);
    return MaybeTensors{
        bind1(isSum ? gatherReducedP : gatherP, {*ct[0]}, clean)};
  };
  return p;
}
const Primitive scatterP = makeScatter("reduce_scatter", false);
const Registered scatterR(scatterP);
const Primitive scatterSumP = makeScatter("unreduced_reduce_scatter", true);
const Registered scatterSumR(scatterSumP);

/// Without the parameter that these primitives do not have.
Params withoutGroups(const Params &params) {
  Params few;
  for (const auto &[name, value] : params)
    if (name != "axis_index_groups")
      few.set(name, value);
  return few;
}

/// The parameters that both have, or the error.
Expected<Params> commonParams(const CollectiveAxes &axes,
                              const AxisIndexGroups &groups, bool tiled) {
  Expected<int64_t> size = boundSize(axes.names);
  if (!size)
    return size.error();
  SW_TRY(checkGroups(groups, *size));
  Params params = collectiveParams(groups);
  params.set("axis_name", axes.names);
  params.set("axis_size",
             groups.empty() ? *size : static_cast<int64_t>(groups[0].size()));
  params.set("tiled", tiled);
  return params;
}

} // namespace

namespace lax {

Tensor all_gather(const Tensor &x, const CollectiveAxes &axes,
                  const GatherOptions &options) {
  if (!x.ok())
    return x;
  Expected<Params> params = commonParams(axes, options.groups, options.tiled);
  if (!params)
    return params.error();
  int64_t rank = x.rank() + !options.tiled;
  int64_t at = options.axis < 0 ? options.axis + rank : options.axis;
  if (at < 0 || at >= rank)
    return valueError("axis ", options.axis,
                      " is out of bounds for array of dimension ", rank);
  params->set("all_gather_dimension", at);
  if (options.to == Vary::Varying || !tracksVarying())
    return bind1(gatherP, {varyAlong(x, axes.names)}, *params);
  bool isReduced = options.to == Vary::Reduced;
  if (!isReduced && options.to != Vary::Invarying)
    return valueError("all_gather returns varying, invarying or reduced "
                      "values, but its `to` is unreduced");
  if (!options.groups.empty())
    return notImplemented("axis_index_groups of all_gather to '",
                          isReduced ? "reduced" : "invarying",
                          "' is not implemented");
  if (isReduced)
    return bind1(gatherReducedP, {x}, withoutGroups(*params));
  return bind1(gatherInvariantP, {varyAlong(x, axes.names)},
               withoutGroups(*params));
}

Tensor psum_scatter(const Tensor &x, const CollectiveAxes &axes,
                    const ScatterOptions &options) {
  if (!x.ok())
    return x;
  Expected<Params> params = commonParams(axes, options.groups, options.tiled);
  if (!params)
    return params.error();
  if (options.scatterDimension < 0 || options.scatterDimension >= x.rank())
    return valueError("axis ", options.scatterDimension,
                      " is out of bounds for array of dimension ", x.rank());
  params->set("scatter_dimension", options.scatterDimension);
  if (tracksVarying()) {
    Expected<AxisState> state =
        commonState(x.aval(), axes.names, "psum_scatter");
    if (!state)
      return state.error();
    if (*state == AxisState::Unreduced && options.groups.empty())
      return bind1(scatterSumP, {x}, withoutGroups(*params));
  }
  return bind1(scatterP, {varyAlong(x, axes.names)}, *params);
}

} // namespace lax
} // namespace shardwright::frontend
