//===- gspmd_calls.h - GSPMD's custom calls ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_GSPMD_CALLS_H
#define SHARDWRIGHT_INTEROP_GSPMD_GSPMD_CALLS_H

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/IR/Builders.h"

namespace shardwright {

/// `%r = stablehlo.custom_call @TARGET(%value) {mhlo.sharding = TEXT}`;
/// dimensions in `unspecified` are left to propagation.
mlir::Value createGspmdCall(mlir::OpBuilder &builder, mlir::Location where,
                            llvm::StringRef target, mlir::Value value,
                            mlir::Type type, mlir::StringAttr text,
                            llvm::ArrayRef<int64_t> unspecified = {},
                            bool hasSideEffect = false);

/// The dimensions that propagation may still shard.
llvm::SmallVector<int64_t> openDims(sdy::TensorShardingAttr sharding);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_GSPMD_CALLS_H
