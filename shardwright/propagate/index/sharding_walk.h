//===- sharding_walk.h - visit every sharding of a module -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_SHARDING_WALK_H
#define SHARDWRIGHT_PROPAGATE_INDEX_SHARDING_WALK_H

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

/// Replaces every sharding in the module by transform(sharding), in program
/// order: of arguments and results of functions, inherent to sdy ops, and in
/// `sdy.sharding`. `transform` is called once for each distinct sharding.
void transformShardings(
    mlir::ModuleOp module,
    llvm::function_ref<sdy::TensorShardingAttr(sdy::TensorShardingAttr)>
        transform);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_INDEX_SHARDING_WALK_H
