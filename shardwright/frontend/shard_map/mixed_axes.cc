//===- mixed_axes.cc - collectives along an axis of vmap and others -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/mixed_axes.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// The axes of a collective before and after the mapped one: positions along
/// all of them are (major, mapped, minor).
struct MixedAxes {
  MixedAxes(const AxisNames &names, const std::string &mapped) {
    auto at = std::find(names.begin(), names.end(), mapped);
    major.assign(names.begin(), at);
    minor.assign(at + 1, names.end());
  }
  static int64_t sizeOf(const AxisNames &names) {
    int64_t size = 1;
    for (const std::string &name : names)
      if (const NamedAxis *axis = findAxis(name))
        size *= axis->size;
    return size;
  }
  AxisNames major, minor;
};

/// The parameters of a collective along other axes.
Params along(const AxisNames &names, const Params &like) {
  Params out = like;
  out.set("axis_name", names);
  if (like.has("axis_size"))
    out.set("axis_size", MixedAxes::sizeOf(names));
  return out;
}

/// Replaces dimension `at` by dimensions of these sizes.
Tensor splitDim(const Tensor &x, int64_t at, const Ints &sizes) {
  if (!x.ok())
    return x;
  Shape shape = x.shape();
  shape.erase(shape.begin() + at);
  shape.insert(shape.begin() + at, sizes.begin(), sizes.end());
  return lax::reshape(x, shape);
}
/// Merges `count` dimensions from `at` on.
Tensor mergeDims(const Tensor &x, int64_t at, int64_t count) {
  if (!x.ok())
    return x;
  int64_t size = 1;
  Shape shape = x.shape();
  for (int64_t d = at; d < at + count; ++d)
    size *= shape[d];
  shape.erase(shape.begin() + at, shape.begin() + at + count);
  shape.insert(shape.begin() + at, size);
  return lax::reshape(x, shape);
}

/// Sizes of a dimension that is divided into positions along the axes and a
/// rest.
Ints chunkSizes(const MixedAxes &axes, int64_t mapped) {
  Ints sizes;
  if (!axes.major.empty())
    sizes.push_back(MixedAxes::sizeOf(axes.major));
  sizes.push_back(mapped);
  if (!axes.minor.empty())
    sizes.push_back(MixedAxes::sizeOf(axes.minor));
  return sizes;
}

} // namespace

BatchResult gatherMixed(const char *name, const BatchAxis &axis,
                        const Tensor &x, int64_t dim, const Params &params) {
  MixedAxes axes(axisNamesIn(params, "axis_name"), axis.name);
  int64_t at = params.integer("all_gather_dimension");
  Tensor y = x;
  auto gather = [&](const AxisNames &names) {
    if (names.empty())
      return;
    int64_t where = at + (dim >= 0 && dim <= at);
    Params some = along(names, params);
    some.set("all_gather_dimension", where);
    some.set("tiled", false);
    y = bind1(*findPrimitive(name), {y}, some);
    dim += dim >= where;
  };
  gather(axes.minor);
  y = moveBatch(batchToFront(y, dim, axis), 0, at);
  dim = -1;
  gather(axes.major);
  auto joined = static_cast<int64_t>(chunkSizes(axes, axis.size).size());
  return {{mergeDims(y, at, joined + params.flag("tiled"))}, {-1}};
}

BatchResult scatterMixed(const BatchAxis &axis, const Tensor &x, int64_t dim,
                         const Params &params) {
  MixedAxes axes(axisNamesIn(params, "axis_name"), axis.name);
  bool isBatched = dim >= 0;
  int64_t at = params.integer("scatter_dimension"), where = at + isBatched;
  Tensor y = isBatched ? moveBatch(x, dim, 0) : x;
  if (!y.ok())
    return {{y}, {}};
  Ints sizes = chunkSizes(axes, axis.size);
  if (params.flag("tiled"))
    sizes.push_back(y.dim(where) / params.integer("axis_size"));
  y = splitDim(y, where, sizes);
  auto scatter = [&](const AxisNames &names, int64_t from) {
    if (names.empty())
      return;
    Params some = along(names, params);
    some.set("scatter_dimension", from);
    some.set("tiled", false);
    y = bind1(*findPrimitive("reduce_scatter"), {y}, some);
  };
  scatter(axes.major, where);
  scatter(axes.minor, where + 1);
  y = isBatched
          ? lax::reduce_sum(y, {0})
          : lax::mul(y, scalarOf(static_cast<double>(axis.size), y.dtype()));
  return {{y}, {at}};
}

