//===- host_callback.h - Python functions that programs call ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_HOST_CALLBACK_H
#define SHARDWRIGHT_PJRT_CALLS_HOST_CALLBACK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir {
class ModuleOp;
}

namespace shardwright::pjrt {

/// What our lowering rules for callbacks emit; attribute `index` is the number
/// of the Python function.
constexpr llvm::StringLiteral callbackTarget("shardwright_python_callback");
/// The same, called by every device with its part of each operand.
constexpr llvm::StringLiteral
    partitionedCallbackTarget("shardwright_partitioned_python_callback");
/// Attribute: the one partition that calls.
constexpr llvm::StringLiteral callbackDevice("device");

/// On global shapes: calls that are annotated to run on one device do so. JAX
/// calls back once for the whole value, from device 0 unless it is told else.
llvm::LogicalResult pinCallbacks(mlir::ModuleOp module);
/// On local shapes: the others get the results of the device that calls.
void shareCallbackResults(mlir::ModuleOp module, int64_t numPartitions);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_HOST_CALLBACK_H
