//===- planner_pool.h - planners that partitionings share -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is partitioned many times, with other shardings each time,
// needs mostly the same reshards. A pool keeps the planners, which keep their
// plans. A plan does not depend on earlier ones, so that a pool changes no
// result. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_PLANNER_POOL_H
#define SHARDWRIGHT_PARTITION_RESHARD_PLANNER_POOL_H

#include "shardwright/partition/reshard/reshard_planner.h"

#include <memory>
#include <vector>

namespace shardwright {

class PlannerPool {
public:
  /// The planner for this mesh, these costs and this effort.
  std::shared_ptr<ReshardPlanner>
  planner(const Mesh &mesh, const CostModel &costs, Effort effort) {
    for (const std::shared_ptr<ReshardPlanner> &known : planners)
      if (known->getMesh() == mesh && known->getCosts() == costs &&
          known->getEffort() == effort)
        return known;
    planners.push_back(std::make_shared<ReshardPlanner>(mesh, costs, effort));
    return planners.back();
  }

private:
  std::vector<std::shared_ptr<ReshardPlanner>> planners;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_PLANNER_POOL_H
