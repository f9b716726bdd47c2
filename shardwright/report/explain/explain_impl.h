//===- explain_impl.h - internals of explain.h ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_IMPL_H
#define SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_IMPL_H

#include "shardwright/report/explain/explain.h"
#include "shardwright/report/explain/explain_run.h"
#include "shardwright/report/explain/reason_paths.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// The name of an op as shown to users.
std::string opText(mlir::Operation *op);
/// Position of an op, by its location in the user's source.
std::string whereOf(mlir::Operation *op);

/// A sharding as text; `at` is an op of its module. Empty without its mesh.
std::string shardingText(sdy::TensorShardingAttr sharding, mlir::Operation *at);

class Explainer::Impl {
public:
  // MLIR's accessors are not const.
  mutable mlir::ModuleOp imported;
  const UserValues &user;
  ShardyVersion shardy;
  std::unique_ptr<ExplainRun> run;
  mutable mlir::func::FuncOp main;

  mutable ReasonPaths paths;
  /// By place: the numbers of the stops at it or from it, ascending.
  std::vector<std::vector<int32_t>> stopsAround;

  Impl(mlir::ModuleOp imported, const UserValues &user, ShardyVersion shardy)
      : imported(imported), user(user), shardy(shardy), paths(*this) {}

  const Mesh &mesh() const {
    static const Mesh none;
    return run->reasons.mesh() ? *run->reasons.mesh() : none;
  }

  // explain_reasons.cc
  const UserValue *userValue(PlaceId place) const;
  std::string nameOf(PlaceId place) const;
  /// The user's op if this op is part of its expansion.
  std::string opTextOfUser(mlir::Operation *op) const;
  /// Explains why an axis was there at the start.
  PathOrigin originOf(PlaceId place, int32_t dim) const;
  /// The path that starts at the row.
  ExplainedAxis expand(const IndexedValue::Axis &axis) const;
  std::string dimText(PlaceId place, int32_t dim) const;
  std::string whyOf(const AxisStop &stop) const;
  ExplainedStop explainStop(const AxisStop &stop) const;

  // suggest.cc
  /// The sharding of the place with the axis on the dimension.
  TensorSharding wanted(PlaceId place, int64_t rank, int32_t dim,
                        AxisRef axis) const;
  /// An annotation of the target that brings the axis there; none unless a
  /// trial succeeds.
  std::optional<Suggestion> suggest(const AxisStop &stop) const;

  // explain.cc
  /// The sharding in the final program: at its borders, axes that do not divide
  /// are cut.
  TensorSharding finalSharding(PlaceId place, mlir::RankedTensorType type,
                               bool isBoundary, ExplainedValue &out) const;
  void index(PlaceId place, mlir::Type type, bool isBoundary, bool withStops,
             IndexedValue &out) const;
  void indexStops(const TensorSharding &sharding, IndexedValue &out) const;
  IndexedValue indexCopy(int32_t id, size_t copy, bool withStops) const;
  IndexedValue indexResult(unsigned result, bool withStops) const;
  /// With the paths and obstacles.
  ExplainedValue expand(IndexedValue indexed) const;
  /// Notes the ops around the value through which no axis propagates.
  void noteOpaqueOps(mlir::Value value, ExplainedValue &out) const;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_IMPL_H
