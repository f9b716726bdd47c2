//===- import_custom_calls.h - ops that were written as calls ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Front ends (PyTorch/XLA, TensorFlow, older JAX) wrote ops that StableHLO did
/// not have as custom calls: the target names the op, `mhlo.attributes` holds
/// its attributes:
///
///   stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 8 : i64}, ..}
///
/// The pass `sw-import-custom-calls` makes them ops again, of CHLO where it has
/// one of that name, else of StableHLO. Calls of other targets stay.
///
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_IMPORT_CUSTOM_CALLS_H
#define SHARDWRIGHT_INTEROP_IMPORT_CUSTOM_CALLS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace shardwright {

/// Replaces the calls below `root`. One diagnostic on failure: the op refuses
/// the operands or attributes that the call gives it.
mlir::LogicalResult importCustomCalls(mlir::Operation *root);

std::unique_ptr<mlir::Pass> createImportCustomCallsPass();
void registerImportCustomCallsPass();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_IMPORT_CUSTOM_CALLS_H
