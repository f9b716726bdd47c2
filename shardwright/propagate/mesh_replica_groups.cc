//===- mesh_replica_groups.cc - replica groups named by mesh axes ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/mesh_replica_groups.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace shardwright {

void transformReplicaGroupMeshes(
    ModuleOp module, llvm::function_ref<Attribute(Attribute)> transform) {
  module.walk([&](Operation *op) {
    if (!isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp,
             stablehlo::ReduceScatterOp, stablehlo::AllToAllOp,
             stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(
            op))
      return;
    auto groups = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>(
        "replica_groups");
    if (!groups)
      return;
    Attribute mesh = transform(groups.getMesh());
    if (mesh != groups.getMesh())
      op->setAttr("replica_groups",
                  stablehlo::ReplicaGroupMeshAxesAttr::get(
                      op->getContext(), mesh, groups.getAxes()));
  });
}

stablehlo::MeshAttr toStablehloMesh(sdy::MeshAttr mesh) {
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

sdy::MeshAttr toSdyMesh(stablehlo::MeshAttr mesh) {
  MLIRContext *context = mesh.getContext();
  // An invalid mesh stays where it is.
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
  if (DenseIntElementsAttr list = mesh.getDeviceIds())
    for (const APInt &id : list)
      ids.push_back(id.getSExtValue());
  // The usual order is not written.
  if (!axes.empty() && llvm::equal(ids, llvm::seq<int64_t>(0, ids.size())))
    ids.clear();
  if (failed(sdy::MeshAttr::verify(quiet, axes, ids)))
    return nullptr;
  return sdy::MeshAttr::get(context, axes, ids);
}

} // namespace shardwright
