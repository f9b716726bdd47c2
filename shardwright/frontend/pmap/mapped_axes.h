//===- mapped_axes.h - the mapped dimensions of one call of pmap *- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_MAPPED_AXES_H
#define SHARDWRIGHT_FRONTEND_PMAP_MAPPED_AXES_H

#include "shardwright/frontend/pmap/pmap.h"

namespace shardwright::frontend {

using MappedAxis = std::optional<int64_t>;

/// What one call of a pmapped function maps.
struct MappedAxes {
  /// One for each leaf of the arguments; none is negative.
  std::vector<MappedAxis> in;
  int64_t size = 0;
  /// Leaves whose buffers may be reused.
  std::vector<int64_t> donated;
};

/// Errors of the options that need no call.
Status checkPmapOptions(const PmapOptions &options);

/// The mapped dimensions of a call. Errors: `inAxes` is no prefix of the
/// arguments; no dimension is mapped; sizes differ.
Expected<MappedAxes> mappedAxes(const PmapOptions &options,
                                const JitCore::Call &call,
                                const Tensors &leaves);

/// The devices of a mapped axis of that size.
Expected<std::vector<Device>> devicesOf(const PmapOptions &options,
                                        int64_t size);

/// The mapped dimension of each result, counted in the result with it.
Expected<std::vector<MappedAxis>>
resultAxes(const AxesTree &axes, const TreeDef &results, const Tensors &outs);

/// `P(None, 'i')` for dimension 1; P() if none is mapped. `names`: the mesh
/// axes that divide the dimension, major to minor.
PartitionSpec specOfAxis(const MappedAxis &axis, const AxisNames &names);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_MAPPED_AXES_H
