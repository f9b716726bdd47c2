//===- tried_change.h - changes that keep the failure -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REDUCE_TRIED_CHANGE_H
#define SHARDWRIGHT_REDUCE_TRIED_CHANGE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

#include <functional>

namespace mlir {
class Tester;
}

namespace shardwright {

/// A simplification of one op; it may erase the op.
using Change = std::function<void(mlir::RewriterBase &, mlir::Operation *)>;
using ChangeOfOp = std::pair<mlir::Operation *, Change>;

/// Applies all of `changes` if a copy of `module` with them verifies and is
/// interesting to `tester`. Unused producers are erased as well. Erased ops are
/// added to `erased`, and ops in it are skipped; use it for one list of changes
/// only, since addresses may be reused. Returns true if the changes were
/// applied.
bool tryChanges(mlir::ModuleOp module, llvm::ArrayRef<ChangeOfOp> changes,
                mlir::RewriterBase &rewriter, const mlir::Tester &tester,
                llvm::DenseSet<mlir::Operation *> &erased);

} // namespace shardwright

#endif // SHARDWRIGHT_REDUCE_TRIED_CHANGE_H
