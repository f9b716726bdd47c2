//===- device_groups.cc - replica groups of mesh axes ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/device_groups.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/axes_of_groups.h"
#include "shardwright/support/id_map.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"

#include <deque>
#include <mutex>
#include <vector>

using namespace mlir;

namespace shardwright::sdy {
namespace {

/// Shorter lists are not kept: they are made as fast as they are found.
constexpr int64_t kLeastDevices = 256;

/// The lists of a context. Attributes live as long as their context does, so
/// nothing is ever forgotten.
class DeviceGroupsMemory : public DialectInterface::Base<DeviceGroupsMemory> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeviceGroupsMemory)
  explicit DeviceGroupsMemory(Dialect *dialect) : Base(dialect) {}

  static const DeviceGroupsMemory *of(MLIRContext *context) {
    auto *dialect = context->getLoadedDialect<SdyDialect>();
    return dialect ? dialect->getRegisteredInterface<DeviceGroupsMemory>()
                   : nullptr;
  }

  /// `make` is called where the groups are not known.
  DenseIntElementsAttr
  groups(const Mesh &mesh, AxisRefs axes, int64_t replicas,
         llvm::function_ref<DenseIntElementsAttr()> make) const {
    std::lock_guard lock(mutex);
    for (const Made &own : made)
      if (own.replicas == replicas && AxisRefs(own.axes) == axes &&
          own.mesh == mesh)
        return own.groups;
    return made.emplace_back(mesh, AxisList(axes), replicas, make()).groups;
  }

  std::optional<AxisList>
  axes(const Mesh &mesh, DenseIntElementsAttr groups, int64_t groupSize,
       llvm::function_ref<std::optional<AxisList>()> read) const {
    std::lock_guard lock(mutex);
    for (const Read &own : known)
      if (own.groups == groups && own.groupSize == groupSize &&
          own.mesh == mesh)
        return own.axes;
    return known.emplace_back(mesh, groups, groupSize, read()).axes;
  }

  DenseIntElementsAttr
  pairs(const Mesh &fromMesh, const TensorSharding &from, const Mesh &toMesh,
        const TensorSharding &to,
        llvm::function_ref<DenseIntElementsAttr()> make) const {
    std::lock_guard lock(mutex);
    for (const Pairs &own : madePairs)
      if (own.from == from && own.to == to && own.fromMesh == fromMesh &&
          own.toMesh == toMesh)
        return own.pairs;
    return madePairs.emplace_back(fromMesh, from, toMesh, to, make()).pairs;
  }

  PermuteTraffic traffic(const Mesh &mesh, DenseIntElementsAttr pairs,
                         llvm::function_ref<PermuteTraffic()> read) const {
    std::lock_guard lock(mutex);
    for (const Traffic &own : knownTraffic)
      if (own.pairs == pairs && own.mesh == mesh)
        return own.traffic;
    return knownTraffic.emplace_back(mesh, pairs, read()).traffic;
  }

private:
  struct Pairs {
    Mesh fromMesh;
    TensorSharding from;
    Mesh toMesh;
    TensorSharding to;
    DenseIntElementsAttr pairs;
  };
  struct Traffic {
    Mesh mesh;
    DenseIntElementsAttr pairs;
    PermuteTraffic traffic;
  };
  struct Made {
    Mesh mesh;
    AxisList axes;
    int64_t replicas;
    DenseIntElementsAttr groups;
  };
  struct Read {
    Mesh mesh;
    DenseIntElementsAttr groups;
    int64_t groupSize;
    std::optional<AxisList> axes;
  };

  // Dialects hand out constant interfaces only.
  mutable std::mutex mutex;
  mutable std::deque<Made> made;
  mutable std::deque<Read> known;
  mutable std::deque<Pairs> madePairs;
  mutable std::deque<Traffic> knownTraffic;
};

} // namespace

/// Null for small meshes, and in contexts without sdy.
static const DeviceGroupsMemory *memoryFor(MLIRContext *context,
                                           const Mesh &mesh) {
  return mesh.numDevices() >= kLeastDevices ? DeviceGroupsMemory::of(context)
                                            : nullptr;
}

