//===- gather_params.h - parameters of gather and scatter ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_GATHER_PARAMS_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_GATHER_PARAMS_H

#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {

/// The dimension numbers and the mode of a gather or scatter.
GatherDims gatherDimsOf(const Params &params);
GatherMode gatherModeOf(const Params &params);
Param gatherDimsParam(const GatherDims &dims, bool isScatter);
Param gatherModeParam(GatherMode mode);

/// Parameters of a gather. `fill`: what FillOrDrop gives out of bounds; none: a
/// value that depends on the type.
Params gatherParams(const GatherDims &dims, const Ints &sliceSizes,
                    GatherMode mode, DType type, bool sorted = false,
                    bool unique = false, std::optional<Param> fill = {});
/// Parameters of a scatter into an array of elements of type `type`.
Params scatterParams(lax::ScatterKind kind, DType type, const GatherDims &dims,
                     GatherMode mode, bool sorted = false, bool unique = false);
/// The starts of a dynamic slice as index vectors, and their batch dimension:
/// 0, or -1 if none of them is batched.
std::pair<Tensor, int64_t> batchedStarts(const Tensors &starts,
                                         const Ints &dims);
/// Dimension numbers by which gather and scatter act as a dynamic slice.
GatherDims windowDims(int64_t rank);
/// An error unless the dimension numbers name dimensions that there are, each
/// once. `rank`: of the operand; `updates`: of the result of a gather or the
/// updates of a scatter.
Status checkGatherDims(const std::string &name, const GatherDims &dims,
                       int64_t rank, int64_t indices, int64_t updates);

/// `[0, 1]`.
std::string bracketList(const Ints &values);
/// Whether each index vector is in bounds, of shape indices.shape[:-1].
/// `window`: the size of what is read or written in each dimension.
Tensor indicesInBounds(const Tensor &indices, const Shape &operand,
                       const Ints &window, const GatherDims &d);

/// The spec of a gather's result, of rank `rank`; none if the operand or the
/// indices would have to move. `window`: the sizes of the slices.
std::optional<PartitionSpec> gatherSpec(const Aval &operand,
                                        const Aval &indices,
                                        const GatherDims &d, const Ints &window,
                                        int64_t rank);
/// `ShapedArray(float32[4@x,4])`, as messages print operands.
std::string shapedArray(const Aval &aval);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_GATHER_PARAMS_H
