//===- outline_manual_body.h - outline a shard_map's body -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_OUTLINE_MANUAL_BODY_H
#define SHARDWRIGHT_INTEROP_GSPMD_OUTLINE_MANUAL_BODY_H

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwright {

/// Moves the body of `op` into a new private function called `name`, with a
/// suffix if that name is taken. The operation stays, with an empty region.
mlir::func::FuncOp outlineManualBody(sdy::ManualComputationOp op,
                                     mlir::SymbolTable &symbols,
                                     llvm::StringRef name);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_OUTLINE_MANUAL_BODY_H
