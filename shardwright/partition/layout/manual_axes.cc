//===- manual_axes.cc - axes of enclosing manual computations -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/manual_axes.h"

#include "shardwright/dialect/sdy/sdy.h"

using namespace mlir;

namespace shardwright {

AxisList manualAxesAround(Operation *op, const Mesh &mesh) {
  AxisList axes;
  for (auto manual = op->getParentOfType<sdy::ManualComputationOp>(); manual;
       manual = manual->getParentOfType<sdy::ManualComputationOp>())
    for (StringAttr name : manual.getManualAxes())
      if (auto axis = mesh.find(name.getValue()))
        axes.push_back(mesh.fullAxis(*axis));
  return axes;
}

TensorSharding withManualAxes(TensorSharding sharding, AxisRefs axes) {
  DimSharding dim;
  dim.axes.assign(axes.begin(), axes.end());
  dim.isClosed = true;
  sharding.dims.insert(sharding.dims.begin(), std::move(dim));
  return sharding;
}

} // namespace shardwright
