//===- tiling.cc - functions of tiles of arrays ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/tiling.h"

#include "shardwright/frontend/pmap/nesting.h"
#include "shardwright/frontend/shard_map/axis_aliases.h"
#include "shardwright/frontend/shard_map/manual_axes.h"
#include "shardwright/frontend/shard_map/shard_map.h"
#include "shardwright/frontend/tiling/resources.h"
#include "shardwright/frontend/tiling/split_axes.h"
#include "shardwright/frontend/trace/ordered_effects.h"
#include "shardwright/frontend/trace/user_function.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// The item for one of `count` leaves: there is one for each, or one for all.
template <typename T>
Status checkCount(const std::vector<T> &items, size_t count, const char *what) {
  if (items.size() == 1 || items.size() == count)
    return {};
  return valueError("mapWithTiling requires one entry in ", what,
                    " for each leaf, or one for all, but got ", items.size(),
                    " entries for ", count, " leaves");
}
template <typename T> const T &itemOf(const std::vector<T> &items, size_t i) {
  return items[items.size() == 1 ? 0 : i];
}

/// A mapping names this axis.
bool maps(const ArrayMapping &mapping, const std::string &axis) {
  return std::any_of(mapping.begin(), mapping.end(),
                     [&](const auto &entry) { return entry.first == axis; });
}

/// A function of tiles along some axes of the mesh, with a batch dimension for
/// each of them.
struct Vectorized {
  FlatFunction function;
  AbstractMesh mesh;
  std::vector<ArrayMapping> in, out;
  AxisNames axes; ///< in mesh order

  Tensors operator()(const Tensors &args) const;
};

Tensors Vectorized::operator()(const Tensors &args) const {
  if (Status fits = checkCount(in, args.size(), "in"); !fits)
    return {Tensor(fits.error())};
  Tensors tiles;
  for (size_t i = 0; i < args.size(); ++i) {
    if (const Error *error = errorIn(args[i]))
      return {Tensor(*error)};
    const ArrayMapping &mapping = itemOf(in, i);
    if (auto tile = tileAval(mesh, mapping, args[i].aval()); !tile)
      return {Tensor(tile.error())};
    tiles.push_back(splitAxes(args[i], mapping, mesh, axes));
  }
  // The innermost batch is that of the last axis.
  FlatFunction mapped = function;
  for (size_t k = axes.size(); k-- > 0;) {
    const std::string axis = axes[k];
    Ints inDims, outDims;
    for (size_t i = 0; i < args.size(); ++i)
      inDims.push_back(maps(itemOf(in, i), axis) ? 0 : -1);
    for (const ArrayMapping &mapping : out)
      outDims.push_back(maps(mapping, axis) ? 0 : -1);
    mapped = [=, inner = mapped, size = mesh.sizeOf(axis)](const Tensors &xs) {
      auto outs = detail::vmap(inner, xs, inDims, outDims, size, axis, {axis});
      return outs ? *outs : Tensors{Tensor(outs.error())};
    };
  }
  Tensors outs = mapped(tiles);
  if (errorIn(outs))
    return outs;
  if (Status fits = checkCount(out, outs.size(), "out"); !fits)
    return {Tensor(fits.error())};
  for (size_t i = 0; i < outs.size(); ++i) {
    const ArrayMapping &mapping = itemOf(out, i);
    Aval tile = outs[i].aval();
    for (const std::string &axis : axes)
      if (maps(mapping, axis))
        tile = tile.withoutDim(0);
    if (auto joined = untileAval(mesh, mapping, tile); !joined)
      return {Tensor(joined.error())};
    outs[i] = joinAxes(outs[i], mapping, mesh, axes);
  }
  return outs;
}

/// The function of tiles along the manual axes of a mesh.
Tensors runManual(const TilingOptions &options, const FlatFunction &function,
                  const std::vector<PartitionSpec> &in,
                  const std::vector<PartitionSpec> &out,
                  const AxisNames &manual, const Tensors &args) {
  ShardMapOptions map;
  map.mesh = options.mesh;
  map.axisNames = manual;
  map.checkVma = false;
  auto specsOf = [&](const std::vector<PartitionSpec> &specs, size_t count) {
    std::vector<ShardingTree> kept;
    for (size_t i = 0; i < count; ++i)
      kept.push_back(keepAxes(itemOf(specs, i), manual));
    return ShardingTree::braces(std::move(kept));
  };
  map.in = ShardingTree::braces({specsOf(in, args.size())});
  // One spec is that of all results; several are counted by the shardMap.
  map.out = out.size() == 1 ? ShardingTree(keepAxes(out[0], manual))
                            : specsOf(out, out.size());
  auto outs = frontend::shardMap(
      [&](const std::vector<Tensor> &tiles) -> std::vector<Tensor> {
        return function(tiles);
      },
      map)(std::vector<Tensor>(args));
  return outs ? *outs : Tensors{Tensor(outs.error())};
}

