//===- annotation.cc - shardings that users can write ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/annotation.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

TensorSharding withAxis(TensorSharding sharding, int32_t dim, AxisRef axis) {
  sharding.replicated.clear();
  for (DimSharding &d : sharding.dims) {
    d.isClosed = true;
    d.priority.reset();
    llvm::erase_if(d.axes, [&](AxisRef x) { return overlaps(x, axis); });
  }
  // Merge consecutive sub-axes of one axis.
  AxisList &axes = sharding.dims[dim].axes;
  if (!axes.empty() && axes.back().axis == axis.axis &&
      axes.back().nextPreSize() == axis.preSize)
    axes.back().size *= axis.size;
  else
    axes.push_back(axis);
  return sharding;
}

std::string partitionSpec(const TensorSharding &sharding, const Mesh &mesh) {
  std::string spec = "P(";
  for (auto [i, dim] : llvm::enumerate(sharding.dims)) {
    spec += i ? ", " : "";
    if (dim.axes.empty()) {
      spec += "None";
      continue;
    }
    std::string list;
    for (AxisRef axis : dim.axes) {
      if (!mesh.isFull(axis))
        return "";
      list += (list.empty() ? "" : ", ") +
              ("\"" + mesh.axisName(axis.axis).str() + "\"");
    }
    spec += dim.axes.size() > 1 ? "(" + list + ")" : list;
  }
  return spec + ")";
}

std::string annotatedText(const Annotation &annotation, const UserValues &user,
                          StringRef mainName) {
  if (annotation.value < 0)
    return user.resultName(annotation.mainResult);
  const UserValue &value = user.all()[annotation.value];
  if (value.argument >= 0)
    return "argument " + value.shortName();
  if (value.function != mainName)
    return "value @" + value.function + ":" + value.name;
  return "value " + value.name;
}

bool annotate(ModuleOp imported, const UserValues &user, const Mesh &mesh,
              const Annotation &annotation) {
  Attribute meshRef;
  for (sdy::MeshOp op : imported.getOps<sdy::MeshOp>())
    if (sdy::meshFromAttr(op.getMesh()) == mesh)
      meshRef = FlatSymbolRefAttr::get(op.getSymNameAttr());
  if (!meshRef)
    return false;
  sdy::TensorShardingAttr attr = sdy::shardingToAttr(
      imported.getContext(), annotation.sharding, mesh, meshRef);
  if (annotation.mainResult >= 0) {
    sdy::setFuncResultSharding(sdy::getMainFunc(imported),
                               annotation.mainResult, attr);
    return true;
  }
  SmallVector<Value, 1> values = user.findIn(imported)[annotation.value];
  if (values.empty())
    return false;
  for (Value value : values) {
    if (user.all()[annotation.value].argument >= 0) {
      sdy::setSharding(value, attr);
      continue;
    }
    if (auto constraint = value.getDefiningOp<sdy::ShardingConstraintOp>()) {
      constraint.setShardingAttr(attr);
      continue;
    }
    OpBuilder builder(imported.getContext());
    builder.setInsertionPointAfterValue(value);
    auto constraint = sdy::ShardingConstraintOp::create(
        builder, value.getLoc(), value.getType(), value, attr);
    value.replaceAllUsesExcept(constraint.getResult(), constraint);
  }
  return true;
}

} // namespace shardwright
