//===- expand_calls.h - calls that the client has a say in ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_EXPAND_CALLS_H
#define SHARDWRIGHT_PJRT_CALLS_EXPAND_CALLS_H

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace shardwright::pjrt {

/// What clients returned: constants may point into it.
using KeptSources = std::vector<std::shared_ptr<llvm::SourceMgr>>;

/// In a module after propagation:
/// - calls of targets that the client partitions (custom_partitioners.h) become
///   manual computations of what it makes of them, over all axes;
/// - so do callbacks that every device makes with its part of the operands
///   (`jax.debug.callback(.., partitioned=True)`);
/// - who inspects a sharding (`jax.debug.inspect_array_sharding`) is told.
/// `devices` counts when the module has no mesh. `kept` has to live as long as
/// the module. Calls of functions are inlined. One diagnostic on failure.
mlir::LogicalResult expandClientCalls(mlir::ModuleOp module, int64_t devices,
                                      KeptSources &kept);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_EXPAND_CALLS_H
