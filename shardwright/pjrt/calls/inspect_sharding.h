//===- inspect_sharding.h - inspection of shardings by clients --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_INSPECT_SHARDING_H
#define SHARDWRIGHT_PJRT_CALLS_INSPECT_SHARDING_H

#include "shardwright/mesh/hlo/hlo_sharding.h"

#include "mlir/IR/Attributes.h"

#include <string>

namespace shardwright::pjrt {

/// What jax.debug.inspect_array_sharding emits.
constexpr llvm::StringLiteral inspectTarget("InspectSharding");

/// Calls the function whose address is in the call's `backend_config`. Returns
/// the text of an error with its code, or an empty text.
std::string tellSharding(mlir::Attribute config, const HloSharding &sharding);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_INSPECT_SHARDING_H
