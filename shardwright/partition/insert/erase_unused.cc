//===- erase_unused.cc - erase unused ops ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/erase_unused.h"
#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardwright {

static void eraseIfUnused(Operation &op) {
  if (op.use_empty() &&
      (isOpTriviallyDead(&op) || isa<sdy::CollectiveOpInterface>(op)))
    op.erase();
}

void eraseAllUnused(Region &region) {
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &nested : llvm::reverse(op.getRegions()))
        eraseAllUnused(nested);
      eraseIfUnused(op);
    }
}

void eraseUnused(Region &region,
                 llvm::function_ref<bool(Operation *)> isVisited) {
  for (Block &block : llvm::reverse(region)) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (op.getNumRegions() != 0 && isVisited(&op))
        for (Region &nested : llvm::reverse(op.getRegions()))
          eraseUnused(nested, isVisited);
      eraseIfUnused(op);
    }
  }
}

} // namespace shardwright
