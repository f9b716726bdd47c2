//===- remove_sharding_groups.cc - remove sharding groups -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/passes.h"

namespace shardwright {

#define GEN_PASS_DEF_REMOVESHARDINGGROUPS
#include "shardwright/propagate/passes.h.inc"

namespace {

struct RemoveShardingGroupsPass
    : impl::RemoveShardingGroupsBase<RemoveShardingGroupsPass> {
  void runOnOperation() override {
    bool hasAny = getAnalysis<ModuleContents>().groups;
    markAnalysesPreserved<ModuleContents, OpIndex>();
    if (!hasAny)
      return;
    auto &index = getAnalysis<OpIndex>();
    for (mlir::Operation *op : index.inOrder(isNamed<sdy::ShardingGroupOp>))
      op->erase();
    index.forget(isNamed<sdy::ShardingGroupOp>);
  }
};

} // namespace
} // namespace shardwright
