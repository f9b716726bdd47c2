//===- reuse_reshard.h - reuse earlier reshards -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_REUSE_RESHARD_H
#define SHARDWRIGHT_DIALECT_SDY_REUSE_RESHARD_H

#include "mlir/IR/PatternMatch.h"

namespace shardwright::sdy {

/// Adds a pattern that replaces an `sdy.reshard` by an earlier one in its block
/// that moves the same data to the same layout, with reshapes and transposes as
/// needed.
void addReuseEarlierReshard(mlir::RewritePatternSet &patterns);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_REUSE_RESHARD_H
