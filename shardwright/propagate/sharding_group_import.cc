//===- sharding_group_import.cc - groups that share a value are one ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/import_steps.h"
#include "shardwright/propagate/passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <map>

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_SHARDINGGROUPIMPORT
#include "shardwright/propagate/passes.h.inc"

/// Members of one id have one shape and one enclosing manual computation.
static LogicalResult check(ArrayRef<sdy::ShardingGroupOp> members) {
  std::map<int64_t, sdy::ShardingGroupOp> first;
  for (sdy::ShardingGroupOp op : members) {
    int64_t id = op.getGroupId();
    sdy::ShardingGroupOp other = first.try_emplace(id, op).first->second;
    if (op->getParentOfType<sdy::ManualComputationOp>() !=
        other->getParentOfType<sdy::ManualComputationOp>())
      return op.emitError("ShardingGroupOps values cannot cross "
                          "ManualComputationOp boundaries for groupId: ")
             << id;
    if (cast<ShapedType>(op.getInput().getType()).getShape() !=
        cast<ShapedType>(other.getInput().getType()).getShape())
      return op.emitError(
                 "ShardingGroupOps values must have the same shape for "
                 "groupId: ")
             << id;
  }
  return success();
}

LogicalResult importShardingGroups(ModuleOp module) {
  SmallVector<sdy::ShardingGroupOp> members;
  module.walk([&](sdy::ShardingGroupOp op) { members.push_back(op); });
  if (failed(check(members)))
    return failure();

  // Two ids on one value are one group.
  llvm::EquivalenceClasses<int64_t> groups;
  llvm::DenseMap<Value, int64_t> idOfValue;
  for (sdy::ShardingGroupOp op : members) {
    int64_t id = op.getGroupId();
    groups.insert(id);
    auto [it, isNew] = idOfValue.try_emplace(op.getInput(), id);
    if (!isNew)
      groups.unionSets(it->second, id);
  }
  // By smallest original id.
  std::map<int64_t, int64_t> newId;
  std::map<int64_t, int64_t> leaderOf;
  for (sdy::ShardingGroupOp op : members) {
    int64_t id = op.getGroupId();
    int64_t leader = groups.getLeaderValue(id);
    auto [it, isNew] = leaderOf.try_emplace(leader, id);
    it->second = std::min(it->second, id);
  }
  std::map<int64_t, int64_t> leaderBySmallest;
  for (auto [leader, smallest] : leaderOf)
    leaderBySmallest[smallest] = leader;
  for (auto [smallest, leader] : leaderBySmallest)
    newId.try_emplace(leader, newId.size());

  Builder builder(module.getContext());
  llvm::DenseSet<Value> seen;
  for (sdy::ShardingGroupOp op : members) {
    if (!seen.insert(op.getInput()).second) {
      op.erase();
      continue;
    }
    op.setGroupIdAttr(builder.getI64IntegerAttr(
        newId[groups.getLeaderValue(op.getGroupId())]));
  }
  return success();
}

namespace {

struct ShardingGroupImportPass
    : impl::ShardingGroupImportBase<ShardingGroupImportPass> {
  void runOnOperation() override {
    if (failed(importShardingGroups(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwright
