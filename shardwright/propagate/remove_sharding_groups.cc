//===- remove_sharding_groups.cc - no sharding groups ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/module_contents.h"
#include "shardwright/propagate/passes.h"

namespace shardwright {

#define GEN_PASS_DEF_REMOVESHARDINGGROUPS
#include "shardwright/propagate/passes.h.inc"

namespace {

struct RemoveShardingGroupsPass
    : impl::RemoveShardingGroupsBase<RemoveShardingGroupsPass> {
  void runOnOperation() override {
    bool hasAny = getAnalysis<ModuleContents>().groups;
    markAnalysesPreserved<ModuleContents>();
    if (hasAny)
      getOperation().walk([](sdy::ShardingGroupOp op) { op.erase(); });
  }
};

} // namespace
} // namespace shardwright
