//===- custom_partitioners.h - calls that clients partition -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A client can register a custom partitioner for a target of custom calls
// (jax.experimental.custom_partitioning). During compilation, its callbacks are
// called with the propagated shardings, and say how the call is computed on
// shards.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_CUSTOM_PARTITIONERS_H
#define SHARDWRIGHT_PJRT_CALLS_CUSTOM_PARTITIONERS_H

#include "shardwright/mesh/hlo/hlo_sharding.h"
#include "shardwright/pjrt_abi/custom_partitioner.h"
#include "shardwright/support/element_type.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwright::pjrt {

/// An operand or result: its global type and shape.
struct PartitionedValue {
  ElementType type;
  llvm::SmallVector<int64_t, 4> shape;
  HloSharding sharding;
};

/// How one device computes the call.
struct PartitionedCall {
  /// MLIR with a function `main` on shards.
  std::string module;
  /// Required shardings of the operands, and shardings of the results.
  std::vector<HloSharding> operands, results;
};

/// Takes ownership of `callbacks`, and replaces previous ones of the target.
void registerCustomPartitioner(llvm::StringRef target,
                               JAX_CustomCallPartitioner_Callbacks *callbacks);
/// Returns null if there is none. Callbacks remain valid.
JAX_CustomCallPartitioner_Callbacks *
findCustomPartitioner(llvm::StringRef target);

/// Calls the client, which may run Python. An error contains its code.
llvm::Expected<PartitionedCall>
partitionCall(JAX_CustomCallPartitioner_Callbacks *callbacks,
              llvm::StringRef config, llvm::ArrayRef<PartitionedValue> operands,
              llvm::ArrayRef<PartitionedValue> results);

/// The shardings of the results for the given operand shardings, or nothing if
/// the client does not know. The shardings of `results` are ignored. This and
/// the next function are for programs that Shardy does not propagate.
llvm::Expected<std::optional<std::vector<HloSharding>>>
inferShardings(JAX_CustomCallPartitioner_Callbacks *callbacks,
               llvm::StringRef config,
               llvm::ArrayRef<PartitionedValue> operands,
               llvm::ArrayRef<PartitionedValue> results);
/// The shardings of the results, given the shardings that their users need.
llvm::Expected<std::vector<HloSharding>>
propagateUserShardings(JAX_CustomCallPartitioner_Callbacks *callbacks,
                       llvm::StringRef config,
                       llvm::ArrayRef<PartitionedValue> results);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_CUSTOM_PARTITIONERS_H
