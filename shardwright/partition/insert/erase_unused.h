//===- erase_unused.h - erase unused ops ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Erases ops without users after the Inserter. This includes sdy collectives,
// which are not pure in general, but the Inserter created them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_ERASE_UNUSED_H
#define SHARDWRIGHT_PARTITION_INSERT_ERASE_UNUSED_H

#include "mlir/IR/Operation.h"

namespace shardwright {

/// Erases unused ops in all blocks of the region and of regions in it.
void eraseAllUnused(mlir::Region &region);

/// Likewise, but enters only ops that `isVisited`.
void eraseUnused(mlir::Region &region,
                 llvm::function_ref<bool(mlir::Operation *)> isVisited);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_ERASE_UNUSED_H
