//===- single_device.h - ops on a single device -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sharding on a mesh without axes and with one device id (a "maximal" mesh)
// means that only this device has the value. Before and after such an op,
// values are replicated on the global mesh: the first mesh of the module with
// axes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_SINGLE_DEVICE_H
#define SHARDWRIGHT_PARTITION_SHARDY_SINGLE_DEVICE_H

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace shardwright {

/// True if the sharding (null: none) is on a maximal mesh.
bool isOnSingleDevice(mlir::ModuleOp module, sdy::TensorShardingAttr sharding);

/// The first mesh of the module with axes, null if it has none.
sdy::MeshOp getGlobalMesh(mlir::ModuleOp module);

/// True if the module has a maximal mesh.
bool hasSingleDeviceMesh(mlir::ModuleOp module);

/// True if a result of the op is on a maximal mesh.
bool hasSingleDeviceResult(mlir::ModuleOp module, mlir::Operation *op);

/// For an op with single-device results: reshards its operands to replicated
/// and then to that device, and its results to replicated and then to their own
/// shardings. Does nothing without a global mesh. Fails with a diagnostic if
/// results are on different devices.
llvm::LogicalResult reshardForSingleDevice(mlir::ModuleOp module,
                                           mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_SINGLE_DEVICE_H