DenseIntElementsAttr deviceGroupsAttr(MLIRContext *context, const Mesh &mesh,
                                      AxisRefs axes, int64_t replicas) {
  auto make = [&] {
    DeviceGroups groups = deviceGroups(mesh, axes);
    int64_t partitions = int64_t(groups.ids.size());
    for (int64_t r = 1; r < replicas; ++r)
      for (int64_t i = 0; i < partitions; ++i)
        groups.ids.push_back(r * partitions + groups.ids[i]);
    auto type = RankedTensorType::get(
        {int64_t(groups.ids.size()) / groups.groupSize, groups.groupSize},
        IntegerType::get(context, 64));
    return DenseIntElementsAttr::get(type, ArrayRef<int64_t>(groups.ids));
  };
  const DeviceGroupsMemory *memory = memoryFor(context, mesh);
  return memory ? memory->groups(mesh, axes, replicas, make) : make();
}

std::optional<AxisList> axesOfGroupsAttr(const Mesh &mesh,
                                         DenseIntElementsAttr groups,
                                         int64_t groupSize) {
  if (groups.getNumElements() != mesh.numDevices())
    return std::nullopt;
  auto read = [&] {
    SmallVector<int64_t> ids(groups.getValues<int64_t>());
    return axesOfGroups(mesh, ids, groupSize);
  };
  const DeviceGroupsMemory *memory =
      mesh.numDevices() >= kLeastDevices
          ? DeviceGroupsMemory::of(groups.getContext())
          : nullptr;
  return memory ? memory->axes(mesh, groups, groupSize, read) : read();
}

DenseIntElementsAttr
permutePairsAttr(MLIRContext *context, const Mesh &fromMesh,
                 const TensorSharding &from, const Mesh &toMesh,
                 const TensorSharding &to,
                 llvm::function_ref<SmallVector<int64_t>()> make) {
  auto makeAttr = [&]() -> DenseIntElementsAttr {
    SmallVector<int64_t> pairs = make();
    if (pairs.empty())
      return nullptr;
    auto type = RankedTensorType::get({int64_t(pairs.size()) / 2, 2},
                                      IntegerType::get(context, 64));
    return DenseIntElementsAttr::get(type, ArrayRef<int64_t>(pairs));
  };
  const DeviceGroupsMemory *memory = memoryFor(context, fromMesh);
  return memory ? memory->pairs(fromMesh, from, toMesh, to, makeAttr)
                : makeAttr();
}

PermuteTraffic readPermutePairs(const Mesh &mesh, DenseIntElementsAttr pairs) {
  auto read = [&] {
    PermuteTraffic traffic;
    traffic.crosses.assign(mesh.numAxes(), false);
    SmallVector<int64_t> ids(pairs.getValues<int64_t>());
    // Sources outside of the mesh, and those in it.
    IdSet unknown;
    std::vector<bool> sends(mesh.numDevices());
    auto isKnown = [&](int64_t id) {
      return id >= 0 && id < mesh.numDevices() && mesh.linearIndex(id) >= 0;
    };
    for (size_t i = 0; i + 1 < ids.size(); i += 2) {
      int64_t from = ids[i], to = ids[i + 1];
      if (from == to)
        continue;
      if (!isKnown(from))
        unknown.insert(from);
      else
        sends[from] = true;
      if (!isKnown(from) || !isKnown(to)) {
        traffic.crosses.assign(mesh.numAxes(), true);
        continue;
      }
      int64_t here = mesh.linearIndex(from), there = mesh.linearIndex(to);
      for (int32_t a = 0; a < mesh.numAxes(); ++a)
        if (!traffic.crosses[a])
          traffic.crosses[a] = mesh.coordinate(here, mesh.fullAxis(a)) !=
                               mesh.coordinate(there, mesh.fullAxis(a));
    }
    traffic.senders = int64_t(unknown.size()) + llvm::count(sends, true);
    return traffic;
  };
  const DeviceGroupsMemory *memory = memoryFor(pairs.getContext(), mesh);
  return memory ? memory->traffic(mesh, pairs, read) : read();
}

void addDeviceGroupsMemory(Dialect &dialect) {
  dialect.addInterfaces<DeviceGroupsMemory>();
}

} // namespace shardwright::sdy
