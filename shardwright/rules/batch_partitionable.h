//===- batch_partitionable.h - calls on parts of a batch --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A custom call with the frontend attribute `num_batch_dims = "N"` says that
// the first N dimensions of all its operands and results are a batch of
// independent problems. A target that may be called with a part of the batch is
// registered for the process, as
// `jax.ffi.register_ffi_target_as_batch_partitionable` does. The functions of
// linear algebra that JAX calls are registered from the start.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_BATCH_PARTITIONABLE_H
#define SHARDWRIGHT_RULES_BATCH_PARTITIONABLE_H

#include "shardwright/rules/sharding_rule.h"

#include "mlir/IR/Operation.h"

namespace shardwright {

/// Thread-safe. Concurrent compilations may or may not see the change.
void markBatchPartitionable(llvm::StringRef target);
bool isBatchPartitionable(llvm::StringRef target);

/// The first `count` dimensions (at least one) of every operand and result pass
/// through; the others must be replicated. None if the batch sizes differ.
std::optional<ShardingRule> batchRule(mlir::Operation *op, int64_t count);

/// The rule of a custom call by its `num_batch_dims`; none if its target may
/// not run on a part of the batch.
std::optional<ShardingRule> batchedCallRule(mlir::Operation *call);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_BATCH_PARTITIONABLE_H
