//===- mesh_users.cc - collectives with groups by mesh axes ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO collectives may give their groups by a mesh and axes instead of a
// device list. The mesh is a symbol of an sdy.mesh or an inline attribute of
// StableHLO.
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/mesh_users.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace shardwright;

stablehlo::MeshAttr shardwright::toStablehloMesh(sdy::MeshAttr mesh) {
  MLIRContext *context = mesh.getContext();
  SmallVector<stablehlo::MeshAxisAttr> axes;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    axes.push_back(
        stablehlo::MeshAxisAttr::get(context, axis.getName(), axis.getSize()));
  DenseIntElementsAttr ids;
  if (ArrayRef<int64_t> list = mesh.getDeviceIds(); !list.empty())
    ids = DenseIntElementsAttr::get(
        RankedTensorType::get(int64_t(list.size()),
                              IntegerType::get(context, 64)),
        list);
  return stablehlo::MeshAttr::get(context, axes, ids);
}

/// The equivalent sdy mesh; null if it would be invalid.
static sdy::MeshAttr toSdyMesh(stablehlo::MeshAttr mesh) {
  MLIRContext *context = mesh.getContext();
  auto quiet = [] { return InFlightDiagnostic(); };
  SmallVector<sdy::MeshAxisAttr> axes;
  for (stablehlo::MeshAxisAttr axis : mesh.getAxes()) {
    if (failed(
            sdy::MeshAxisAttr::verify(quiet, axis.getName(), axis.getSize())))
      return nullptr;
    axes.push_back(
        sdy::MeshAxisAttr::get(context, axis.getName(), axis.getSize()));
  }
  SmallVector<int64_t> ids;
  if (DenseIntElementsAttr list = mesh.getDeviceIds()) {
    // A splat can have more ids than memory holds.
    if (failed(sdy::MeshAttr::verify(quiet, axes, {})) ||
        list.getNumElements() >
            sdy::MeshAttr::get(context, axes).getTotalSize())
      return nullptr;
    for (const APInt &id : list)
      ids.push_back(id.getSExtValue());
  }
  // Omit the default order.
  if (!axes.empty() && llvm::equal(ids, llvm::seq<int64_t>(0, ids.size())))
    ids.clear();
  if (failed(sdy::MeshAttr::verify(quiet, axes, ids)))
    return nullptr;
  return sdy::MeshAttr::get(context, axes, ids);
}

namespace {

template <typename OpTy>
struct GroupsModel
    : MeshUserOpInterface::ExternalModel<GroupsModel<OpTy>, OpTy> {
  static stablehlo::ReplicaGroupMeshAxesAttr groupsOf(Operation *op) {
    return op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>(
        "replica_groups");
  }
  /// Null for an invalid mesh, which stays unchanged.
  Attribute getUsedMesh(Operation *op) const {
    stablehlo::ReplicaGroupMeshAxesAttr groups = groupsOf(op);
    if (!groups)
      return nullptr;
    if (auto mesh = dyn_cast<stablehlo::MeshAttr>(groups.getMesh()))
      return toSdyMesh(mesh);
    return groups.getMesh();
  }
  void setUsedMesh(Operation *op, Attribute meshOrRef) const {
    if (auto mesh = dyn_cast<sdy::MeshAttr>(meshOrRef))
      meshOrRef = toStablehloMesh(mesh);
    op->setAttr("replica_groups",
                stablehlo::ReplicaGroupMeshAxesAttr::get(
                    op->getContext(), meshOrRef, groupsOf(op).getAxes()));
  }
};

template <typename... Ops> void attachAll(MLIRContext &context) {
  (Ops::template attachInterface<GroupsModel<Ops>>(context), ...);
}

} // namespace

void shardwright::attachMeshUsers(MLIRContext &context) {
  using namespace stablehlo;
  attachAll<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
            CollectiveReduceOp, ReduceScatterOp>(context);
}
