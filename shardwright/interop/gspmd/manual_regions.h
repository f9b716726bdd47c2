//===- manual_regions.h - shard_map as GSPMD writes it ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_MANUAL_REGIONS_H
#define SHARDWRIGHT_INTEROP_GSPMD_MANUAL_REGIONS_H

#include "shardwright/interop/gspmd/gspmd_shardings.h"

namespace shardwright {

/// Makes a sdy.manual_computation of all ops between @SPMDFullToShardShape and
/// @SPMDShardToFullShape. Calls between them (JAX's shmap_body) are inlined;
/// without a call (PyTorch/XLA) the ops are taken as they stand.
mlir::LogicalResult importManualRegions(mlir::ModuleOp module,
                                        const GspmdShardings &shardings);

/// The dimensions that `backend_config = "unspecified_dims=[0,1]"` of a
/// sharding custom call leaves to propagation. Reports anything else there.
mlir::FailureOr<llvm::SmallVector<int64_t>>
unspecifiedDims(mlir::Operation *customCall);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_MANUAL_REGIONS_H