BatchResult allToAllMixed(const BatchAxis &axis, const Tensor &x, int64_t dim,
                          const Params &params) {
  MixedAxes axes(axisNamesIn(params, "axis_name"), axis.name);
  // The batch dimension of the operand is the sender.
  Tensor y = batchToFront(x, dim, axis);
  if (!y.ok())
    return {{y}, {}};
  int64_t split = params.integer("split_axis") + 1;
  int64_t concat = params.integer("concat_axis") + 1;
  Ints sizes = chunkSizes(axes, axis.size);
  auto chunks = static_cast<int64_t>(sizes.size());
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  sizes.push_back(y.dim(split) / total);
  y = splitDim(y, split, sizes);
  auto exchange = [&](const AxisNames &names, int64_t at) {
    if (names.empty())
      return;
    Params some = along(names, params);
    some.set("split_axis", at);
    some.set("concat_axis", at);
    some.set("tiled", true);
    y = bind1(*findPrimitive("all_to_all"), {y}, some);
  };
  int64_t mapped = split + !axes.major.empty();
  exchange(axes.major, split);
  exchange(axes.minor, mapped + 1);
  // The receiver becomes the batch dimension.
  Ints swapped = iotaInts(y.rank());
  std::swap(swapped[0], swapped[mapped]);
  y = lax::transpose(y, swapped);
  // The senders go in front of the dimension that joins them.
  if (concat >= split)
    concat += chunks;
  Ints order;
  for (int64_t d = 0; d < y.rank(); ++d) {
    if (d == concat)
      for (int64_t k = 0; k < chunks; ++k)
        order.push_back(split + k);
    if (d < split || d >= split + chunks)
      order.push_back(d);
  }
  y = lax::transpose(y, order);
  return {{mergeDims(y, concat > split ? concat - chunks : concat, chunks + 1)},
          {0}};
}

BatchResult permuteMixed(const BatchAxis &axis, const Tensor &x, int64_t dim,
                         const Params &params) {
  AxisNames names = inBindingOrder(axisNamesIn(params, "axis_name"));
  MixedAxes axes(names, axis.name);
  AxisNames rest = without(names, {axis.name});
  int64_t minor = MixedAxes::sizeOf(axes.minor);
  // Positions along the mapped axis and along the others.
  auto parts = [&](int64_t i) {
    return std::pair(i / minor % axis.size,
                     i / (minor * axis.size) * minor + i % minor);
  };
  std::map<std::pair<int64_t, int64_t>, IntsList> pairs;
  for (const Ints &pair : params.lists("perm")) {
    auto [from, fromRest] = parts(pair[0]);
    auto [to, toRest] = parts(pair[1]);
    pairs[{to, from}].push_back({fromRest, toRest});
  }
  Tensor all = batchToFront(x, dim, axis);
  if (!all.ok())
    return {{all}, {}};
  // Each device receives from one slice at most: the others add zeros.
  Tensors rows(axis.size);
  for (const auto &[where, perm] : pairs) {
    auto [to, from] = where;
    Params some = along(rest, params);
    some.set("perm", perm);
    Tensor row = bind1(*findPrimitive("ppermute"),
                       {lax::slice_in_dim(all, from, from + 1, 1, 0)}, some);
    bool isBool = row.dtype() == DType::Bool;
    rows[to] = !rows[to].handle() ? row
               : isBool           ? lax::bitwise_or(rows[to], row)
                                  : lax::add(rows[to], row);
  }
  for (Tensor &row : rows)
    if (!row.handle())
      row = lax::full_like(lax::slice_in_dim(all, 0, 1, 1, 0), 0);
  return {{lax::concatenate(rows, 0)}, {0}};
}

BatchResult broadcastMixed(const BatchAxis &axis, const Tensor &x, int64_t dim,
                           const Params &params) {
  MixedAxes axes(axisNamesIn(params, "axis_name"), axis.name);
  int64_t minor = MixedAxes::sizeOf(axes.minor);
  int64_t source = params.integer("source");
  int64_t mapped = source / minor % axis.size;
  Tensor row =
      dim < 0 ? x
              : lax::squeeze(lax::slice_in_dim(x, mapped, mapped + 1, 1, dim),
                             {dim});
  AxisNames rest = axes.major;
  rest.insert(rest.end(), axes.minor.begin(), axes.minor.end());
  Params some = along(rest, params);
  some.set("source", source / (minor * axis.size) * minor + source % minor);
  return {{bind1(*findPrimitive("pbroadcast"), {row}, some)}, {-1}};
}

} // namespace shardwright::frontend
