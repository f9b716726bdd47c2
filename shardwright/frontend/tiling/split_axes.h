//===- split_axes.h - dimensions of tiles -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TILING_SPLIT_AXES_H
#define SHARDWRIGHT_FRONTEND_TILING_SPLIT_AXES_H

#include "shardwright/frontend/array/tensor.h"
#include "shardwright/frontend/pmap/sharding_spec.h"

namespace shardwright::frontend {

/// The value with a leading dimension for each of `axes` that divides it, in
/// their order. The mapping must fit the value; other axes in it stay parts of
/// their dimensions.
Tensor splitAxes(const Tensor &x, const ArrayMapping &mapping,
                 const AbstractMesh &mesh, const AxisNames &axes);
/// The inverse.
Tensor joinAxes(const Tensor &x, const ArrayMapping &mapping,
                const AbstractMesh &mesh, const AxisNames &axes);
/// The spec without axes that are not in `axes`.
PartitionSpec keepAxes(const PartitionSpec &spec, const AxisNames &axes);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TILING_SPLIT_AXES_H
