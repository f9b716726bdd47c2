//===- piece_chain.h - chains of ops applied to slices ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain of elementwise ops, conversions and transposes. It maps a slice of
// its input along one dimension to a slice of its output.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_PIECE_CHAIN_H
#define SHARDWRIGHT_PARTITION_OVERLAP_PIECE_CHAIN_H

#include "shardwright/partition/overlap/device_ring.h"
#include "shardwright/partition/overlap/op_cost.h"

namespace shardwright {

class PieceChain {
public:
  /// From a use of a value that is sliced along dimension `dim`, through ops
  /// with a single use each, to the first op of another kind.
  static PieceChain from(mlir::OpOperand &use, int64_t dim);
  /// Backwards from a value, which is sliced along `dim`, through ops with a
  /// single use each, to the result of an op of type OpT. None if there is no
  /// such op.
  template <typename OpT>
  static std::optional<PieceChain> backTo(mlir::Value value, int64_t dim) {
    return backTo(value, dim,
                  [](mlir::Operation *op) { return mlir::isa<OpT>(op); });
  }

  bool empty() const { return links.empty(); }
  /// The input of the chain, and its sliced dimension.
  mlir::Value getStart() const { return start; }
  int64_t startDim() const { return links.empty() ? dim : links.front().dimIn; }
  /// The use after the chain (for `from`), and its sliced dimension.
  mlir::OpOperand *getEnd() const { return end; }
  int64_t endDim() const { return dim; }

  /// True if all other operands of the chain are defined before `op`.
  bool isKnownBefore(mlir::Operation *op) const;
  /// Time of all ops on the full-size value.
  double seconds(OpCosts &costs) const;

  /// Applies the ops to a slice of `size` elements that begins at `start`.
  mlir::Value onPiece(mlir::OpBuilder &builder, RingBuilder &rings,
                      mlir::Value piece, mlir::Value start, int64_t size) const;
  /// Erases the ops of the chain that are unused.
  void eraseUnused() const;

private:
  struct Link {
    mlir::Operation *op;
    unsigned operand; ///< the operand on the chain
    int64_t dimIn;
  };
  static std::optional<PieceChain>
  backTo(mlir::Value value, int64_t dim,
         llvm::function_ref<bool(mlir::Operation *)> isStart);

  mlir::Value start;
  llvm::SmallVector<Link, 2> links;
  mlir::OpOperand *end = nullptr;
  int64_t dim = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_PIECE_CHAIN_H
