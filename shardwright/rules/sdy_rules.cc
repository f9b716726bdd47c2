//===- sdy_rules.cc - rules of sdy's own ops ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

void shardwright::attachSdyRules(MLIRContext &context) {
  // Their shardings are properties, which rules do not read.
  constexpr PropagationTraits traits{.elementwise = true,
                                     .schedule = Schedule::PassThroughOp,
                                     .preservesConstants = true};
  attachRule<sdy::ShardingConstraintOp, &pointwiseRule, traits>(context);
  // Propagation handles these by their effect.
  attachNoRule<traits, sdy::PropagationBarrierOp, sdy::ReshardOp>(context);
  attachNoRule<PropagationTraits{.makesConstant = true}, sdy::ConstantOp>(
      context);
}
