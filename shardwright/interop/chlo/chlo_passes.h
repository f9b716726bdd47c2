//===- chlo_passes.h - passes that lower CHLO and composites ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// chlo-legalize-to-stablehlo (on functions): replaces every CHLO op by
//   StableHLO. The new ops have the location of the old one, the last of them
//   its discardable attributes (shardings). An op without an expansion fails
//   the pass with an error that names it.
// sw-inline-composites (on modules): replaces each stablehlo.composite named
//   after a CHLO op by that op, any other by a call of its decomposition.
// sw-expand-complex-math (on anything): replaces StableHLO's functions of
//   complex numbers, also abs, sign, divide and power, by real arithmetic, so
//   that add, subtract, multiply, negate, compare, real, imag and complex are
//   what is left to compute on complex types.

#ifndef SHARDWRIGHT_INTEROP_CHLO_CHLO_PASSES_H
#define SHARDWRIGHT_INTEROP_CHLO_CHLO_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwright {

std::unique_ptr<mlir::Pass>
createChloLegalizeToStablehloPass(bool keepFunctions = false);
std::unique_ptr<mlir::Pass> createInlineCompositesPass();
std::unique_ptr<mlir::Pass> createExpandComplexMathPass();
void registerChloPasses();

// The work of chlo-legalize-to-stablehlo, on any op. With `keepFunctions`
// elementwise functions of static shape whose expansion is long remain.
mlir::LogicalResult expandChlo(mlir::Operation *root,
                               bool keepFunctions = false);

// The work of sw-expand-complex-math, on all ops in `root` or one op (erased
// when true).
void expandComplexMath(mlir::Operation *root);
bool expandComplexOp(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_CHLO_CHLO_PASSES_H
