//===- sharding_groups.cc - values that share one sharding ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine/sharding_groups.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/support/id_map.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

/// True if all dimensions are open and empty and there are no other axes.
static bool isFullyOpen(TensorShardingAttr sharding) {
  return sharding == TensorShardingAttr::getFullyOpen(sharding.getContext(),
                                                      sharding.getRank(),
                                                      sharding.getMeshOrRef());
}

/// The op at which diagnostics about a value are reported.
static Operation *owningOp(Value value) {
  Operation *definer = value.getDefiningOp();
  return definer ? definer : value.getParentBlock()->getParentOp();
}

void syncShardingGroups(ModuleOp module) {
  OrderedIdMap<SmallVector<sdy::ShardingGroupOp>> groups;
  module.walk(
      [&](sdy::ShardingGroupOp op) { groups[op.getGroupId()].push_back(op); });
  for (auto &[id, members] : groups) {
    TensorShardingAttr reference;
    bool agree = true;
    for (sdy::ShardingGroupOp member : members) {
      TensorShardingAttr sharding = sdy::getSharding(member.getInput());
      if (!sharding || isFullyOpen(sharding))
        continue;
      if (!reference)
        reference = sharding;
      agree &= sharding == reference;
    }
    if (!reference)
      continue;
    if (agree) {
      for (sdy::ShardingGroupOp member : members)
        sdy::setSharding(member.getInput(), reference);
      continue;
    }
    owningOp(members.front().getInput())
            ->emitWarning(
                "The initial operand shardings on the sharding groups of "
                "groupID: ")
        << id
        << " do not match. Inserting an open sharding constraint to all "
           "constrained values. This can be caused when shardings from "
           "different values are grouped (e.g. from jax.shard_alike) but have "
           "separate inconsistent sharding constraints on them.";
    for (sdy::ShardingGroupOp member : members) {
      Value value = member.getInput();
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfterValue(value);
      auto constraint = sdy::ShardingConstraintOp::create(
          builder, value.getLoc(), value.getType(), value,
          TensorShardingAttr::getFullyOpen(
              module.getContext(), cast<ShapedType>(value.getType()).getRank(),
              reference.getMeshOrRef()));
      value.replaceAllUsesExcept(constraint, constraint);
    }
  }
}

} // namespace shardwright
