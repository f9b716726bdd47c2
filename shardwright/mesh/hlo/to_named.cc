//===- to_named.cc - convert tiles to mesh axes ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/named_conversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace shardwright {
namespace {

llvm::SmallVector<int64_t, 8> axisSizes(const Mesh &mesh) {
  llvm::SmallVector<int64_t, 8> sizes;
  for (const MeshAxis &axis : mesh.axes())
    sizes.push_back(axis.size);
  return sizes;
}

/// Number of devices that hold the same tile.
int64_t copies(const HloSharding &s) {
  bool replicates =
      !s.subgroups().empty() && s.subgroups().back() == Subgroup::Replicated;
  return replicates ? s.tileDims().back() : 1;
}

/// The device order as an iota over positions in the mesh. None if a device is
/// not in the mesh, or if no iota is equal.
std::optional<IotaOrder> inMesh(const HloSharding &s, const Mesh &mesh) {
  if (mesh.deviceIds().empty())
    return s.devices().asIota();
  llvm::SmallVector<int64_t, 0> positions = s.devices().list();
  for (int64_t &device : positions) {
    device = mesh.linearIndex(device);
    if (device < 0)
      return std::nullopt;
  }
  // Copies are interchangeable, so sort them.
  DeviceOrder order(std::move(positions));
  return order.withSortedGroups(copies(s)).asIota();
}

/// By local axis: the (sub-)axes of the mesh that form it.
std::optional<llvm::SmallVector<AxisList, 8>>
refsOfLocalAxes(llvm::ArrayRef<int64_t> localSizes, const Mesh &mesh) {
  llvm::SmallVector<int64_t, 8> sizes = axisSizes(mesh);
  auto factors = commonFactors(localSizes, sizes);
  if (!factors)
    return std::nullopt;
  llvm::SmallVector<AxisList, 8> refs(localSizes.size());
  llvm::SmallVector<int64_t, 8> pre(sizes.size(), 1);
  for (const CommonFactor &f : *factors) {
    appendMerged(refs[f.a], AxisRef{f.b, pre[f.b], f.size});
    pre[f.b] *= f.size;
  }
  return refs;
}

std::string meshText(const Mesh &mesh) {
  std::string text;
  for (const MeshAxis &axis : mesh.axes())
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

} // namespace

llvm::Expected<NamedHloSharding> toNamed(const HloSharding &sharding,
                                         const Mesh &mesh, int64_t rank) {
  NamedHloSharding named;
  named.mesh = mesh;
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::createStringError("sharding " + sharding.str() + ": " + why);
  };
  AxisList all;
  for (int32_t i = 0; i < mesh.numAxes(); ++i)
    all.push_back(mesh.fullAxis(i));
  switch (sharding.kind()) {
  case HloSharding::Kind::Replicated:
    named.sharding = TensorSharding::closed(rank);
    return named;
  case HloSharding::Kind::Manual:
    named.sharding = TensorSharding::closed(rank);
    named.manual = std::move(all);
    return named;
  case HloSharding::Kind::Unreduced:
    named.sharding = TensorSharding::closed(rank);
    named.sharding.unreduced = std::move(all);
    return named;
  case HloSharding::Kind::Unknown:
    named.sharding = TensorSharding::open(rank);
    return named;
  case HloSharding::Kind::Maximal:
    named.mesh = Mesh({}, {sharding.device()});
    return named;
  case HloSharding::Kind::Tuple:
    return refuse("a tuple has one sharding for each element");
  case HloSharding::Kind::Named:
    if (sharding.named().mesh == mesh)
      return sharding.named();
    return toNamed(toTiled(sharding), mesh, rank);
  case HloSharding::Kind::Tiled:
    break;
  }

  if (int64_t(sharding.dataDims().size()) != rank)
    return refuse("it has " + llvm::Twine(sharding.dataDims().size()) +
                  " dimensions, the value " + llvm::Twine(rank));
  if (sharding.devices().size() != mesh.numDevices())
    return refuse("it has " + llvm::Twine(sharding.devices().size()) +
                  " devices, the mesh " + meshText(mesh) + " has " +
                  llvm::Twine(mesh.numDevices()));
  auto iota = inMesh(sharding, mesh);
  auto local = iota ? iota->localAxes(sharding.tileDims()) : std::nullopt;
  auto refs = local ? refsOfLocalAxes(local->sizes, mesh) : std::nullopt;
  if (!refs)
    return refuse("its tiles are not products of axes of the mesh " +
                  meshText(mesh));
  auto axesOf = [&](llvm::ArrayRef<int32_t> localAxes) {
    AxisList axes;
    for (int32_t axis : localAxes)
      appendMerged(axes, (*refs)[axis]);
    return axes;
  };
  for (int64_t d = 0; d < rank; ++d)
    named.sharding.dims.push_back({axesOf(local->axesOfTile[d]), true, {}});
  for (auto [i, subgroup] : llvm::enumerate(sharding.subgroups())) {
    AxisList axes = axesOf(local->axesOfTile[rank + i]);
    sortAndMerge(axes);
    if (subgroup == Subgroup::Manual)
      named.manual = std::move(axes);
    else if (subgroup == Subgroup::Unreduced)
      named.sharding.unreduced = std::move(axes);
    else if (subgroup == Subgroup::Maximal)
      return refuse("a maximal subgroup has no named form");
  }
  return named;
}

