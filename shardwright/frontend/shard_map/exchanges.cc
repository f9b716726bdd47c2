//===- exchanges.cc - all_to_all, ppermute, axis_index --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/mixed_axes.h"

#include <algorithm>
#include <set>

namespace shardwright::frontend {
namespace {

using Rule = Expected<std::vector<Aval>>;
using Names = std::vector<std::string>;

/// The type without a sharding of changed dimensions.
Aval sameType(const Aval &aval, const Shape &shape) {
  Aval out = aval.withShape(shape);
  if (shape == aval.shape)
    out.sharding = aval.sharding;
  return out;
}

// all_to_all: dimension split_axis is divided, concat_axis multiplied.

Rule inferAllToAll(const std::vector<Aval> &in, const Params &params) {
  Expected<int64_t> size = boundSize(axisNamesIn(params, "axis_name"));
  if (!size)
    return size.error();
  const IntsList &groups = params.lists("axis_index_groups");
  int64_t count =
      groups.empty() ? *size : static_cast<int64_t>(groups[0].size());
  Shape shape = in[0].shape;
  shape.at(params.integer("split_axis")) /= count;
  shape.at(params.integer("concat_axis")) *= count;
  return std::vector<Aval>{sameType(in[0], shape)};
}

Names lowerAllToAll(LoweringContext &c) {
  auto groups = groupsOf(c, axisNamesIn(c.params(), "axis_name"));
  if (!groups)
    return {};
  return c.op(
      "stablehlo.all_to_all", c.operands(), mlirTypes(c.operandTypes()),
      mlirTypes(c.resultTypes()),
      cat("concat_dimension = ", c.params().integer("concat_axis"),
          " : i64, split_dimension = ", c.params().integer("split_axis"),
          " : i64, split_count = ", groups->at(0).size(), " : i64, ",
          groupAttributes(*groups, false)));
}

/// Along the axis of vmap: the batch dimension of the operand is the sender,
/// that of the result the receiver.
Tensor exchangeBatch(const Tensor &in, int64_t dim, int64_t n,
                     const Params &params) {
  int64_t split = params.integer("split_axis") + 1;
  int64_t concat = params.integer("concat_axis") + 1;
  Tensor x = batchToFront(in, dim, n); // sender, ...
  if (!x.ok())
    return x;
  Shape shape = x.shape();
  shape.at(split) /= n;
  shape.insert(shape.begin() + split, n);
  // receiver, sender, ...
  x = moveBatch(lax::reshape(x, shape), split, 0);
  x = moveBatch(x, 1, concat); // receiver, ..., sender, concat, ...
  if (!x.ok())
    return x;
  shape = x.shape();
  shape.at(concat) *= shape[concat + 1];
  shape.erase(shape.begin() + concat + 1);
  return lax::reshape(x, shape);
}

BatchResult batchAllToAll(const BatchAxis &axis, const Tensors &in,
                          const Ints &dims, const Params &params) {
  std::optional<AxisNames> rest =
      withoutMapped(axisNamesIn(params, "axis_name"), axis);
  if (rest && !params.isNone("axis_index_groups"))
    return {{Tensor(notImplemented("axis_index_groups not supported in vmap"))},
            {}};
  if (rest && !rest->empty())
    return allToAllMixed(axis, in[0], dims[0], params);
  if (rest)
    return {{exchangeBatch(in[0], dims[0], axis.size, params)}, {0}};
  Params changed = params;
  for (const char *name : {"split_axis", "concat_axis"})
    changed.set(name, params.integer(name) +
                          (dims[0] >= 0 && dims[0] <= params.integer(name)));
  return {frontend::bind(*findPrimitive("all_to_all"), in, changed), dims};
}

const Primitive allToAllP = [] {
  Primitive p;
  p.name = "all_to_all";
  p.hidden = {"axis_mesh"};
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = inferAllToAll;
  p.lower = lowerAllToAll;
  p.batch = batchAllToAll;
  p.jvp = linearJvp("all_to_all");
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    Params back = params;
    back.set("split_axis", params.integer("concat_axis"));
    back.set("concat_axis", params.integer("split_axis"));
    return MaybeTensors{bind1(*findPrimitive("all_to_all"), {*ct[0]}, back)};
  };
  return p;
}();
const Registered allToAllR(allToAllP);

// ppermute

std::string permText(const IntsList &perm) { return paramText(Param(perm)); }

Rule inferPpermute(const std::vector<Aval> &in, const Params &params) {
  AxisNames names = axisNamesIn(params, "axis_name");
  SW_TRY(checkBound(names, "ppermute"));
  std::set<int64_t> sources, targets;
  Expected<int64_t> size = boundSize(names);
  bool unique = true;
  for (const Ints &pair : params.lists("perm")) {
    unique &= sources.insert(pair[0]).second;
    unique &= targets.insert(pair[1]).second;
    for (int64_t i : pair)
      if (i < 0 || i >= *size)
        return valueError("ppermute sources and destinations must be in [0, ",
                          *size, "), got ", permText(params.lists("perm")),
                          ".");
  }
  if (!unique)
    return valueError("ppermute sources and destinations must be unique, got ",
                      permText(params.lists("perm")), ".");
  return std::vector<Aval>{in[0]};
}

Names lowerPpermute(LoweringContext &c) {
  auto groups = groupsOf(c, axisNamesIn(c.params(), "axis_name"));
  if (!groups)
    return {};
  // Positions are in mesh order, whatever the order of the names.
  std::vector<Ints> pairs;
  for (Ints &group : *groups) {
    std::sort(group.begin(), group.end());
    for (const Ints &pair : c.params().lists("perm"))
      pairs.push_back({group[pair[0]], group[pair[1]]});
  }
  if (pairs.empty())
    return {c.constant(c.resultTypes()[0], 0)};
  return c.op("stablehlo.collective_permute", c.operands(),
              mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
              cat("channel_handle = #stablehlo.channel_handle<handle = 1, type "
                  "= 1>, source_target_pairs = ",
                  denseGroups(pairs)));
}

/// Each receiver's slice of the batch dimension is its sender's, or zero.
Tensor permuteBatch(const Tensor &in, int64_t dim, const BatchAxis &axis,
                    const IntsList &perm) {
  Tensor x = batchToFront(in, dim, axis);
  Ints source(axis.size, -1);
  for (const Ints &pair : perm)
    source[pair[1]] = pair[0];
  Tensors rows;
  for (int64_t from : source) {
    Tensor row = lax::slice_in_dim(x, std::max<int64_t>(from, 0),
                                   std::max<int64_t>(from, 0) + 1, 1, 0);
    rows.push_back(from < 0 ? lax::full_like(row, 0) : row);
  }
  return lax::concatenate(rows, 0);
}

BatchResult batchPpermute(const BatchAxis &axis, const Tensors &in,
                          const Ints &dims, const Params &params) {
  AxisNames names = axisNamesIn(params, "axis_name");
  std::optional<AxisNames> rest = withoutMapped(names, axis);
  if (!rest)
    return {frontend::bind(*findPrimitive("ppermute"), in, params), dims};
  if (!rest->empty())
    return permuteMixed(axis, in[0], dims[0], params);
  return {{permuteBatch(in[0], dims[0], axis, params.lists("perm"))}, {0}};
}

const Primitive ppermuteP = [] {
  Primitive p;
  p.name = "ppermute";
  p.hidden = {"axis_mesh", "axis_index_groups"};
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = inferPpermute;
  p.lower = lowerPpermute;
  p.batch = batchPpermute;
  p.jvp = linearJvp("ppermute");
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    IntsList inverse;
    for (const Ints &pair : params.lists("perm"))
      inverse.push_back({pair[1], pair[0]});
    Params back = params;
    back.set("perm", inverse);
    return MaybeTensors{bind1(*findPrimitive("ppermute"), {*ct[0]}, back)};
  };
  return p;
}();
const Registered ppermuteR(ppermuteP);

