//===- annotations.cc - the annotations that the user wrote ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain_impl.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/location_text.h"

using namespace mlir;

namespace shardwright {

static std::string kindOf(Value value, const UserValue &user) {
  if (user.argument >= 0)
    return "argument";
  if (value.getDefiningOp<sdy::ShardingConstraintOp>())
    return "constraint";
  Operation *owner = isa<BlockArgument>(value)
                         ? cast<BlockArgument>(value).getOwner()->getParentOp()
                         : value.getDefiningOp();
  return isa_and_present<sdy::ManualComputationOp>(owner) ? "manual" : "value";
}

std::vector<Explainer::Given> Explainer::annotations() const {
  const ExplainRun &run = *impl->run;
  std::vector<Given> all;
  for (auto [id, user] : llvm::enumerate(impl->user.all())) {
    if (run.values[id].empty())
      continue;
    // Copies of a function have the annotations of their original.
    Value value = run.values[id].front(), holder = shardingHolder(value);
    sdy::TensorShardingAttr sharding = run.initial.lookup(holder);
    if (!sharding || !(run.annotated.contains(holder) ||
                       holder.getDefiningOp<sdy::ShardingConstraintOp>()))
      continue;
    all.push_back({int32_t(id), -1, shardingText(sharding, *run.module),
                   kindOf(value, user), filePosition(user.location)});
  }
  for (auto [i, sharding] : llvm::enumerate(run.initialResults))
    if (sharding)
      all.push_back(
          {-1, int32_t(i), shardingText(sharding, *run.module), "result", ""});
  return all;
}

} // namespace shardwright
