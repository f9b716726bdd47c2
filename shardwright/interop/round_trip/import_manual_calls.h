//===- import_manual_calls.h - calls of manual computations -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_ROUND_TRIP_IMPORT_MANUAL_CALLS_H
#define SHARDWRIGHT_INTEROP_ROUND_TRIP_IMPORT_MANUAL_CALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Creates an sdy.manual_computation for each call of a function that is named
/// as a body, with the @xla.sdy.GlobalToLocalShape before it and the
/// @xla.sdy.LocalToGlobalShape after it.
mlir::LogicalResult importManualCalls(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_ROUND_TRIP_IMPORT_MANUAL_CALLS_H
