//===- piece_chain.h - ops that work on a piece as on the whole -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops, conversions and transposes one after another. Of a piece of
// one dimension of what goes in, they give that piece of what comes out.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_PIECE_CHAIN_H
#define SHARDWRIGHT_PARTITION_OVERLAP_PIECE_CHAIN_H

#include "shardwright/partition/overlap/device_ring.h"
#include "shardwright/partition/overlap/op_cost.h"

namespace shardwright {

class PieceChain {
public:
  /// From a use of a value whose dimension `dim` comes in pieces, through ops
  /// with a single use each, up to the use by the first op of another kind.
  static PieceChain from(mlir::OpOperand &use, int64_t dim);
  /// Backwards from a value, through ops with a single use each, to the result
  /// of an op of type OpT; `dim` is that of the value. None where there is
  /// none.
  template <typename OpT>
  static std::optional<PieceChain> backTo(mlir::Value value, int64_t dim) {
    return backTo(value, dim,
                  [](mlir::Operation *op) { return mlir::isa<OpT>(op); });
  }

  bool empty() const { return links.empty(); }
  /// The first value, not of the chain; its dimension in pieces.
  mlir::Value getStart() const { return start; }
  int64_t startDim() const { return links.empty() ? dim : links.front().dimIn; }
  /// The use behind the chain (of `from`), and the dimension there.
  mlir::OpOperand *getEnd() const { return end; }
  int64_t endDim() const { return dim; }

  /// Nothing that the ops take beside the chain is made behind `op`.
  bool isKnownBefore(mlir::Operation *op) const;
  /// Of all ops on the whole; of what one of `n` pieces takes.
  double seconds(OpCosts &costs) const;

  /// The ops, on a piece of `size` that begins at `start`.
  mlir::Value onPiece(mlir::OpBuilder &builder, RingBuilder &rings,
                      mlir::Value piece, mlir::Value start, int64_t size) const;
  /// Erases ops that nothing uses any more.
  void eraseUnused() const;

private:
  struct Link {
    mlir::Operation *op;
    unsigned operand; ///< through which the chain comes
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
