//===- reduction_patterns.h - patterns of our dialects ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REDUCE_REDUCTION_PATTERNS_H
#define SHARDWRIGHT_REDUCE_REDUCTION_PATTERNS_H

namespace mlir {
class DialectRegistry;
}

namespace shardwright {

/// Attaches mlir::DialectReductionPatternInterface to stablehlo, chlo, vhlo and
/// sdy: each simplifies its own ops; sdy also drops the discardable attributes
/// of every op (shardings first) and shrinks functions.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace shardwright

#endif // SHARDWRIGHT_REDUCE_REDUCTION_PATTERNS_H
