//===- custom_partitioners.h - calls that clients partition -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A client says of a target of custom calls that it knows how such a call is
// computed in shards (jax.experimental.custom_partitioning): it is asked while
// a program is compiled, with the shardings that propagation found.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_CUSTOM_PARTITIONERS_H
#define SHARDWRIGHT_PJRT_CALLS_CUSTOM_PARTITIONERS_H

#include "shardwright/mesh/hlo/hlo_sharding.h"
#include "shardwright/pjrt/abi/custom_partitioner.h"
#include "shardwright/support/element_type.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwright::pjrt {

/// An operand or result: type and shape in the whole program.
struct PartitionedValue {
  ElementType type;
  llvm::SmallVector<int64_t, 4> shape;
  HloSharding sharding;
};

/// How one device computes the call.
struct PartitionedCall {
  /// MLIR with a function `main` on shards.
  std::string module;
  /// Where it wants the operands, and leaves the results.
  std::vector<HloSharding> operands, results;
};

/// Takes `callbacks` over. A target that has some already gets these.
void registerCustomPartitioner(llvm::StringRef target,
                               JAX_CustomCallPartitioner_Callbacks *callbacks);
/// Null: none. Stays valid.
JAX_CustomCallPartitioner_Callbacks *
findCustomPartitioner(llvm::StringRef target);

/// Asks the client, who may run Python. An error carries its code.
llvm::Expected<PartitionedCall>
partitionCall(JAX_CustomCallPartitioner_Callbacks *callbacks,
              llvm::StringRef config, llvm::ArrayRef<PartitionedValue> operands,
              llvm::ArrayRef<PartitionedValue> results);

/// Where the results would be, were the operands as described; nothing: it does
/// not say. Those of `results` do not count. For programs that Shardy does not
/// propagate through, as is the next.
llvm::Expected<std::optional<std::vector<HloSharding>>>
inferShardings(JAX_CustomCallPartitioner_Callbacks *callbacks,
               llvm::StringRef config,
               llvm::ArrayRef<PartitionedValue> operands,
               llvm::ArrayRef<PartitionedValue> results);
/// Where the results would be, if those who use them want them as described.
llvm::Expected<std::vector<HloSharding>>
propagateUserShardings(JAX_CustomCallPartitioner_Callbacks *callbacks,
                       llvm::StringRef config,
                       llvm::ArrayRef<PartitionedValue> results);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_CUSTOM_PARTITIONERS_H
