//===- unreduced_transition.cc - where unreduced axes may change ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/unreduced_transition.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright::sdy {

/// The mesh of all shardings that are not null; null if they differ.
static MeshAttr
commonMesh(Operation *op,
           std::initializer_list<ArrayRef<TensorShardingAttr>> lists) {
  MeshAttr common;
  for (ArrayRef<TensorShardingAttr> list : lists)
    for (TensorShardingAttr sharding : list)
      if (sharding) {
        MeshAttr mesh = getMeshAttr(op, sharding);
        if (!mesh || (common && mesh != common))
          return nullptr;
        common = mesh;
      }
  return common;
}

static AxisList unreducedAxes(ArrayRef<TensorShardingAttr> shardings,
                              const Mesh &mesh) {
  AxisList axes;
  for (TensorShardingAttr sharding : shardings)
    if (sharding)
      axes.append(axesFromAttr(sharding.getUnreducedAxes(), mesh));
  return axes;
}

/// The first sharding that is unreduced along one of `axes`, with a kind that
/// is not allowed; null if there is none.
static TensorShardingAttr findForbidden(ArrayRef<TensorShardingAttr> shardings,
                                        AxisRefs axes, AllowedKinds allowed,
                                        const Mesh &mesh) {
  for (TensorShardingAttr sharding : shardings)
    if (sharding && !allowed.contains(sharding.getReductionOp()) &&
        llvm::any_of(axesFromAttr(sharding.getUnreducedAxes(), mesh),
                     [&](AxisRef axis) { return overlaps(axis, axes); }))
      return sharding;
  return {};
}

LogicalResult verifyUnreducedTransition(Operation *op,
                                        ArrayRef<TensorShardingAttr> sources,
                                        ArrayRef<TensorShardingAttr> targets,
                                        AllowedKinds introduced,
                                        AllowedKinds removed) {
  MeshAttr meshAttr = commonMesh(op, {sources, targets});
  if (!meshAttr)
    return success();
  Mesh mesh = meshFromAttr(meshAttr);
  AxisList before = unreducedAxes(sources, mesh),
           after = unreducedAxes(targets, mesh);
  if (AxisList axes = withoutAxes(after, before); !axes.empty()) {
    if (introduced.isNone())
      return op->emitOpError("cannot add new unreduced axis '")
             << mesh.axisName(axes[0].axis) << "'.";
    if (auto wrong = findForbidden(targets, axes, introduced, mesh))
      return op->emitOpError("cannot introduce '")
             << stringifyReductionOp(wrong.getReductionOp())
             << "' unreduced axes. Expected '"
             << stringifyReductionOp(introduced.expected()) << "'.";
  }
  if (AxisList axes = withoutAxes(before, after); !axes.empty()) {
    if (removed.isNone())
      return op->emitOpError("dropped unreduced axis '")
             << mesh.axisName(axes[0].axis)
             << "' without a blessed operation (e.g., sdy.reshard). This is an "
                "invalid transition from unreduced to reduced.";
    if (auto wrong = findForbidden(sources, axes, removed, mesh))
      return op->emitOpError("cannot reduce '")
             << stringifyReductionOp(wrong.getReductionOp())
             << "' unreduced axes. Expected '"
             << stringifyReductionOp(removed.expected()) << "'.";
  }
  for (TensorShardingAttr target : targets)
    for (TensorShardingAttr source : sources)
      if (changesKind(op, source, target))
        return op->emitOpError("cannot change the reduction operator of kept "
                               "unreduced axes from ")
               << stringifyReductionOp(source.getReductionOp()) << " to "
               << stringifyReductionOp(target.getReductionOp()) << ".";
  return success();
}

bool changesKind(Operation *op, TensorShardingAttr source,
                 TensorShardingAttr target) {
  if (!source || !target || source.getReductionOp() == target.getReductionOp())
    return false;
  MeshAttr meshAttr = commonMesh(op, {source, target});
  if (!meshAttr)
    return false;
  Mesh mesh = meshFromAttr(meshAttr);
  return !commonAxes(axesFromAttr(source.getUnreducedAxes(), mesh),
                     axesFromAttr(target.getUnreducedAxes(), mesh))
              .empty();
}

} // namespace shardwright::sdy
