//===- remove_propagation_debug_info.cc - remove recorded origins ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/border_attributes.h"
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
      for (StringAttr name : names)
        op->removeDiscardableAttr(name);
      auto func = dyn_cast<FunctionOpInterface>(op);
      if (!func)
        return;
      sdy::BorderAttributes border(func);
      for (StringAttr name : names) {
        for (unsigned i = 0; i < border.numArguments(); ++i)
          border.setArgument(i, name, nullptr);
        for (unsigned i = 0; i < border.numResults(); ++i)
          border.setResult(i, name, nullptr);
      }
      border.write();
    });
  }
};

} // namespace
} // namespace shardwright
