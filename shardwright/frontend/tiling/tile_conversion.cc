//===- tile_conversion.cc - arrays to tiles and back in programs ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/tile_conversion.h"

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/shard_map/collectives.h"
#include "shardwright/frontend/tiling/tile_conversion_params.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// Prints as `OrderedDict([('x', 0)])`.
struct MappingParam final : ParamObject {
  explicit MappingParam(ArrayMapping a) : axes(std::move(a)) {}
  std::string str() const override {
    std::string list;
    for (const auto &[name, dim] : axes)
      list += cat(list.empty() ? "" : ", ", "('", name, "', ", dim, ")");
    return axes.empty() ? "OrderedDict()" : cat("OrderedDict([", list, "])");
  }
  ArrayMapping axes;
};

Tensor bindConversion(const char *name, const Tensor &x,
                      const TileConversion &c) {
  return bind1(*findPrimitive(name), {x}, c.params());
}

/// The rule of the types of both primitives.
template <typename Convert>
Expected<std::vector<Aval>> inferWith(const char *name, const Params &params,
                                      const std::vector<Aval> &types,
                                      Convert convert) {
  TileConversion c(params);
  SW_TRY(c.check(name));
  Expected<Aval> out = convert(c.outer(), c.axes, types[0]);
  if (!out)
    return out.error();
  return std::vector<Aval>{*out};
}

/// The dimensions of the mapping in values with another dimension at `dim`.
TileConversion shifted(const Params &params, int64_t dim) {
  TileConversion c(params);
  for (auto &[name, mapped] : c.axes)
    mapped += mapped >= dim;
  return c;
}

/// What both primitives have in common.
Primitive conversion(const char *name) {
  Primitive p;
  p.name = name;
  p.jvp = [name](const Tensors &in, const MaybeTensors &t,
                 const Params &params) {
    TileConversion c(params);
    return oneResult(bindConversion(name, in[0], c),
                     bindConversion(name, *t[0], c));
  };
  p.batch = [name](const BatchAxis &, const Tensors &in, const Ints &dims,
                   const Params &params) -> BatchResult {
    return {{bindConversion(name, in[0], shifted(params, dims[0]))}, {dims[0]}};
  };
  return p;
}

const Primitive fullToShardP = [] {
  Primitive p = conversion(kFullToShard);
  p.infer = [](const std::vector<Aval> &types, const Params &params) {
    return inferWith(kFullToShard, params, types, tileAval);
  };
  // Each device has a part of the cotangent along axes that do not divide.
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &,
                   const Params &params) -> MaybeTensors {
    TileConversion c(params);
    Tensor tile = *ct[0];
    if (AxisNames axes = c.unmapped(); !axes.empty()) {
      ManualScope scope = c.scope();
      tile = lax::psum(tile, axes);
    }
    return {bindConversion(kShardToFull, tile, c)};
  };
  return p;
}();
const Registered fullToShardR(fullToShardP);

const Primitive shardToFullP = [] {
  Primitive p = conversion(kShardToFull);
  p.infer = [](const std::vector<Aval> &types, const Params &params) {
    return inferWith(kShardToFull, params, types, untileAval);
  };
  // The result is that of one of the devices which hold it: its cotangent is
  // divided among them.
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &,
                   const Params &params) -> MaybeTensors {
    TileConversion c(params);
    Tensor full = *ct[0];
    if (int64_t copies = sizeOf(c.outer(), c.unmapped()); copies > 1)
      full =
          lax::div(full, scalarOf(static_cast<double>(copies), full.dtype()));
    return {bindConversion(kFullToShard, full, c)};
  };
  return p;
}();
const Registered shardToFullR(shardToFullP);

Tensor convert(const char *name, const Tensor &x, const ArrayMapping &axes,
               const Mesh &mesh, const AxisNames &manual) {
  if (!x.ok())
    return x;
  if (mesh.empty())
    return valueError(name, " requires a non-empty mesh. Got ", mesh.str());
  return bindConversion(name, x, TileConversion(axes, mesh, manual));
}

} // namespace

TileConversion::TileConversion(ArrayMapping a, const Mesh &m,
                               const AxisNames &names)
    : axes(std::move(a)), mesh(std::make_shared<const MeshParam>(m)) {
  for (const std::string &name : outer().names())
    if (contains(names, name))
      manual.push_back(name);
  for (const std::string &name : names)
    if (!contains(manual, name))
      manual.push_back(name);
}

TileConversion::TileConversion(const Params &params)
    : axes(params.object<MappingParam>("axes")->axes),
      mesh(std::dynamic_pointer_cast<const MeshParam>(
          params.get<std::shared_ptr<const ParamObject>>("mesh"))),
      manual(params.object<AxisSet>("manual_axes")->names) {}

Params TileConversion::params() const {
  return {{"axes", objectParam(MappingParam(axes))},
          {"manual_axes", objectParam(AxisSet(manual))},
          {"mesh", std::shared_ptr<const ParamObject>(mesh)}};
}

AxisNames TileConversion::unmapped() const {
  AxisNames mapped;
  for (const auto &[name, dim] : axes)
    mapped.push_back(name);
  return without(manual, mapped);
}

PartitionSpec TileConversion::spec() const {
  std::vector<SpecEntry> entries;
  for (const auto &[name, dim] : axes) {
    if (static_cast<size_t>(dim) >= entries.size())
      entries.resize(dim + 1);
    entries[dim].axes.push_back(name);
  }
  return *PartitionSpec::get(std::move(entries));
}

Status TileConversion::check(const char *what) const {
  for (const std::string &axis : manual) {
    if (outer().find(axis) < 0)
      return valueError("Resource axis: ", axis,
                        " is not found in mesh: ", namesText(outer().names()),
                        ".");
  }
  if (manual.empty())
    return valueError(what, " requires at least one manual axis");
  if (outer().anyIs(AxisType::Explicit))
    return valueError(what,
                      " requires a mesh without axes of type Explicit, "
                      "but got ",
                      outer().str(), ". Use shardMap with this mesh.");
  for (const auto &[name, dim] : axes)
    if (outer().find(name) >= 0 && !contains(manual, name))
      return valueError(what, " divides dimension ", dim, " by axis ", name,
                        ", which is not among its manual axes ",
                        namesText(manual));
  return {};
}

Tensor fullToShard(const Tensor &x, const ArrayMapping &axes, const Mesh &mesh,
                   const AxisNames &manualAxes) {
  return convert(kFullToShard, x, axes, mesh, manualAxes);
}
Tensor shardToFull(const Tensor &x, const ArrayMapping &axes, const Mesh &mesh,
                   const AxisNames &manualAxes) {
  return convert(kShardToFull, x, axes, mesh, manualAxes);
}

ScopedManualAxes::ScopedManualAxes(const Mesh &mesh,
                                   const AxisNames &manualAxes) {
  AxisNames manual;
  for (const std::string &name : mesh.abstractMesh().names())
    if (contains(manualAxes, name))
      manual.push_back(name);
  scope = std::make_unique<ManualScope>(
      mesh.abstractMesh().withTypes(manual, AxisType::Manual), manual,
      /*check=*/false);
}
ScopedManualAxes::~ScopedManualAxes() = default;

} // namespace shardwright::frontend
