//===- erase_unused.h - erases ops that nothing uses ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clean-up of what the Inserter leaves: ops whose results have no users, among
// them sdy collectives, which are not pure but are the Inserter's own.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_ERASE_UNUSED_H
#define SHARDWRIGHT_PARTITION_INSERT_ERASE_UNUSED_H

#include "shardwright/partition/support/block_order.h"

#include "mlir/IR/Operation.h"

namespace shardwright {

/// Erases unused ops in all blocks of the region and of regions in it.
void eraseAllUnused(mlir::Region &region);

/// Likewise, but enters only ops that `isVisited`. `backwards` says where the
/// ops of each block are, last op first.
void eraseUnused(mlir::Region &region, const BlockOrder &backwards,
                 llvm::function_ref<bool(mlir::Operation *)> isVisited);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_ERASE_UNUSED_H
