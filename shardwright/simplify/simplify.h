//===- simplify.h - simplify StableHLO programs -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rewrites a StableHLO program to an equal one that is smaller or cheaper:
// identities, constant folding, merged data movement, dead code, dead arguments
// and results of regions, common subexpressions, normal forms.
//
// Results stay the same to the bit, with these exceptions only: a signaling NaN
// may stay one where the program would have made it quiet; of two NaN operands
// of a commutative op the other may be handed on; and contractions over several
// dimensions may be summed in another order (StableHLO leaves it open).
//
// Ops with discardable attributes (shardings, frontend attributes) are neither
// rewritten nor looked through, so that the attributes are kept. Custom calls,
// collectives, ops with tokens and optimization barriers stay as they are.
//
// A replacement has the location of the op whose result it replaces. Locations
// are not fused: that would create a new location for each rewrite, and users
// look for the op that they wrote.

#ifndef SHARDWRIGHT_SIMPLIFY_SIMPLIFY_H
#define SHARDWRIGHT_SIMPLIFY_SIMPLIFY_H

#include "mlir/IR/PatternMatch.h"

namespace shardwright {

struct SimplifyOptions {
  /// Constants of more elements than this are not computed. A splat counts as
  /// one element.
  int64_t foldLimit = 4096;
};

/// Simplifies everything in `root`, which must be isolated from above, until
/// nothing changes. The module stays valid. Deterministic.
mlir::LogicalResult simplify(mlir::Operation *root,
                             const SimplifyOptions &options = {});

/// The rewrites without common subexpressions: what `-canonicalize` applies.
void populateSimplifyPatterns(mlir::RewritePatternSet &patterns,
                              const SimplifyOptions &options = {});

/// Merges equal ops that have no effects. Returns whether anything changed.
bool mergeEqualOps(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// Registers `sw-simplify`.
void registerSimplifyPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_SIMPLIFY_SIMPLIFY_H
