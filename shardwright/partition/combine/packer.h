//===- packer.h - operands of packed collectives ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed operand is a matrix with a row per member of the group; the row
// concatenates the elements that the collectives send to (or reduce for, or
// receive from) that member.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_PACKER_H
#define SHARDWRIGHT_PARTITION_COMBINE_PACKER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace shardwright {

/// Builds the ops around a packed collective. All values are tensors of static
/// shape.
class Packer {
public:
  /// Inserts before `at`, and reports new ops to the listener, if any.
  Packer(mlir::Operation *at, mlir::OpBuilder::Listener *listener)
      : b(at, listener), loc(at->getLoc()) {}

  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Reshapes to a matrix with a row for each of the `n` parts of dimension
  /// `dim`.
  mlir::Value partsAsRows(mlir::Value value, int64_t dim, int64_t n);
  /// Concatenates the rows, each of which has `shape`, along dimension `dim`.
  mlir::Value rowsAlong(mlir::Value value, int64_t dim,
                        llvm::ArrayRef<int64_t> shape);
  /// Concatenates matrices along their columns.
  mlir::Value sideBySide(llvm::ArrayRef<mlir::Value> values);
  mlir::Value columns(mlir::Value value, int64_t from, int64_t count);
  /// Appends columns of zeros.
  mlir::Value padColumns(mlir::Value value, int64_t count);

  mlir::OpBuilder b;
  mlir::Location loc;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_PACKER_H
