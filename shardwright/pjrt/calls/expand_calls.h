//===- expand_calls.h - expansion of clients' calls -------------*- C++ -*-===//
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

/// Modules that clients returned; constants may point into them.
using KeptSources = std::vector<std::shared_ptr<llvm::SourceMgr>>;

/// Expands the client's calls after propagation:
/// - calls of targets that the client partitions (custom_partitioners.h) become
///   manual computations of the module that it returns, over all axes;
/// - so do callbacks that every device calls with its part of the operands
///   (`jax.debug.callback(.., partitioned=True)`);
/// - `jax.debug.inspect_array_sharding` gets its sharding.
/// `devices` is used if the module has no mesh. `kept` must live as long as
/// the module. Inlines function calls. Emits one diagnostic on failure.
mlir::LogicalResult expandClientCalls(mlir::ModuleOp module, int64_t devices,
                                      KeptSources &kept);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_EXPAND_CALLS_H