// pbroadcast

/// The value where the device is the source, zeros elsewhere.
Tensor maskedToSource(const Tensor &x, const Params &params) {
  Tensor index = lax::axis_index(axisNamesIn(params, "axis_name"));
  Tensor isSource =
      lax::eq(index, scalarOf(params.integer("source"), DType::I32));
  return lax::select_n(lax::broadcast_in_dim(isSource, x.shape(), {}),
                       {lax::full_like(x, 0), x});
}

const Primitive pbroadcastP = [] {
  Primitive p;
  p.name = "pbroadcast";
  p.hidden = {"axis_mesh", "axis_index_groups"};
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = [](const std::vector<Aval> &in, const Params &params) -> Rule {
    Expected<int64_t> size = boundSize(axisNamesIn(params, "axis_name"));
    if (!size)
      return size.error();
    int64_t source = params.integer("source");
    if (source < 0 || source >= *size)
      return valueError("pbroadcast source must be in [0, ", *size, "), got ",
                        source);
    return std::vector<Aval>{in[0]};
  };
  p.lower = [](LoweringContext &c) -> Names {
    auto groups = groupsOf(c, axisNamesIn(c.params(), "axis_name"));
    if (!groups)
      return {};
    // The first device of a group is the source.
    int64_t source = c.params().integer("source");
    for (Ints &group : *groups)
      std::swap(group[0], group[source]);
    return c.op("stablehlo.collective_broadcast", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                groupAttributes(*groups, false));
  };
  p.jvp = linearJvp("pbroadcast");
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    Tensor sum = lax::psum(*ct[0], axisNamesIn(params, "axis_name"));
    return MaybeTensors{maskedToSource(sum, params)};
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    std::optional<AxisNames> rest =
        withoutMapped(axisNamesIn(params, "axis_name"), axis);
    if (!rest)
      return {frontend::bind(*findPrimitive("pbroadcast"), in, params), dims};
    if (!rest->empty())
      return broadcastMixed(axis, in[0], dims[0], params);
    if (dims[0] < 0)
      return {in, {-1}};
    int64_t source = params.integer("source");
    return {
        {lax::squeeze(lax::slice_in_dim(in[0], source, source + 1, 1, dims[0]),
                      {dims[0]})},
        {-1}};
  };
  return p;
}();
const Registered pbroadcastR(pbroadcastP);

