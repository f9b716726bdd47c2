//===- conversion.cc - sdy attributes and mesh values -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"

using namespace mlir;

namespace shardwright::sdy {

Mesh meshFromAttr(MeshAttr attr) {
  SmallVector<MeshAxis, 4> axes;
  for (MeshAxisAttr axis : attr.getAxes())
    axes.push_back({axis.getName().str(), axis.getSize()});
  return Mesh(std::move(axes), SmallVector<int64_t, 0>(attr.getDeviceIds()));
}

MeshAttr meshToAttr(MLIRContext *context, const Mesh &mesh) {
  SmallVector<MeshAxisAttr> axes;
  for (const MeshAxis &axis : mesh.axes())
    axes.push_back(MeshAxisAttr::get(context, axis.name, axis.size));
  return MeshAttr::get(context, axes, mesh.deviceIds());
}

std::optional<AxisRef> axisFromAttr(AxisRefAttr attr, const Mesh &mesh) {
  std::optional<int32_t> axis = mesh.find(attr.getName());
  if (!axis)
    return std::nullopt;
  if (SubAxisInfoAttr sub = attr.getSubAxisInfo())
    return AxisRef{*axis, sub.getPreSize(), sub.getSize()};
  return mesh.fullAxis(*axis);
}

AxisRefAttr axisToAttr(MLIRContext *context, AxisRef axis, const Mesh &mesh) {
  StringRef name = mesh.axisName(axis.axis);
  if (mesh.isFull(axis))
    return AxisRefAttr::get(context, name);
  return AxisRefAttr::get(context, name, axis.preSize, axis.size);
}

AxisList axesFromAttr(ArrayRef<AxisRefAttr> attrs, const Mesh &mesh) {
  AxisList axes;
  for (AxisRefAttr attr : attrs)
    if (std::optional<AxisRef> axis = axisFromAttr(attr, mesh))
      axes.push_back(*axis);
  return axes;
}

SmallVector<AxisRefAttr> axesToAttr(MLIRContext *context, AxisRefs axes,
                                    const Mesh &mesh) {
  return llvm::map_to_vector(
      axes, [&](AxisRef axis) { return axisToAttr(context, axis, mesh); });
}

DimSharding dimFromAttr(DimensionShardingAttr attr, const Mesh &mesh) {
  return {axesFromAttr(attr.getAxes(), mesh), attr.getIsClosed(),
          attr.getPriority()};
}

DimensionShardingAttr dimToAttr(MLIRContext *context, const DimSharding &dim,
                                const Mesh &mesh) {
  return DimensionShardingAttr::get(
      context, axesToAttr(context, dim.axes, mesh), dim.isClosed, dim.priority);
}

ReductionKind kindFromAttr(ReductionOp kind) {
  switch (kind) {
  case ReductionOp::SUM:
    return ReductionKind::Sum;
  case ReductionOp::MAX:
    return ReductionKind::Max;
  case ReductionOp::MIN:
    return ReductionKind::Min;
  }
  return ReductionKind::Sum;
}

ReductionOp kindToAttr(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return ReductionOp::SUM;
  case ReductionKind::Max:
    return ReductionOp::MAX;
  case ReductionKind::Min:
    return ReductionOp::MIN;
  }
  return ReductionOp::SUM;
}

TensorSharding shardingFromAttr(TensorShardingAttr attr, const Mesh &mesh) {
  TensorSharding sharding;
  for (DimensionShardingAttr dim : attr.getDimShardings())
    sharding.dims.push_back(dimFromAttr(dim, mesh));
  sharding.replicated = axesFromAttr(attr.getReplicatedAxes(), mesh);
  sharding.unreduced =
      UnreducedAxes::of(axesFromAttr(attr.getUnreducedAxes(), mesh),
                        kindFromAttr(attr.getReductionOp()));
  return sharding;
}

TensorShardingAttr shardingToAttr(MLIRContext *context,
                                  const TensorSharding &sharding,
                                  const Mesh &mesh, Attribute meshOrRef) {
  SmallVector<DimensionShardingAttr> dims;
  for (const DimSharding &dim : sharding.dims)
    dims.push_back(dimToAttr(context, dim, mesh));
  ReductionKind kind =
      sharding.unreduced.empty() ? ReductionKind::Sum : sharding.unreduced.kind;
  return TensorShardingAttr::get(
      context, meshOrRef, dims, axesToAttr(context, sharding.replicated, mesh),
      axesToAttr(context, sharding.unreduced, mesh), kindToAttr(kind));
}

AxisRefListAttr axisListToAttr(MLIRContext *context, AxisRefs axes,
                               const Mesh &mesh) {
  return AxisRefListAttr::get(context, axesToAttr(context, axes, mesh));
}

ListOfAxisRefListsAttr axisListsToAttr(MLIRContext *context,
                                       ArrayRef<AxisList> lists,
                                       const Mesh &mesh) {
  SmallVector<AxisRefListAttr> attrs;
  for (const AxisList &list : lists)
    attrs.push_back(axisListToAttr(context, list, mesh));
  return ListOfAxisRefListsAttr::get(context, attrs);
}

} // namespace shardwright::sdy
