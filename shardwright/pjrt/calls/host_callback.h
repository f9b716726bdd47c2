//===- host_callback.h - Python callbacks of programs -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_HOST_CALLBACK_H
#define SHARDWRIGHT_PJRT_CALLS_HOST_CALLBACK_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class ModuleOp;
}

namespace shardwright::pjrt {

/// The target that our lowering rules for callbacks emit; attribute `index` is
/// the number of the Python function.
constexpr llvm::StringLiteral callbackTarget("shardwright_python_callback");
/// The target of a callback that every device calls with its part of each
/// operand.
constexpr llvm::StringLiteral
    partitionedCallbackTarget("shardwright_partitioned_python_callback");

/// On global shapes: pins callbacks that are annotated to run on one device.
/// JAX calls back once with the full value, by default from device 0.
void pinCallbacks(mlir::ModuleOp module);
/// On local shapes: broadcasts the results of a pinned callback to the other
/// devices.
void shareCallbackResults(mlir::ModuleOp module, int64_t numPartitions);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_HOST_CALLBACK_H
