//===- dot_result.h - a dot whose result asks for the contraction *- C++
//-*-===//
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

/// Where the result of a dot wants on one of its dimensions the axes along
/// which the dot contracts, the dot is computed as that dimension is in the
/// operand, and resharded:
///
///   %0 = dot %a, %b        // %a {} {"x"}, %b {"x"} {"y"}, %0 {} {"x"}
///   =>
///   %0 = dot %a, %b        // %0 {} {"y"}
///   %1 = sdy.reshard %0    // {} {"x"}
///
/// Does nothing where that would not pay: operands that disagree, several
/// dimensions that differ, a result larger than the operand.
void computeDotAsOperands(mlir::Operation *dot, const OpFactors &factors,
                          mlir::Attribute meshOrRef);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_DOT_RESULT_H
