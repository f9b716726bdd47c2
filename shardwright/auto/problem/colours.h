//===- colours.h - dimensions that are sharded alike ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A colour is a set of dimensions that want to be sharded alike: the batch, the
// heads, the hidden units. Two dimensions have one colour if a chain of
// sharding rules joins them: an op without communication shards both along the
// same axes. Of a dimension with several factors, the major one counts.
//
// Propagation makes constants, and scalars that are expanded, anew for each op
// that reads them, and functions for each call. So constants join nothing, and
// several calls of a function do not join what they pass.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_COLOURS_H
#define SHARDWRIGHT_AUTO_COLOURS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace shardwright {

/// True for ops along some of whose dimensions a shard needs others:
/// contractions, reductions, convolutions, transforms, sorts, and for gathers
/// and scatters.
bool mayCommunicate(mlir::Operation *op);

class Colours {
public:
  /// Which rules join dimensions.
  enum class Reach : uint8_t {
    Program,          ///< those of all ops
    UpToCommunication ///< those of ops that cannot communicate
  };

  /// Reads the rules of all ops of a module after stage Import. Linear.
  explicit Colours(mlir::ModuleOp module, Reach reach = Reach::Program);

  /// The colour of a dimension. The value must be a ranked tensor.
  int32_t of(mlir::Value value, int64_t dim);
  /// Gives both colours the same number.
  void join(int32_t a, int32_t b);

private:
  int32_t find(int32_t element);
  int32_t elementOf(mlir::Value value, int64_t dim);
  void joinValues(mlir::Value a, mlir::Value b);
  /// Constants and expanded scalars; operands come before the op.
  bool isMadeForEachUse(mlir::Operation *op) const;
  bool isMadeForEachUse(mlir::Value value) const {
    return madeForEachUse.contains(value.getDefiningOp());
  }
  void readRule(mlir::Operation *op);
  void readDataFlow(mlir::Operation *op);
  void readCalls();
  void readCall(mlir::func::CallOp call, mlir::func::FuncOp callee,
                bool isOnlyCall);

  mlir::ModuleOp module;
  Reach reach;
  /// The element of dimension 0 of each value.
  llvm::DenseMap<mlir::Value, int32_t> first;
  std::vector<int32_t> parent;
  llvm::DenseSet<mlir::Operation *> madeForEachUse;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_COLOURS_H
