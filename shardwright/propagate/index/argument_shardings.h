//===- argument_shardings.h - shardings of all arguments --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_ARGUMENT_SHARDINGS_H
#define SHARDWRIGHT_PROPAGATE_INDEX_ARGUMENT_SHARDINGS_H

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// Returns `shardings`, one for each of `types`, with null ones replaced by
/// fully open ones on the first mesh of several devices. As in Shardy, returns
/// null if no sharding is on such a mesh.
sdy::TensorShardingPerValueAttr completeShardings(
    llvm::SmallVector<sdy::TensorShardingAttr> shardings, mlir::TypeRange types,
    llvm::function_ref<sdy::MeshAttr(sdy::TensorShardingAttr)> meshOf);

/// Returns the function's argument shardings, completed in the same way.
sdy::TensorShardingPerValueAttr argumentShardings(mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_INDEX_ARGUMENT_SHARDINGS_H
