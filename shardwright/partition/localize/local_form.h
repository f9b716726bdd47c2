//===- local_form.h - where passes to local programs differ -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hooks of the Localizer. The defaults are those of `sw-localize`;
// `sdy-convert-global-to-local` has its own (shardy/local/shardy_form.h).
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
  /// For ops of one function. `local` owns the form.
  explicit LocalForm(Localizer &local) : local(local) {}
  virtual ~LocalForm();
  LocalForm(const LocalForm &) = delete;

  /// Shardings stay on ops and functions.
  virtual bool keepsShardings() const { return false; }
  /// An all_to_all takes over a permute that only reorders its axes.
  virtual bool mergesPermutes() const { return true; }
  /// Passes that a diagnostic asks the user to run before, where a value is not
  /// in the layout of the function's result, or of its collective.
  virtual llvm::StringRef passBeforeReturns() const;
  virtual llvm::StringRef passBeforeCollectives() const;

  /// Called for each op while it has its global types, before those in it.
  virtual void read(mlir::Operation *op) {}
  /// Makes the op local; none: as the Localizer does.
  virtual std::optional<mlir::LogicalResult> visit(mlir::Operation *op) {
    return std::nullopt;
  }
  /// `value` takes the place of `from`, a result of an op that was visited.
  virtual void inherit(mlir::Value value, mlir::Value from) {}

  /// Fails with a diagnostic where shards of dimension `dim` of the op's
  /// result need these rows of an operand's dimension of `size` rows in so
  /// many shards, and may not fetch them.
  virtual mlir::LogicalResult checkRows(mlir::Operation *op, int64_t dim,
                                        const RowWindow &rows, int64_t size,
                                        int64_t shards) {
    return mlir::success();
  }
  /// Likewise where a scatter inserts rows that no index names into a sharded
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
  /// The value gathered along the axes of each dimension; null: by one
  /// all_gather of all dimensions.
  virtual mlir::Value gather(mlir::OpBuilder &builder, sdy::AllGatherOp op,
                             int32_t mesh, llvm::ArrayRef<AxisList> axes) {
    return nullptr;
  }
  /// The local form of a reduce_scatter of several dimensions; null: one
  /// reduce_scatter.
  virtual mlir::Value scatter(sdy::ReduceScatterOp op) { return nullptr; }
  /// How the collective combines summands; none if its attribute is unknown.
  virtual std::optional<ReducerKind> reducerOf(mlir::Operation *collective);

protected:
  Localizer &local;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LOCALIZE_LOCAL_FORM_H
