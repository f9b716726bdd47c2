//===- remove_propagation_debug_info.cc - remove recorded origins ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_REMOVEPROPAGATIONDEBUGINFO
#include "shardwright/propagate/passes.h.inc"

namespace {

struct RemovePropagationDebugInfoPass
    : impl::RemovePropagationDebugInfoBase<RemovePropagationDebugInfoPass> {
  void runOnOperation() override {
    SmallVector<StringAttr> names;
    for (StringRef name :
         {sdy::kShardingOriginsAttr, sdy::kPropagationEdgesAttr,
          sdy::kBlockArgShardingOriginsAttr, sdy::kResultShardingOriginsAttr,
          sdy::kBlockArgPropagationEdgesAttr, sdy::kResultPropagationEdgesAttr})
      names.push_back(StringAttr::get(&getContext(), name));
    getOperation().walk([&](Operation *op) {
      for (StringAttr name : names) {
        op->removeDiscardableAttr(name);
        if (auto func = dyn_cast<FunctionOpInterface>(op)) {
          for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
            func.removeArgAttr(i, name);
          for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
            func.removeResultAttr(i, name);
        }
      }
    });
  }
};

} // namespace
} // namespace shardwright