/// Asks for these shardings where the values can have them.
Tensors constrained(const Tensors &xs, const Mesh &mesh,
                    const std::vector<PartitionSpec> &specs) {
  Tensors out;
  for (size_t i = 0; i < xs.size(); ++i) {
    Expected<Sharding> sharding = Sharding::named(mesh, itemOf(specs, i));
    out.push_back(sharding ? withShardingConstraint(xs[i], *sharding)
                           : Tensor(sharding.error()));
  }
  return out;
}

/// Mappings of all specs.
Expected<std::vector<ArrayMapping>>
mappingsOf(const std::vector<PartitionSpec> &specs) {
  std::vector<ArrayMapping> out;
  for (const PartitionSpec &spec : specs) {
    Expected<ArrayMapping> mapping = getArrayMapping(spec);
    if (!mapping)
      return mapping.error();
    out.push_back(*mapping);
  }
  return out;
}

/// Which axes of the mesh are manual; the others are vectorized.
Expected<AxisNames> manualAxes(const Tiling &tiling, const AbstractMesh &mesh) {
  switch (tiling.method()) {
  case Tiling::Method::None:
    return notImplemented("Unrecognized tiling method: None");
  case Tiling::Method::Vectorize:
    return AxisNames();
  case Tiling::Method::Manual:
    break;
  }
  for (const std::string &axis : tiling.axes())
    if (mesh.find(axis) < 0)
      return valueError("Resource axis: ", axis,
                        " is not found in mesh: ", namesText(mesh.names()),
                        ".");
  return tiling.axes().empty() ? mesh.names() : tiling.axes();
}

} // namespace

FlatFunction vtileByMesh(FlatFunction function, const AbstractMesh &mesh,
                         std::vector<ArrayMapping> inAxes,
                         std::vector<ArrayMapping> outAxes) {
  return Vectorized{std::move(function), mesh, std::move(inAxes),
                    std::move(outAxes), mesh.names()};
}

Tensors detail::mapWithTiling(const TilingOptions &options,
                              const FlatFunction &function,
                              const Tensors &args) {
  auto failed = [](const Error &error) { return Tensors{Tensor(error)}; };
  if (options.mesh.empty())
    return failed(valueError("mapWithTiling requires a non-empty mesh. Got ",
                             options.mesh.str()));
  if (const Error *error = errorIn(args))
    return failed(*error);
  const AbstractMesh &mesh = options.mesh.abstractMesh();
  if (Status typed = checkResources(options); !typed)
    return failed(typed.error());
  std::vector<PartitionSpec> in = onResources(options.in, options),
                             out = onResources(options.out, options);
  Expected<AxisNames> manual = manualAxes(options.tiling, mesh);
  auto inAxes = mappingsOf(in), outAxes = mappingsOf(out);
  if (!manual || !inAxes || !outAxes)
    return failed(!manual   ? manual.error()
                  : !inAxes ? inAxes.error()
                            : outAxes.error());
  if (Status fits = checkCount(in, args.size(), "in"); !fits)
    return failed(fits.error());
  for (size_t i = 0; i < args.size(); ++i)
    if (auto tile = tileAval(mesh, itemOf(*inAxes, i), args[i].aval()); !tile)
      return failed(tile.error());
  FlatFunction body = [&](const Tensors &tiles) {
    ScopedTiles scope;
    ScopedUnordered unordered(
        "Ordered effects not supported in mesh computations.");
    std::vector<std::unique_ptr<ScopedAxisAlias>> aliases;
    for (const auto &[name, axes] : options.axisResources)
      aliases.push_back(std::make_unique<ScopedAxisAlias>(name, axes));
    return callFunction(function, tiles);
  };
  FlatFunction inner = body;
  if (!manual->empty())
    inner = [&](const Tensors &tiles) {
      return runManual(options, body, in, out, *manual, tiles);
    };
  const AxisNames vectorized = without(mesh.names(), *manual);
  Tensors outs = Vectorized{inner, mesh, *inAxes, *outAxes,
                            vectorized}(constrained(args, options.mesh, in));
  return errorIn(outs) ? outs : constrained(outs, options.mesh, out);
}

} // namespace shardwright::frontend
