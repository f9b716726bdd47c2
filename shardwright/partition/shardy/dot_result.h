//===- dot_result.h - dots with contracted axes -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_DOT_RESULT_H
#define SHARDWRIGHT_PARTITION_SHARDY_DOT_RESULT_H

#include "shardwright/partition/shardy/common_factor_axes.h"

#include "mlir/IR/Operation.h"

namespace shardwright {

/// If a dot's result has the axes along which the dot contracts on one of its
/// dimensions, computes the dot with that dimension as in the operand, and
/// reshards the result:
///
///   %0 = dot %a, %b        // %a {} {"x"}, %b {"x"} {"y"}, %0 {} {"x"}
///   =>
///   %0 = dot %a, %b        // %0 {} {"y"}
///   %1 = sdy.reshard %0    // {} {"x"}
///
/// Does nothing if that does not pay: operands that disagree, several different
/// dimensions, a result larger than the operand.
void computeDotAsOperands(mlir::Operation *dot, const OpFactors &factors,
                          mlir::Attribute meshOrRef);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_DOT_RESULT_H
