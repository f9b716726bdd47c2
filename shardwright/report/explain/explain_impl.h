//===- explain_impl.h - what explain.h keeps to itself ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_IMPL_H
#define SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_IMPL_H

#include "shardwright/report/explain/explain.h"
#include "shardwright/report/explain/explain_run.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// The name of an op as people say it.
std::string opText(mlir::Operation *op);
/// Where an op is, by the user's own location.
std::string whereOf(mlir::Operation *op);

class Explainer::Impl {
public:
  // Ops have no const access.
  mutable mlir::ModuleOp imported;
  const UserValues &user;
  std::unique_ptr<ExplainRun> run;
  mutable mlir::func::FuncOp main;

  Impl(mlir::ModuleOp imported, const UserValues &user)
      : imported(imported), user(user) {}

  const Mesh &mesh() const {
    static const Mesh none;
    return run->reasons.mesh() ? *run->reasons.mesh() : none;
  }

  // explain_reasons.cc
  const UserValue *userValue(PlaceId place) const;
  std::string nameOf(PlaceId place) const;
  /// An op as the user wrote it, if this one is of its expansion.
  std::string opTextOfUser(mlir::Operation *op) const;
  /// Says how the axis came to be there at the start.
  void setOrigin(PlaceId place, int32_t dim, ExplainedAxis &axis) const;
  ExplainedAxis explainAxis(PlaceId place, int32_t dim, AxisRef axis) const;
  std::string dimText(PlaceId place, int32_t dim) const;
  std::string whyOf(const AxisStop &stop) const;
  ExplainedStop explainStop(const AxisStop &stop) const;

  // suggest.cc
  /// The sharding of the place with the axis on the dimension.
  TensorSharding wanted(PlaceId place, int64_t rank, int32_t dim,
                        AxisRef axis) const;
  /// An annotation of the target that brings the axis there, if one does: it is
  /// tried.
  std::optional<Suggestion> suggest(const AxisStop &stop) const;

  // explain.cc
  /// What the program has in the end: where it begins and ends, axes that do
  /// not divide are cut.
  TensorSharding finalSharding(PlaceId place, mlir::RankedTensorType type,
                               bool isBoundary, ExplainedValue &out) const;
  void fill(PlaceId place, mlir::Type type, bool isBoundary, bool withStops,
            ExplainedValue &out) const;
  /// Ops around the value that carry nothing at all.
  void noteOpaqueOps(mlir::Value value, ExplainedValue &out) const;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_IMPL_H
