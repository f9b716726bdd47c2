//===- sharding_constraint_to_reshard.cc - constraints become reshards -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/propagate/export/export_steps.h"
#include "shardwright/propagate/passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_SHARDINGCONSTRAINTTORESHARD
#include "shardwright/propagate/passes.h.inc"

void constraintsToReshards(OpIndex &index) {
  for (Operation *old : index.inOrder(isNamed<sdy::ShardingConstraintOp>)) {
    auto op = cast<sdy::ShardingConstraintOp>(old);
    OpBuilder builder(op);
    auto reshard = sdy::ReshardOp::create(builder, op.getLoc(), op.getType(),
                                          op.getInput(), op.getShardingAttr());
    reshard->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op.replaceAllUsesWith(reshard.getResult());
    op.erase();
  }
  index.forget(isNamed<sdy::ShardingConstraintOp>);
}

namespace {

struct ShardingConstraintToReshardPass
    : impl::ShardingConstraintToReshardBase<ShardingConstraintToReshardPass> {
  void runOnOperation() override {
    OpIndex index(getOperation());
    constraintsToReshards(index);
  }
};

} // namespace
} // namespace shardwright
