//===- region_passes.h - the region form of a program -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region form makes another compiler run our partition: the entry function
// has global types and closed shardings, and its body is one
// `sdy.manual_computation` over all axes of the mesh around the per-device
// program. The compiler's own partitioner leaves such a region as it is.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_REGION_REGION_PASSES_H
#define SHARDWRIGHT_INTEROP_REGION_REGION_PASSES_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Splits collectives of several operands into collectives of one operand, with
/// channels of their own, and renumbers channels that several collectives use.
/// XLA's partitioner rejects several operands of an
/// all_reduce in manual regions, and crashes for those of an all_gather.
/// all_gathers along dimension 0 whose results have at most `packedBytes` in
/// all gather one row instead that holds all operands.
void splitCollectives(mlir::ModuleOp module, double packedBytes = 0);

/// Protects parts taken of parts, by dynamic_slice or by a gather or scatter of
/// one index, from a wrong rewrite of XLA (guard_indices.cc): clamps the indices
/// of dynamic_slices, and puts a barrier in front of the others.
void guardIndices(mlir::ModuleOp module);

/// Converts a per-device program to the region form, indices guarded. The tensors of the entry
/// function's signature have local types, and `sdy.sharding` attributes unless
/// they are replicated. Its token arguments may only be returned, and its other
/// tokens not. A module without a mesh gets one of `mhlo.num_partitions`
/// devices. Shardings on several meshes are expressed on a common one. Emits
/// one diagnostic on failure.
mlir::LogicalResult convertToRegionForm(mlir::ModuleOp module);

/// `sw-split-collectives` and `sw-region-form`.
void registerRegionPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_REGION_REGION_PASSES_H
