//===- hlo_form.cc - HLO shardings as shardings over meshes ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/sharding.h"

#include "shardwright/mesh/hlo/partition_spec.h"

namespace shardwright::frontend {
namespace {

Error unreadable(const std::string &text, llvm::Error error) {
  return valueError("HLO sharding `", text,
                    "`: ", llvm::toString(std::move(error)));
}

AxisNames numberedAxes(size_t count) {
  AxisNames names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(cat("_axis_", i));
  return names;
}

Expected<PartitionSpec> specOver(const HloSharding &sharding,
                                 const std::string &text,
                                 const AbstractMesh &mesh) {
  llvm::SmallVector<MeshAxis, 4> axes;
  for (int64_t i = 0; i < mesh.numAxes(); ++i)
    axes.push_back({mesh.names()[i], mesh.sizes()[i]});
  auto converted = toPartitionSpec(sharding, shardwright::Mesh(axes));
  if (!converted)
    return unreadable(text, converted.takeError());
  std::vector<SpecEntry> entries;
  for (const auto &entry : converted->entries)
    entries.push_back(AxisNames(entry.axes.begin(), entry.axes.end()));
  while (!entries.empty() && entries.back().empty())
    entries.pop_back();
  return PartitionSpec::get(
      entries, {converted->unreduced.begin(), converted->unreduced.end()});
}

/// The mesh is the coarsest one whose axes say the tiles.
Expected<Sharding> overAxes(const HloSharding &sharding, const LocalAxes &axes,
                            const std::vector<Device> &devices,
                            const std::string &memoryKind) {
  Ints sizes(axes.sizes.begin(), axes.sizes.end());
  AxisNames names = numberedAxes(sizes.size());
  Expected<Mesh> mesh = Mesh::get(devices, sizes, names);
  if (!mesh)
    return mesh.error();
  std::vector<SpecEntry> entries(sharding.dataDims().size());
  for (size_t d = 0; d < entries.size(); ++d)
    for (int32_t axis : axes.axesOfTile[d])
      entries[d].axes.push_back(names[axis]);
  while (!entries.empty() && entries.back().empty())
    entries.pop_back();
  Expected<PartitionSpec> spec = PartitionSpec::get(entries);
  if (!spec)
    return spec.error();
  return Sharding::named(*mesh, *spec, memoryKind);
}

/// The mesh has one axis for each tile dimension, and the devices in the order
/// of the tiles.
Expected<Sharding> overTiles(const HloSharding &sharding,
                             const std::vector<Device> &devices,
                             const std::string &memoryKind) {
  std::vector<Device> ordered;
  for (int64_t device : sharding.devices().list())
    ordered.push_back(devices[device]);
  Ints sizes(sharding.tileDims().begin(), sharding.tileDims().end());
  AxisNames names = numberedAxes(sizes.size());
  Expected<Mesh> mesh = Mesh::get(ordered, sizes, names);
  if (!mesh)
    return mesh.error();
  std::vector<SpecEntry> entries;
  for (size_t d = 0; d < sharding.dataDims().size(); ++d)
    entries.push_back(sizes[d] > 1 ? SpecEntry(names[d]) : SpecEntry());
  Expected<PartitionSpec> spec = PartitionSpec::get(entries);
  if (!spec)
    return spec.error();
  return Sharding::named(*mesh, *spec, memoryKind);
}

} // namespace

Expected<PartitionSpec> specOfHlo(const std::string &text,
                                  const AbstractMesh &mesh) {
  auto sharding = HloSharding::parse(text);
  if (!sharding)
    return unreadable(text, sharding.takeError());
  return specOver(*sharding, text, mesh);
}

Expected<Sharding> Sharding::fromHlo(const std::string &text,
                                     const std::vector<Device> &devices,
                                     std::string memoryKind) {
  auto sharding = HloSharding::parse(text);
  if (!sharding)
    return unreadable(text, sharding.takeError());
  const auto count = static_cast<int64_t>(devices.size());
  switch (sharding->kind()) {
  case HloSharding::Kind::Replicated: {
    Expected<Mesh> mesh = Mesh::get(devices, {count}, numberedAxes(1));
    if (!mesh)
      return mesh.error();
    return named(*mesh, P(), std::move(memoryKind));
  }
  case HloSharding::Kind::Maximal:
    if (sharding->device() >= count)
      return valueError("HLO sharding `", text, "` names device ",
                        sharding->device(), ", but there are ", count);
    return single(devices[sharding->device()], std::move(memoryKind));
  case HloSharding::Kind::Tiled:
    break;
  default:
    return notImplemented("a sharding of an array from the HLO sharding `",
                          text,
                          "`; only replicated, maximal and tiled ones "
                          "say where an array is");
  }
  for (Subgroup group : sharding->subgroups())
    if (group != Subgroup::Replicated)
      return notImplemented("a sharding of an array from the HLO sharding `",
                            text,
                            "`, with devices that are neither tiles nor "
                            "replicas");
  if (sharding->devices().size() != count)
    return valueError("HLO sharding `", text, "` is for ",
                      sharding->devices().size(), " devices, but there are ",
                      count);
  if (std::optional<IotaOrder> iota = sharding->devices().asIota())
    if (std::optional<LocalAxes> axes = iota->localAxes(sharding->tileDims()))
      return overAxes(*sharding, *axes, devices, memoryKind);
  return overTiles(*sharding, devices, memoryKind);
}

} // namespace shardwright::frontend
