//===- unreduced_transition.h - where unreduced axes may change -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op may turn partial values into reduced ones, or the reverse, only for
// some kinds of reduction, and never changes the kind of axes along which its
// operand stays unreduced. Texts are those of Shardy in jaxlib 0.12.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_UNREDUCED_TRANSITION_H
#define SHARDWRIGHT_DIALECT_SDY_UNREDUCED_TRANSITION_H

#include "shardwright/dialect/sdy/sdy.h"

namespace shardwright::sdy {

/// The kinds of unreduced axes that an op may add, or may remove.
class AllowedKinds {
public:
  static AllowedKinds none() { return {}; }
  static AllowedKinds only(ReductionOp kind) {
    AllowedKinds allowed;
    allowed.kind = kind;
    return allowed;
  }
  static AllowedKinds any() {
    AllowedKinds allowed;
    allowed.all = true;
    return allowed;
  }
  bool isNone() const { return !all && !kind; }
  bool contains(ReductionOp other) const { return all || kind == other; }
  /// The single kind that is allowed.
  ReductionOp expected() const { return *kind; }

private:
  std::optional<ReductionOp> kind;
  bool all = false;
};

/// Checks the change from the unreduced axes of all `sources` to those of all
/// `targets`; null entries are skipped. Succeeds if they are not all on one
/// mesh. Emits an op error otherwise.
mlir::LogicalResult
verifyUnreducedTransition(mlir::Operation *op,
                          llvm::ArrayRef<TensorShardingAttr> sources,
                          llvm::ArrayRef<TensorShardingAttr> targets,
                          AllowedKinds introduced, AllowedKinds removed);

/// True if both have unreduced axes that overlap, but of different kinds. Null
/// shardings have no axes; meshes are looked up from `op`.
bool changesKind(mlir::Operation *op, TensorShardingAttr source,
                 TensorShardingAttr target);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_UNREDUCED_TRANSITION_H