// axis_index

/// The device's number, by the mesh's axes: (id / product of later axes) mod
/// size.
Names lowerAxisIndex(LoweringContext &c) {
  AxisNames names = axisNamesIn(c.params(), "axis_name");
  if (!groupsOf(c, names))
    return {};
  const AbstractMesh &mesh = c.params().object<AxisMesh>("axis_mesh")->mesh;
  int64_t at = mesh.find(names[0]), stride = 1;
  for (int64_t i = at + 1; i < mesh.numAxes(); ++i)
    stride *= mesh.sizes()[i];
  Aval unsignedType{DType::U32, {}};
  std::string u32 = mlirType(unsignedType),
              i32 = mlirType(Aval{DType::I32, {}});
  auto compute = [&] {
    Names id = c.op("stablehlo.partition_id", {}, {}, {u32});
    Names quotient =
        c.op("stablehlo.divide",
             {id[0], c.constant(unsignedType, static_cast<double>(stride))},
             {u32, u32}, {u32});
    Names index =
        c.op("stablehlo.remainder",
             {quotient[0],
              c.constant(unsignedType, static_cast<double>(mesh.sizes()[at]))},
             {u32, u32}, {u32});
    return c.op("stablehlo.convert", index, {u32}, {i32});
  };
  AxisNames rest = without(mesh.names(), mesh.axesOf(AxisType::Manual));
  if (rest.empty())
    return compute();
  // partition_id is defined where all axes are manual.
  std::string list;
  for (const std::string &axis : rest)
    list += cat(list.empty() ? "\"" : ", \"", axis, "\"");
  std::string sharding = c.shardingText(
      *Sharding::named(mesh.withTypes(mesh.names(), AxisType::Auto), P()), 0);
  std::string region =
      c.regionOf({}, [&](const Names &) { return compute(); }, "sdy.return");
  return c.op("sdy.manual_computation", {}, {}, {i32},
              cat("in_shardings = #sdy.sharding_per_value<[]>, manual_axes = "
                  "#sdy<manual_axes{",
                  list, "}>, out_shardings = #sdy.sharding_per_value<[",
                  sharding.substr(sharding.find('<')), "]>"),
              {region});
}

const Primitive axisIndexP = [] {
  Primitive p;
  p.name = "axis_index";
  p.hidden = {"axis_mesh", "axis_index_groups"};
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = [](const std::vector<Aval> &, const Params &params) -> Rule {
    const std::string &name = params.text("axis_name");
    SW_TRY(checkBound({name}, "axis_index"));
    Aval out{DType::I32, {}};
    if (findAxis(name)->isChecked)
      out.varying = {name};
    return std::vector<Aval>{out};
  };
  p.lower = lowerAxisIndex;
  p.jvp = [](const Tensors &in, const MaybeTensors &, const Params &params) {
    return oneResult(bind1(*findPrimitive("axis_index"), in, params), {});
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &,
               const Params &params) -> BatchResult {
    if (params.text("axis_name") == axis.name)
      return {{lax::iota(DType::I32, {axis.size}, 0)}, {0}};
    return {frontend::bind(*findPrimitive("axis_index"), in, params), {-1}};
  };
  return p;
}();
const Registered axisIndexR(axisIndexP);

} // namespace

