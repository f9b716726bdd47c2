//===- passes.h - Shardy's way to explicit reshards -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PASSES_H
#define SHARDWRIGHT_PARTITION_SHARDY_PASSES_H

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwright {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardwright/partition/shardy/passes.h.inc"

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PASSES_H
