//===- import_custom_calls.h - import ops written as calls ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Front ends (PyTorch/XLA, TensorFlow, older JAX) emitted ops that StableHLO
/// did not have as custom calls: the target names the op, and `mhlo.attributes`
/// holds its attributes:
///
///   stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 8 : i64}, ..}
///
/// The pass `sw-import-custom-calls` converts them back to ops, of CHLO if it
/// has an op of that name, otherwise of StableHLO. @Eigh becomes a LAPACK call
/// (import_eigh.h). Calls of other targets stay.
///
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_IMPORT_CUSTOM_CALLS_H
#define SHARDWRIGHT_INTEROP_IMPORT_CUSTOM_CALLS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace shardwright {

/// Replaces the calls below `root`. Emits one diagnostic on failure, if the op
/// rejects the operands or attributes of the call.
mlir::LogicalResult importCustomCalls(mlir::Operation *root);

std::unique_ptr<mlir::Pass> createImportCustomCallsPass();
void registerImportCustomCallsPass();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_IMPORT_CUSTOM_CALLS_H