namespace lax {

Tensor axis_index(const CollectiveAxes &axes) {
  Params params = collectiveParams({});
  if (!axes.isTuple) {
    params.set("axis_name", axes.names[0]);
    return bind1(axisIndexP, {}, params);
  }
  Tensor index = scalarOf(int64_t(0), DType::I32);
  int64_t stride = 1;
  for (size_t i = axes.names.size(); i-- > 0;) {
    Tensor one = axis_index(axes.names[i]);
    if (!one.ok())
      return one;
    index = add(index, mul(one, scalarOf(stride, DType::I32)));
    stride *= findAxis(axes.names[i])->size;
  }
  return index;
}

Expected<int64_t> axis_size(const CollectiveAxes &axes) {
  return boundSize(axes.names);
}

Tensor all_to_all(const Tensor &x, const CollectiveAxes &axes,
                  int64_t splitAxis, int64_t concatAxis, bool tiled,
                  const AxisIndexGroups &groups) {
  if (!x.ok())
    return x;
  Expected<int64_t> size = boundSize(axes.names);
  if (!size)
    return size.error();
  if (Status fits = checkGroups(groups, *size); !fits)
    return fits.error();
  int64_t count =
      groups.empty() ? *size : static_cast<int64_t>(groups[0].size());
  for (int64_t axis : {splitAxis, concatAxis})
    if (axis < 0 || axis >= x.rank())
      return valueError("axis ", axis,
                        " is out of bounds for array of dimension ", x.rank());
  Params params = collectiveParams(groups);
  params.set("axis_name", axisNameParam(axes));
  params.set("tiled", tiled);
  params.set("split_axis", splitAxis);
  params.set("concat_axis", concatAxis);
  Tensor in = varyAlong(x, axes.names);
  if (tiled) {
    if (x.dim(splitAxis) % count)
      return valueError("The size of all_to_all split_axis (", x.dim(splitAxis),
                        ") has to be divisible by the size of the named axis ",
                        axes.isTuple ? namesText(axes.names) : axes.names[0],
                        " (", count, ")");
    return bind1(allToAllP, {in}, params);
  }
  if (x.dim(splitAxis) != count)
    return valueError("all_to_all requires the size of the mapped axis "
                      "axis_name to equal x.shape[split_axis], but they are ",
                      count, " and ", x.dim(splitAxis), " respectively.");
  if (splitAxis == concatAxis)
    return bind1(allToAllP, {in}, params);
  // A new dimension of size 1 collects the pieces, and the divided one goes.
  int64_t joined = splitAxis < concatAxis ? concatAxis + 1 : concatAxis;
  int64_t divided = splitAxis < concatAxis ? splitAxis : splitAxis + 1;
  params.set("split_axis", divided);
  params.set("concat_axis", joined);
  return squeeze(bind1(allToAllP, {expand_dims(in, {joined})}, params),
                 {divided});
}

Tensor ppermute(const Tensor &x, const CollectiveAxes &axes,
                const Permutation &perm) {
  if (!x.ok())
    return x;
  IntsList pairs;
  for (const auto &[from, to] : perm)
    pairs.push_back({from, to});
  Params params = collectiveParams({});
  params.set("axis_name", axes.names);
  params.set("perm", pairs);
  return bind1(ppermuteP, {varyAlong(x, axes.names)}, params);
}

Tensor pshuffle(const Tensor &x, const CollectiveAxes &axes, const Ints &perm) {
  Expected<int64_t> size = boundSize(axes.names);
  if (!size)
    return size.error();
  if (std::set<int64_t>(perm.begin(), perm.end()).size() !=
          static_cast<size_t>(*size) ||
      static_cast<int64_t>(perm.size()) != *size)
    return valueError("`perm` does not represent a permutation: ",
                      tupleText(perm));
  Permutation pairs;
  for (size_t i = 0; i < perm.size(); ++i)
    pairs.emplace_back(perm[i], static_cast<int64_t>(i));
  return ppermute(x, axes, pairs);
}

Tensor pswapaxes(const Tensor &x, const CollectiveAxes &axes, int64_t axis) {
  return all_to_all(x, axes, axis, axis);
}

Tensor pbroadcast(const Tensor &x, const CollectiveAxes &axes, int64_t source) {
  if (!x.ok())
    return x;
  Params params = collectiveParams({});
  params.set("axis_name", axisNameParam(axes));
  params.set("source", source);
  return bind1(pbroadcastP, {varyAlong(x, axes.names)}, params);
}

} // namespace lax
} // namespace shardwright::frontend
