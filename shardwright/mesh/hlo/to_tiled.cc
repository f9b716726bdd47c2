//===- to_tiled.cc - convert mesh axes to tiles ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/named_conversion.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright {
namespace {

/// The mesh cut at the ends of every sub-axis in use: each reference is a list
/// of full atoms.
class Atoms {
public:
  Atoms(const Mesh &mesh, AxisRefs used) {
    for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
      llvm::SmallVector<int64_t, 4> cuts{1, mesh.axisSize(axis)};
      for (AxisRef ref : used)
        if (ref.axis == axis) {
          cuts.push_back(ref.preSize);
          cuts.push_back(ref.nextPreSize());
        }
      llvm::sort(cuts);
      cuts.erase(llvm::unique(cuts), cuts.end());
      for (size_t i = 1; i < cuts.size(); ++i) {
        atoms.push_back({axis, cuts[i - 1], cuts[i] / cuts[i - 1]});
        sizes.push_back(atoms.back().size);
      }
    }
    taken.resize(atoms.size());
  }

  /// Appends the atoms of the axes to the order; returns the product of their
  /// sizes.
  int64_t take(AxisRefs axes) {
    int64_t size = 1;
    for (AxisRef ref : axes)
      for (auto [i, atom] : llvm::enumerate(atoms))
        if (contains(ref, atom))
          size *= takeAtom(i);
    return size;
  }
  int64_t takeRest() {
    int64_t size = 1;
    for (size_t i = 0; i < atoms.size(); ++i)
      if (!taken[i])
        size *= takeAtom(i);
    return size;
  }

  llvm::SmallVector<int64_t, 8> sizes;
  llvm::SmallVector<int32_t, 8> perm;

private:
  int64_t takeAtom(size_t i) {
    taken[i] = true;
    perm.push_back(i);
    return sizes[i];
  }
  llvm::SmallVector<AxisRef, 8> atoms;
  llvm::SmallVector<bool, 8> taken;
};

} // namespace

HloSharding toTiled(const NamedHloSharding &named) {
  const Mesh &mesh = named.mesh;
  const TensorSharding &t = named.sharding;
  if (mesh.isMaximal())
    return HloSharding::maximal(mesh.deviceIds()[0]);
  if (mesh.isEmpty())
    return HloSharding();
  if (totalSize(named.manual) == mesh.numDevices() &&
      int64_t(named.manual.size()) == mesh.numAxes())
    return HloSharding::ofKind(HloSharding::Kind::Manual);

  AxisList used = t.allAxes();
  llvm::append_range(used, t.unreduced);
  llvm::append_range(used, named.manual);
  Atoms atoms(mesh, used);
  llvm::SmallVector<int64_t, 6> dims;
  llvm::SmallVector<Subgroup, 3> subgroups;
  for (const DimSharding &dim : t.dims)
    dims.push_back(atoms.take(dim.axes));
  auto subgroup = [&](AxisRefs axes, Subgroup type) {
    if (axes.empty())
      return;
    dims.push_back(atoms.take(axes));
    subgroups.push_back(type);
  };
  subgroup(named.manual, Subgroup::Manual);
  subgroup(t.unreduced, Subgroup::Unreduced);
  if (int64_t rest = atoms.takeRest(); rest > 1) {
    dims.push_back(rest);
    subgroups.push_back(Subgroup::Replicated);
  }
  IotaOrder iota(atoms.sizes, atoms.perm);
  DeviceOrder order(iota);
  if (!mesh.deviceIds().empty()) {
    llvm::SmallVector<int64_t, 0> devices(mesh.numDevices());
    for (auto [position, device] : llvm::enumerate(devices))
      device = mesh.deviceId(iota.deviceAt(position));
    order = DeviceOrder(std::move(devices));
  }
  HloSharding tiled = HloSharding::tiled(dims, std::move(order), subgroups);
  if (tiled.isTiled() && tiled.devices().size() == 1)
    return HloSharding();
  return tiled;
}

HloSharding toTiled(const HloSharding &sharding) {
  if (sharding.kind() == HloSharding::Kind::Named) {
    HloSharding tiled = toTiled(sharding.named());
    tiled.metadata = sharding.metadata;
    return tiled;
  }
  if (!sharding.isTuple())
    return sharding;
  std::vector<HloSharding> elements;
  for (const HloSharding &element : sharding.elements())
    elements.push_back(toTiled(element));
  return HloSharding::tuple(std::move(elements));
}

} // namespace shardwright
