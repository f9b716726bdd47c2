//===- host_callbacks.h - calls of host functions and their tokens --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends call functions of the host by a custom call, with the full value
// on one device, or in a manual computation on each device. These functions
// prepare such a module for `compile`, and its per-device program for code
// generation.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_HOST_CALLBACKS_H
#define SHARDWRIGHT_COMPILE_HOST_CALLBACKS_H

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace shardwright {

/// Attribute in the call's configuration: the only partition that calls.
constexpr llvm::StringLiteral callbackDevice("device");

/// On global shapes: removes the shardings of calls of these targets. A call of
/// `onOneDevice` with a maximal sharding gets the attribute `callbackDevice`.
void pinCallbacks(mlir::ModuleOp module, llvm::StringRef onOneDevice,
                  llvm::StringRef onEachDevice);
/// On local shapes: broadcasts the results of calls of `target` with the
/// attribute `callbackDevice` to the other devices.
void shareCallbackResults(mlir::ModuleOp module, int64_t numPartitions,
                          llvm::StringRef target);

/// By parameter and output of @main: its position without tokens, or -1 for a
/// token.
struct TokenPositions {
  std::vector<int32_t> argumentOf, resultOf;
};
/// Removes the tokens from @main's signature. A run waits for earlier runs
/// instead, so no token values are needed.
mlir::FailureOr<TokenPositions> dropTokens(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_HOST_CALLBACKS_H
