//===- step_operations.h - operations of a step -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_STEP_OPERATIONS_H
#define SHARDWRIGHT_REPORT_DOCUMENT_STEP_OPERATIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Operations (partition/ops/op_work.h) of one step of @main of a program with
/// global shapes. Loops count by their trip count, once if it is unknown; a
/// conditional as the branch with most; the body of a manual computation once
/// for each shard along its manual axes.
double countStepOperations(mlir::ModuleOp imported);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_STEP_OPERATIONS_H
