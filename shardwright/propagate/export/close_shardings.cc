//===- close_shardings.cc - close all dimensions --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/index/sharding_walk.h"
#include "shardwright/propagate/passes.h"

namespace shardwright {

#define GEN_PASS_DEF_CLOSESHARDINGS
#include "shardwright/propagate/passes.h.inc"

namespace {

struct CloseShardingsPass : impl::CloseShardingsBase<CloseShardingsPass> {
  void runOnOperation() override {
    transformShardings(getOperation(), [](sdy::TensorShardingAttr sharding) {
      return sharding.getClosedLike();
    });
    markAnalysesPreserved<ModuleContents, OpIndex>();
  }
};

} // namespace
} // namespace shardwright
