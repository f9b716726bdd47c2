//===- op_builder.h - build StableHLO ops -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_EXPAND_OP_BUILDER_H
#define SHARDWRIGHT_INTEROP_EXPAND_OP_BUILDER_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/Builders.h"

namespace shardwright::op_expansion {

/// Builds ops on values of static shape, before an op and with its location.
struct StaticBuilder {
  explicit StaticBuilder(mlir::Operation *op) : b(op), loc(op->getLoc()) {}

  mlir::OpBuilder b;
  mlir::Location loc;

  static mlir::RankedTensorType typeOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType());
  }
  template <typename Op> mlir::Value unary(mlir::Value x) {
    return Op::create(b, loc, x.getType(), x).getResult();
  }
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    return Op::create(b, loc, x.getType(), x, y).getResult();
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return binary<stablehlo::AddOp>(x, y);
  }
  mlir::Value subtract(mlir::Value x, mlir::Value y) {
    return binary<stablehlo::SubtractOp>(x, y);
  }
  mlir::Value multiply(mlir::Value x, mlir::Value y) {
    return binary<stablehlo::MulOp>(x, y);
  }
  mlir::Value divide(mlir::Value x, mlir::Value y) {
    return binary<stablehlo::DivOp>(x, y);
  }
  /// A splat of a float or integer element type.
  mlir::Value splat(double value, mlir::RankedTensorType type);
  mlir::Value zeros(mlir::RankedTensorType type);
  mlir::Value convert(mlir::Value x, mlir::Type element);
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value iota(mlir::RankedTensorType type, int64_t dimension);
  /// Sum over some dimensions, starting at zero.
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  /// Fills a region with an addition.
  void fillWithAddition(mlir::Region &region, mlir::Type element);
};

/// The elements of an integer constant.
std::optional<llvm::SmallVector<int64_t>> constantIntegers(mlir::Value value);

/// Each returns the replacements of the op's results, or fails without an error
/// if this form has no expansion.
using Values = llvm::SmallVector<mlir::Value, 3>;
mlir::FailureOr<Values> expandLegacyOp(mlir::Operation *op);
mlir::FailureOr<Values> expandEinsum(mlir::Operation *op);
mlir::FailureOr<Values> expandBatchNorm(mlir::Operation *op);
mlir::FailureOr<Values> expandDynamicOp(mlir::Operation *op);
mlir::FailureOr<Values> expandMap(mlir::Operation *op);
mlir::FailureOr<Values> expandRegion(mlir::Operation *op);
/// True if the op has a region that is not a scalar function.
bool hasOtherRegion(mlir::Operation *op);

} // namespace shardwright::op_expansion

#endif // SHARDWRIGHT_INTEROP_EXPAND_OP_BUILDER_H
