//===- insert_collectives.cc - make all communication explicit ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs stage 1: rewrites of the global program (prepare/), the Inserter on each
// function, rewrites of reductions, clean-up.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/insert_collectives.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/delay_reductions.h"
#include "shardwright/partition/insert/erase_unused.h"
#include "shardwright/partition/insert/fuse_collectives.h"
#include "shardwright/partition/insert/inserter.h"
#include "shardwright/partition/insert/kept_plans.h"
#include "shardwright/partition/insert/reduce_unmerged.h"
#include "shardwright/partition/insert/sum_costs.h"
#include "shardwright/partition/prepare/compose_slices.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/partition/prepare/scatter_as_update.h"

using namespace mlir;

namespace shardwright {

void Inserter::improveReductions() {
  if (reduces.empty() && !scatters)
    return;
  delayReductions(meshes, sums, reduces);
  if (slices)
    fuseCollectives(reduces, meshes);
}

void Inserter::eraseUnused(Region &region) {
  shardwright::eraseUnused(
      region, [&](Operation *op) { return traitsOf(op).isVisited; });
}

LogicalResult insertCollectives(ModuleOp module,
                                const PartitionOptions &options) {
  InlinedOps found;
  if (failed(inlineCalls(module, &found)))
    return failure();
  composeSlices(module, found.joins);
  widenSlices(found.joins);
  // Before the rewrites below, which may erase reshapes. They add none that
  // merge dimensions.
  bool merges = llvm::any_of(found.reshapes, [](Operation *op) {
    return mayMergeSharded(cast<stablehlo::ReshapeOp>(op));
  });
  for (Operation *op : found.folds) {
    if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
      updateInPlaceOfScatter(scatter);
    else if (merges)
      reduceUnmerged(cast<stablehlo::ReduceOp>(op));
  }
  KeptPlans own;
  KeptPlans &kept = options.kept ? *options.kept : own;
  if (failed(kept.begin(module, plannerCosts(module, options), options.effort)))
    return failure();
  for (auto func : module.getOps<func::FuncOp>()) {
    PlannedCosts costs;
    bool isSummed = options.planned && func == sdy::getMainFunc(module);
    Inserter inserter(kept.getMeshes(), kept.getMemo(), options.observer,
                      /*plan=*/nullptr, isSummed ? &costs : nullptr);
    if (failed(inserter.runOnFunction(func, found)))
      return failure();
    if (isSummed)
      *options.planned = sumCosts(func.getBody(), costs);
    inserter.improveReductions();
    inserter.eraseUnused(func.getBody());
  }
  return success();
}

} // namespace shardwright
