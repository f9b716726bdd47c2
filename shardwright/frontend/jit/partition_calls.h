//===- partition_calls.h - expansion of calls that users partition --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_PARTITION_CALLS_H
#define SHARDWRIGHT_FRONTEND_JIT_PARTITION_CALLS_H

#include "shardwright/frontend/jit/host_calls.h"

namespace shardwright::frontend {

/// In a propagated module: asks the user's functions how each device computes
/// their calls (callbacks/custom_partitioner.h), and replaces these by manual
/// computations; tells others the shardings of values
/// (callbacks/sharding_inspector.h). `devices`: of the program, by position.
/// `known`: meshes of the user. `objects`: these functions, by the numbers of
/// their calls. `hostCalls` gets the functions of the host that the parts call.
/// Inlines functions, if there is such a call. Emits one diagnostic on failure.
mlir::LogicalResult expandPartitionedCalls(
    mlir::ModuleOp module, const std::vector<Device> &devices,
    const std::vector<Mesh> &known,
    const std::vector<std::shared_ptr<const ParamObject>> &objects,
    HostCalls &hostCalls);

/// Before propagation: sets the shardings of the results of such calls without
/// a sharding rule as the user's functions say that propagate shardings
/// (compile/propagate_calls.h). Emits one diagnostic on failure.
mlir::LogicalResult propagatePartitionedCalls(
    mlir::ModuleOp module, const std::vector<Device> &devices,
    const std::vector<Mesh> &known,
    const std::vector<std::shared_ptr<const ParamObject>> &objects);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_PARTITION_CALLS_H
