//===- kept_plans.h - plans that partitionings share ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is partitioned many times, with other shardings each time,
// needs mostly the same plans of ops and the same reshards. A plan does not
// depend on earlier ones, so that keeping them changes no result.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_KEPT_PLANS_H
#define SHARDWRIGHT_PARTITION_INSERT_KEPT_PLANS_H

#include "shardwright/partition/insert/plan_memo.h"

#include <optional>

namespace shardwright {

/// For modules of one MLIR context, which must outlive it, partitioned without
/// an observer. Not thread-safe.
class KeptPlans {
public:
  KeptPlans() = default;
  KeptPlans(const KeptPlans &) = delete;

  /// Prepares for a partitioning of the module. Plans of ops are kept if the
  /// last module had the same meshes, costs and effort. Fails with a diagnostic
  /// as MeshTable::create() does.
  mlir::LogicalResult begin(mlir::ModuleOp module, const CostModel &costs,
                            Effort effort);
  /// Valid until the next `begin`.
  MeshTable &getMeshes() { return *meshes; }
  PlanMemo &getMemo() { return *memo; }

private:
  using NamedMeshes =
      llvm::SmallVector<std::pair<mlir::Attribute, sdy::MeshAttr>, 2>;
  bool mayKeep(const NamedMeshes &now, const CostModel &costs,
               Effort effort) const;

  PlannerPool planners;
  /// Of the last module, and what the table was made from.
  std::optional<MeshTable> meshes;
  NamedMeshes named;
  int32_t numNamed = 0;
  Effort effort = Effort::Normal;
  /// Refers to the layouts of `meshes`.
  std::optional<PlanMemo> memo;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_KEPT_PLANS_H
