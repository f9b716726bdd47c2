//===- local_form.h - hooks of local forms ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hooks of the Localizer. The defaults are for `sw-localize`;
// `sdy-convert-global-to-local` overrides them (shardy/local/shardy_form.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LOCALIZE_LOCAL_FORM_H
#define SHARDWRIGHT_PARTITION_LOCALIZE_LOCAL_FORM_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/mesh/axis.h"
#include "shardwright/partition/decide/row_window.h"
#include "shardwright/rules/reducer.h"

namespace shardwright {

class Localizer;

class LocalForm {
public:
  /// For ops of one function. `local` owns this object.
  explicit LocalForm(Localizer &local) : local(local) {}
  virtual ~LocalForm();
  LocalForm(const LocalForm &) = delete;

  /// Whether shardings stay on ops and functions.
  virtual bool keepsShardings() const { return false; }
  /// Whether an all_to_all absorbs a permute that only reorders its axes.
  virtual bool mergesPermutes() const { return true; }
  /// Passes that a diagnostic recommends to run before, if a value does not
  /// have the layout of the function's result or of its collective.
  virtual llvm::StringRef passBeforeReturns() const;
  virtual llvm::StringRef passBeforeCollectives() const;

  /// Called for each op while it has its global types, before its nested ops.
  virtual void read(mlir::Operation *op) {}
  /// Makes the op local; none: use the Localizer's form.
  virtual std::optional<mlir::LogicalResult> visit(mlir::Operation *op) {
    return std::nullopt;
  }
  /// `value` replaces `from`, a result of a visited op.
  virtual void inherit(mlir::Value value, mlir::Value from) {}

  /// Fails with a diagnostic if shards of dimension `dim` of the op's result
  /// need these rows of an operand's dimension, which has `size` rows in
  /// `shards` shards, and the form does not permit to fetch them.
  virtual mlir::LogicalResult checkRows(mlir::Operation *op, int64_t dim,
                                        const RowWindow &rows, int64_t size,
                                        int64_t shards) {
    return mlir::success();
  }
  /// Likewise if a scatter inserts rows without an index into a sharded
  /// dimension.
  virtual mlir::LogicalResult checkInserted(stablehlo::ScatterOp op,
                                            int64_t dim) {
    return mlir::success();
  }

  /// Replica groups along axes in another form than device ids; null: device
  /// ids.
  virtual mlir::Attribute groups(int32_t mesh, AxisRefs axes) {
    return nullptr;
  }
  /// The value gathered along the axes of each dimension; null: use one
  /// all_gather over all dimensions.
  virtual mlir::Value gather(mlir::OpBuilder &builder, sdy::AllGatherOp op,
                             int32_t mesh, llvm::ArrayRef<AxisList> axes) {
    return nullptr;
  }
  /// The local form of a reduce_scatter of several dimensions; null: use one
  /// reduce_scatter.
  virtual mlir::Value scatter(sdy::ReduceScatterOp op) { return nullptr; }
  /// How the collective combines summands; none if its attribute is unknown.
  virtual std::optional<ReducerKind> reducerOf(mlir::Operation *collective);

protected:
  Localizer &local;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LOCALIZE_LOCAL_FORM_H
