//===- pre_order_funcs.cc - callers come before callees ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_PREORDERFUNCS
#include "shardwright/propagate/passes.h.inc"

namespace {

struct PreOrderFuncsPass : impl::PreOrderFuncsBase<PreOrderFuncsPass> {
  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> order = callersFirst(getOperation());
    if (failed(order))
      return signalPassFailure();
    Block *body = getOperation().getBody();
    for (func::FuncOp func : *order)
      func->moveBefore(body, body->end());
  }
};

} // namespace
} // namespace shardwright
