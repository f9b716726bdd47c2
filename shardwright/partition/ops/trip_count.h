//===- trip_count.h - trip counts of while loops ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_TRIP_COUNT_H
#define SHARDWRIGHT_PARTITION_OPS_TRIP_COUNT_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>

namespace shardwright {

/// Trip count of a counting loop whose bounds are constants; none otherwise.
std::optional<int64_t> knownTripCount(mlir::Operation *whileOp);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_TRIP_COUNT_H
