//===- mesh_axes_groups.cc - replica groups given by mesh axes ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/mesh_axes_groups.h"

#include "shardwright/backend/device.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/interop/import_module.h"

#include "llvm/ADT/DenseMap.h"

#include <tuple>

using namespace mlir;
using namespace shardwright;

/// Reads the mesh of axis-based groups: an attribute, or a symbol.
static FailureOr<Mesh> readMesh(Operation *op, Attribute attr,
                                SymbolTableCollection &symbols) {
  auto tooLarge = [&] {
    return op->emitError() << "replica groups name a mesh of more than "
                           << kMaxDevices << " devices";
  };
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attr)) {
    auto mesh = symbols.lookupNearestSymbolFrom<sdy::MeshOp>(op, symbol);
    if (!mesh)
      return op->emitError() << "replica groups name mesh " << symbol
                             << ", which is not in the module";
    Mesh read = sdy::meshFromAttr(mesh.getMesh());
    if (read.numDevices() > kMaxDevices)
      return tooLarge();
    return read;
  }
  auto mesh = cast<stablehlo::MeshAttr>(attr);
  llvm::SmallVector<MeshAxis, 4> axes;
  for (stablehlo::MeshAxisAttr axis : mesh.getAxes()) {
    if (axis.getSize() < 1)
      return op->emitError()
             << "replica groups name a mesh whose axis '" << axis.getName()
             << "' has size " << axis.getSize();
    axes.push_back({axis.getName().str(), axis.getSize()});
  }
  llvm::SmallVector<int64_t, 0> ids;
  if (Mesh::numDevicesOverflows(axes) || Mesh(axes).numDevices() > kMaxDevices)
    return tooLarge();
  int64_t devices = Mesh(axes).numDevices();
  if (DenseIntElementsAttr list = mesh.getDeviceIds()) {
    // A splat of ids can be huge at no cost, so check the length first.
    if (list.getNumElements() > kMaxDevices)
      return op->emitError()
             << "device ids repeat one id " << list.getNumElements()
             << " times, at most " << kMaxDevices << " devices are possible";
    for (const APInt &id : list)
      ids.push_back(id.getSExtValue());
  }
  std::vector<bool> seen(devices, false);
  bool good = ids.empty() || int64_t(ids.size()) == devices;
  for (int64_t id : ids) {
    good = good && id >= 0 && id < devices && !seen[id];
    if (good)
      seen[id] = true;
  }
  if (!good)
    return op->emitError("replica groups name a mesh whose device ids do not "
                         "fit its axes");
  return Mesh(axes, ids);
}

FailureOr<DeviceGroups>
shardwright::readMeshAxesGroups(Operation *op,
                                stablehlo::ReplicaGroupMeshAxesAttr groups,
                                SymbolTableCollection &symbols) {
  FailureOr<Mesh> mesh = readMesh(op, groups.getMesh(), symbols);
  if (failed(mesh))
    return failure();
  AxisList axes;
  for (stablehlo::AxisRefAttr ref : groups.getAxes()) {
    std::optional<int32_t> axis = mesh->find(ref.getName());
    if (!axis)
      return op->emitError() << "replica groups name axis '" << ref.getName()
                             << "', which the mesh does not have";
    AxisRef whole = mesh->fullAxis(*axis);
    if (stablehlo::SubAxisInfoAttr sub = ref.getSubAxisInfo()) {
      int64_t before = sub.getPreSize(), size = sub.getSize();
      if (before < 1 || size < 1 || whole.size % before != 0 ||
          whole.size / before % size != 0)
        return op->emitError()
               << "replica groups cut axis '" << ref.getName() << "' of size "
               << whole.size << " at (" << before << ')' << size;
      whole.preSize = before;
      whole.size = size;
    }
    for (AxisRef other : axes)
      if (overlaps(other, whole) || !canCoexist(other, whole))
        return op->emitError() << "replica groups name parts of axis '"
                               << ref.getName() << "' that share devices";
    axes.push_back(whole);
  }
  return deviceGroups(*mesh, axes);
}

/// The groups, repeated for the devices of further replicas.
static DenseIntElementsAttr toDense(MLIRContext *context, DeviceGroups groups,
                                    int64_t numReplicas) {
  int64_t devices = groups.ids.size();
  for (int64_t i = devices; i < devices * numReplicas; ++i)
    groups.ids.push_back(groups.ids[i - devices] + devices);
  return DenseIntElementsAttr::get(
      RankedTensorType::get({groups.numGroups * numReplicas, groups.groupSize},
                            IntegerType::get(context, 64)),
      ArrayRef<int64_t>(groups.ids));
}

LogicalResult shardwright::expandMeshAxesGroups(ModuleOp module,
                                                int64_t devices) {
  SymbolTableCollection symbols;
  std::optional<int64_t> total;
  int64_t replicas = countReplicas(module);
  // The key includes the module, because that defines the meshes' names.
  llvm::DenseMap<std::tuple<Attribute, Operation *, int>, Attribute> expanded;
  WalkResult walked = module.walk([&](Operation *op) {
    auto groups = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>(
        "replica_groups");
    if (!groups || !isa<stablehlo::StablehloDialect>(op->getDialect()))
      return WalkResult::advance();
    bool isGlobal = replicas > 1 && op->hasAttr("use_global_device_ids");
    Attribute &dense =
        expanded[{groups, op->getParentOfType<ModuleOp>(), int(isGlobal)}];
    if (!dense) {
      FailureOr<DeviceGroups> read = readMeshAxesGroups(op, groups, symbols);
      if (failed(read))
        return WalkResult::interrupt();
      if (isGlobal && !total) {
        FailureOr<int64_t> counted = countDevices(module, devices);
        if (failed(counted))
          return WalkResult::interrupt();
        total = *counted;
      }
      bool isRepeated =
          isGlobal && int64_t(read->ids.size()) * replicas == *total;
      dense = toDense(module.getContext(), std::move(*read),
                      isRepeated ? replicas : 1);
    }
    op->setAttr("replica_groups", dense);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