void MeshInference::add(const HloSharding &sharding) {
  switch (sharding.kind()) {
  case HloSharding::Kind::Tuple:
    for (const HloSharding &element : sharding.elements())
      add(element);
    return;
  case HloSharding::Kind::Named:
    return add(toTiled(sharding));
  case HloSharding::Kind::Maximal: {
    auto at = llvm::lower_bound(maximal, sharding.device());
    if (at == maximal.end() || *at != sharding.device())
      maximal.insert(at, sharding.device());
    return;
  }
  case HloSharding::Kind::Tiled:
    if (!llvm::is_contained(tiled, sharding))
      tiled.push_back(sharding);
    return;
  default:
    others = true;
    return;
  }
}

/// The devices of `base` in the order of its tiles; copies of a tile in the
/// order that the other shardings give them.
static llvm::Expected<llvm::SmallVector<int64_t, 0>>
deviceOrder(const HloSharding &base, llvm::ArrayRef<HloSharding> all) {
  llvm::SmallVector<int64_t, 0> ids = base.devices().list();
  const int64_t n = ids.size();
  for (int64_t id : ids)
    if (id >= n)
      return llvm::createStringError("sharding " + base.str() +
                                     ": its devices are not 0 to " +
                                     llvm::Twine(n - 1));
  const int64_t group = copies(base);
  if (group == 1)
    return ids;
  llvm::SmallVector<llvm::SmallVector<int64_t, 0>> tileOf;
  for (const HloSharding &other : all) {
    tileOf.emplace_back(n);
    for (auto [position, device] : llvm::enumerate(other.devices().list()))
      if (device < n)
        tileOf.back()[device] = position / copies(other);
  }
  for (auto it = ids.begin(); it != ids.end(); it += group)
    llvm::sort(it, it + group, [&](int64_t a, int64_t b) {
      for (const auto &tile : tileOf)
        if (tile[a] != tile[b])
          return tile[a] < tile[b];
      return a < b;
    });
  return ids;
}

llvm::Expected<Mesh> MeshInference::infer(int64_t numDevices) const {
  if (tiled.empty()) {
    if (numDevices <= 0)
      return Mesh();
    return Mesh({{"_axis_0", numDevices}});
  }
  for (const HloSharding &s : tiled)
    if (s.devices().size() != tiled[0].devices().size())
      return llvm::createStringError("shardings " + tiled[0].str() + " and " +
                                     s.str() +
                                     " have different numbers of devices");

  // A list that is no iota, or an iota that tiles cut inside a factor,
  // determines the device order of the mesh; the other shardings are renumbered
  // by it. Choose the one with the fewest copies, which constrains the order
  // most.
  const HloSharding *base = nullptr;
  for (const HloSharding &s : tiled) {
    auto iota = s.devices().asIota();
    if ((!iota || !iota->localAxes(s.tileDims())) &&
        (!base || copies(s) < copies(*base)))
      base = &s;
  }
  llvm::SmallVector<int64_t, 0> ids;
  Mesh order({{"all", tiled[0].devices().size()}});
  if (base) {
    auto ordered = deviceOrder(*base, tiled);
    if (!ordered)
      return ordered.takeError();
    ids = std::move(*ordered);
    order = Mesh({{"all", int64_t(ids.size())}}, ids);
  }
  llvm::SmallVector<int64_t, 8> sizes{tiled[0].devices().size()};
  const HloSharding *before = nullptr;
  for (const HloSharding &s : tiled) {
    auto iota = inMesh(s, order);
    auto local = iota ? iota->localAxes(s.tileDims()) : std::nullopt;
    auto factors = local ? commonFactors(sizes, local->sizes) : std::nullopt;
    if (!factors)
      return llvm::createStringError(
          "no mesh has axes for both " + (before ? *before : *base).str() +
          " and " + s.str() + "; give one with --mesh, or reshard one of them");
    sizes.clear();
    for (const CommonFactor &f : *factors)
      sizes.push_back(f.size);
    before = &s;
  }
  llvm::SmallVector<MeshAxis, 4> axes;
  for (auto [i, size] : llvm::enumerate(sizes))
    axes.push_back({("_axis_" + llvm::Twine(i)).str(), size});
  return Mesh(std::move(axes), std::move(ids));
}

} // namespace shardwright
