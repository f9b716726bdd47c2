//===- manual_axes.h - axes of manual computations --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_MANUAL_AXES_H
#define SHARDWRIGHT_PARTITION_LAYOUT_MANUAL_AXES_H

#include "shardwright/mesh/sharding.h"

#include "mlir/IR/Operation.h"

namespace shardwright {

/// The axes of `mesh` along which enclosing manual computations of `op` hold
/// different values on each device, although their shardings do not name them.
AxisList manualAxesAround(mlir::Operation *op, const Mesh &mesh);

/// The sharding with a new leading dimension sharded along these axes, so that
/// a plan for it moves nothing along them.
TensorSharding withManualAxes(TensorSharding sharding, AxisRefs axes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_MANUAL_AXES_H
