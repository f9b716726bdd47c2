//===- kept_plans.cc - plans that partitionings share ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/kept_plans.h"

using namespace mlir;

namespace shardwright {

/// With more plans of ops, a new memo is begun: each takes about 1 KiB.
constexpr size_t kMostPlans = 100000;

bool KeptPlans::mayKeep(const NamedMeshes &now, const CostModel &costs,
                        Effort asked) const {
  // Meshes that the last module has written inline would get other numbers in
  // this one.
  return meshes && named == now && effort == asked &&
         meshes->getCosts() == costs && meshes->size() == numNamed &&
         !meshes->hasSizes() && memo->size() <= kMostPlans;
}

LogicalResult KeptPlans::begin(ModuleOp module, const CostModel &costs,
                               Effort asked) {
  NamedMeshes now;
  for (auto mesh : module.getOps<sdy::MeshOp>())
    now.push_back({mesh.getSymNameAttr(), mesh.getMesh()});
  if (mayKeep(now, costs, asked)) {
    memo->forgetSingle();
    return success();
  }
  memo.emplace();
  meshes.reset();
  FailureOr<MeshTable> made =
      MeshTable::create(module, costs, asked, &planners);
  if (failed(made))
    return failure();
  meshes.emplace(std::move(*made));
  named = std::move(now);
  numNamed = meshes->size();
  effort = asked;
  return success();
}

} // namespace shardwright
