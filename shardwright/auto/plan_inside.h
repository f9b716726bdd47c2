//===- plan_inside.h - layouts of inner values by a search ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partition effort 3: arguments and results keep the shardings that propagation
// gives them, and a search decides inner values. The program is partitioned so
// only if its predicted step is shorter than that of effort 2.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_PLAN_INSIDE_H
#define SHARDWRIGHT_AUTO_PLAN_INSIDE_H

#include "shardwright/compile/compile.h"

namespace shardwright {

/// The number that users write for this effort.
constexpr int kPlanInsideEffort = 3;

/// Runs stage Import on `module`, then adds shardings to inner values and fixes
/// those of arguments and results. Changes the options for the call of compile
/// that follows: the module is imported, the effort is Most, and the machine is
/// the built-in one if none was given and the search found a better program on
/// it. Leaves a program of one device, or one that the search cannot improve,
/// as it is. Emits a diagnostic if stage Import fails; a program that cannot be
/// partitioned is reported by compile.
mlir::LogicalResult planInside(mlir::ModuleOp module, CompileOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_PLAN_INSIDE_H
