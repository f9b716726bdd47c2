//===- shardy_form.h - Shardy's local forms ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Differences between `sdy-convert-global-to-local` and `sw-localize`:
// shardings stay, ops that need rows of other shards are rejected, and
// collectives take Shardy's form. Ops for which Shardy's pass silently computes
// wrong results are rejected, or localized correctly.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_LOCAL_SHARDY_FORM_H
#define SHARDWRIGHT_PARTITION_SHARDY_LOCAL_SHARDY_FORM_H

#include "shardwright/partition/localize/localizer.h"

namespace shardwright {

class ShardyForm : public LocalForm {
public:
  struct Options {
    /// One all_gather per dimension instead of one for all.
    bool perDimAllGather = false;
    /// A single reduce_scatter along several dimensions, instead of an
    /// all_reduce and a slice.
    bool combineReduceScatter = true;
    /// Replica groups by mesh axes where they can be expressed so.
    bool meshAxesGroups = false;
  };
  ShardyForm(Localizer &local, Options options)
      : LocalForm(local), meshes(local.getMeshes()),
        indices(local.getIndices()), options(options) {}

  // shardy_form.cc
  bool keepsShardings() const override { return true; }
  bool mergesPermutes() const override { return false; }
  llvm::StringRef passBeforeReturns() const override;
  llvm::StringRef passBeforeCollectives() const override;
  std::optional<mlir::LogicalResult> visit(mlir::Operation *op) override;
  mlir::LogicalResult checkRows(mlir::Operation *op, int64_t dim,
                                const RowWindow &rows, int64_t size,
                                int64_t shards) override;
  mlir::LogicalResult checkInserted(stablehlo::ScatterOp op,
                                    int64_t dim) override;
  mlir::Attribute groups(int32_t mesh, AxisRefs axes) override;
  mlir::Value gather(mlir::OpBuilder &builder, sdy::AllGatherOp op,
                     int32_t mesh, llvm::ArrayRef<AxisList> axes) override;
  mlir::Value scatter(sdy::ReduceScatterOp op) override;
  // shardy_partial.cc
  void read(mlir::Operation *op) override;
  void inherit(mlir::Value value, mlir::Value from) override;
  std::optional<ReducerKind> reducerOf(mlir::Operation *collective) override;

private:
  using Visited = std::optional<mlir::LogicalResult>;

  // shardy_form.cc
  Visited visitSdy(mlir::Operation *op);
  Visited visitByName(mlir::Operation *op, AxisRefs partial);
  mlir::LogicalResult visitReshard(sdy::ReshardOp op);
  /// Handles an all_reduce or reduce_scatter of a value that is reduced
  /// already.
  mlir::LogicalResult visitCompleted(sdy::CollectiveOpInterface op);
  mlir::LogicalResult visitNamed(sdy::NamedComputationOp op);
  mlir::LogicalResult visitCall(mlir::func::CallOp op);
  mlir::LogicalResult visitRandom(mlir::Operation *op);
  mlir::LogicalResult visitReverse(stablehlo::ReverseOp op);
  mlir::LogicalResult visitPad(stablehlo::PadOp op);
  mlir::LogicalResult visitSelectAndScatter(stablehlo::SelectAndScatterOp op);
  mlir::LogicalResult visitDimensionSize(stablehlo::GetDimensionSizeOp op);
  Visited visitSlice(mlir::Operation *op);
  Visited visitUpdate(stablehlo::DynamicUpdateSliceOp op);
  Visited visitConcatenate(stablehlo::ConcatenateOp op);
  Visited visitScatter(stablehlo::ScatterOp op, AxisRefs partial);
  mlir::LogicalResult refuseExchange(mlir::Operation *op, int64_t dim);

  // shardy_partial.cc
  mlir::LogicalResult visitPartialReduce(stablehlo::ReduceOp op, AxisRefs axes);
  mlir::LogicalResult visitPartialScatter(stablehlo::ScatterOp op);
  /// The mesh of a reduction that makes partial results; -1 if none is known.
  int32_t meshOfPartial(stablehlo::ReduceOp op);
  /// Combines partial results that later collectives reduce.
  void foldPartial(stablehlo::ReduceOp op, ReducerKind kind, int32_t mesh,
                   AxisRefs axes);
  /// Reduces gathered partial results that no collective can reduce.
  void reduceGathered(stablehlo::ReduceOp op, int32_t mesh, AxisRefs axes);
  /// The axes along which the op's results are unreduced.
  AxisList partialAxes(mlir::Operation *op) const;
  /// Fails if a partial result has a user that does not reduce it.
  mlir::LogicalResult checkCompleted(mlir::Operation *op, AxisRefs axes);

  MeshTable &meshes;
  ShardIndices &indices;
  Options options;
  /// Determined from global types: results of partialAxes(), and ops that
  /// cannot be sharded because they have no rule.
  llvm::DenseMap<mlir::Operation *, AxisList> partialOf;
  llvm::DenseSet<mlir::Operation *> ruleless;
  /// Calls that are sharded along dimensions that each device needs whole.
  llvm::DenseSet<mlir::Operation *> readsWhole;
  /// Partial results that are not sums.
  llvm::DenseMap<mlir::Value, ReducerKind> partialKind;
  /// Partial results that were reduced right after their op.
  llvm::DenseSet<mlir::Value> reducedValues;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_LOCAL_SHARDY_FORM_H
