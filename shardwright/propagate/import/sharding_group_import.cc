//===- sharding_group_import.cc - merge overlapping groups ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/support/id_map.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_SHARDINGGROUPIMPORT
#include "shardwright/propagate/passes.h.inc"

/// Checks that members of one id have equal shapes and the same enclosing
/// manual computation.
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

  // Groups with a common value are merged. By value in order, the first id
  // absorbs the others.
  OrderedIdMap<int64_t> leaderOf;
  auto leader = [&](int64_t id) {
    while (leaderOf[id] != id)
      id = leaderOf[id];
    return id;
  };
  llvm::MapVector<Value, SmallVector<int64_t, 1>> idsOfValue;
  for (sdy::ShardingGroupOp op : members) {
    leaderOf.insert({op.getGroupId(), op.getGroupId()});
    idsOfValue[op.getInput()].push_back(op.getGroupId());
  }
  for (auto &[value, ids] : idsOfValue)
    for (int64_t id : ids)
      leaderOf[leader(id)] = leader(ids.front());
  // New ids are numbered by the first occurrence of the old ids.
  IdMap<int64_t> newId;
  for (auto [id, next] : leaderOf)
    if (id == next)
      newId.try_emplace(id, newId.size());

  Builder builder(module.getContext());
  llvm::DenseSet<Value> seen;
  for (sdy::ShardingGroupOp op : members) {
    if (!seen.insert(op.getInput()).second) {
      op.erase();
      continue;
    }
    op.setGroupIdAttr(
        builder.getI64IntegerAttr(newId[leader(op.getGroupId())]));
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
