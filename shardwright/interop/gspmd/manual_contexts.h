//===- manual_contexts.h - manual axes of each function ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_MANUAL_CONTEXTS_H
#define SHARDWRIGHT_INTEROP_GSPMD_MANUAL_CONTEXTS_H

#include "shardwright/interop/gspmd/mhlo_sharding_text.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace shardwright {

/// The context of the body of `op`, which is in context `outer`: the axes of
/// both, in mesh order. An error if they are axes of different meshes.
mlir::FailureOr<ManualContext> manualContext(sdy::ManualComputationOp op,
                                             const ManualContext &outer);

/// Product of the axes of `context`.
int64_t manualSize(sdy::ManualComputationOp op, const ManualContext &context,
                   MhloShardingText &meshes);

/// The context of every function, callers first. A function that is called in
/// several contexts is cloned, so that each has one.
mlir::FailureOr<llvm::MapVector<mlir::func::FuncOp, ManualContext>>
manualContexts(mlir::ModuleOp module, mlir::SymbolTable &symbols);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_MANUAL_CONTEXTS_H
