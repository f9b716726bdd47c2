//===- manual_regions.h - import GSPMD's form of shard_map ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_MANUAL_REGIONS_H
#define SHARDWRIGHT_INTEROP_GSPMD_MANUAL_REGIONS_H

#include "shardwright/interop/gspmd/gspmd_shardings.h"

namespace shardwright {

/// Creates an sdy.manual_computation for all ops between @SPMDFullToShardShape
/// and @SPMDShardToFullShape. Inlines calls between them (JAX's shmap_body);
/// without a call (PyTorch/XLA), takes the ops themselves.
mlir::LogicalResult importManualRegions(mlir::ModuleOp module,
                                        const GspmdShardings &shardings);

/// The dimensions that `backend_config = "unspecified_dims=[0,1]"` of a
/// sharding custom call leaves to propagation. Emits an error for any other
/// configuration.
mlir::FailureOr<llvm::SmallVector<int64_t>>
unspecifiedDims(mlir::Operation *customCall);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_MANUAL_REGIONS_H
