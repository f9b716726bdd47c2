//===- device_groups.cc - replica groups of mesh axes ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/device_groups.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/axes_of_groups.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"

#include <deque>
#include <mutex>

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

private:
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
};

} // namespace

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
  const DeviceGroupsMemory *memory = mesh.numDevices() >= kLeastDevices
                                         ? DeviceGroupsMemory::of(context)
                                         : nullptr;
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

void addDeviceGroupsMemory(Dialect &dialect) {
  dialect.addInterfaces<DeviceGroupsMemory>();
}

} // namespace shardwright::sdy
