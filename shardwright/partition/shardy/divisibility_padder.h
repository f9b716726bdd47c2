//===- divisibility_padder.h - pad to full shards ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_DIVISIBILITY_PADDER_H
#define SHARDWRIGHT_PARTITION_SHARDY_DIVISIBILITY_PADDER_H

#include "shardwright/partition/shardy/halo.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"

namespace shardwright {

/// Pads the sharded dimensions of a function's values to full shards; the
/// padding rows are unspecified.
class Padder {
public:
  Padder(mlir::func::FuncOp func, MeshTable &meshes, bool deviceIsReplica)
      : func(func), meshes(meshes), halo(func, meshes, deviceIsReplica) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visit(mlir::Operation *op);
  /// Handles uneven ops whose local form is not the same op on padded values.
  mlir::LogicalResult visitByName(mlir::Operation *op);
  void visitReshard(sdy::ReshardOp reshard);
  void visitBarrier(sdy::PropagationBarrierOp barrier);
  mlir::LogicalResult visitLoop(stablehlo::WhileOp op);
  /// Handles branches, and computations of sdy.
  mlir::LogicalResult visitRegions(mlir::Operation *op, bool isUneven);
  void visitSlice(stablehlo::SliceOp slice);
  void visitDimensionSize(stablehlo::GetDimensionSizeOp size);
  void maskConvolution(stablehlo::ConvolutionOp conv);
  /// True if some operand is padded, or some result will be.
  bool isUneven(mlir::Operation *op);
  mlir::LogicalResult visitCollective(sdy::CollectiveOpInterface op);
  mlir::LogicalResult reduceThenSlice(sdy::ReduceScatterOp op);
  mlir::LogicalResult visitWhole(mlir::Operation *op);
  mlir::LogicalResult visitScatter(stablehlo::ScatterOp op);
  void visitGather(stablehlo::GatherOp op);
  void visitPad(stablehlo::PadOp op);
  void visitConstant(mlir::Operation *op, mlir::ElementsAttr value);
  void visitReduce(stablehlo::ReduceOp op);
  /// Pads, then slices, a sharded result of an op that runs replicated.
  void padWhole(mlir::Value result);
  sdy::ListOfAxisRefListsAttr axesOfDims(sdy::TensorShardingAttr sharding);
  void maskOperand(mlir::Operation *op, int64_t operand,
                   llvm::ArrayRef<int64_t> dims);
  bool worksPadded(mlir::Operation *op);
  void readRule(mlir::Operation *op);

  /// Null if the value is replicated.
  sdy::TensorShardingAttr shardingOf(mlir::Value value, mlir::Type type);
  /// For a value that still has its global type.
  llvm::SmallVector<int64_t> padded(mlir::Value value) {
    return paddedShape(meshes, shardingOf(value, value.getType()),
                       dimsOf(value.getType()));
  }
  /// Rows of a dimension before padding.
  int64_t rows(mlir::Value value, int64_t d) const {
    auto it = shapes.find(value);
    return it == shapes.end() ? dimsOf(value.getType())[d] : it->second[d];
  }
  bool isPadded(mlir::Value value) const { return shapes.contains(value); }
  /// Gives a value its padded type.
  void widen(mlir::Value value) { widen(value, value); }
  /// Gives it the padded shape of `like`, which has its type.
  void widen(mlir::Value value, mlir::Value like);
  void widenResults(mlir::Operation *op) {
    for (mlir::Value result : op->getResults())
      widen(result);
  }
  /// Writes `fill` (a scalar) to the padding rows of these dimensions.
  mlir::Value masked(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> dims,
                     mlir::Value fill);
  /// True if all padding rows of the value hold `fill`.
  bool holdsBeyond(mlir::Value value, mlir::TypedAttr fill) const {
    return !isPadded(value) || (fill && beyond.lookup(value) == fill);
  }
  mlir::TypedAttr zeroOf(mlir::Value value) const;
  /// Broadcasts a replicated scalar to a tensor sharded like `like`.
  mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value scalar, mlir::Value like);
  mlir::Value mark(mlir::Value value, sdy::TensorShardingAttr sharding) {
    if (sharding)
      sdy::setShardings(value.getDefiningOp(), {sharding});
    return value;
  }

  mlir::func::FuncOp func;
  MeshTable &meshes;
  HaloBuilder halo;
  /// The global shape of each padded value.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 4>> shapes;
  /// The value of all padding rows, where it is known.
  llvm::DenseMap<mlir::Value, mlir::TypedAttr> beyond;
  /// Determined from global types: operand dimensions that are reduced over
  /// shards, as (operand, dimension), and ops with an uneven dimension without
  /// a counterpart on the other side.
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<std::pair<int64_t, int64_t>, 1>>
      reduced;
  llvm::DenseSet<mlir::Operation *> oneSided;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_DIVISIBILITY_PADDER_H
