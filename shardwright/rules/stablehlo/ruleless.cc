//===- ruleless.cc - StableHLO ops without a rule -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

/// No rule, but a warning, as in Shardy.
static std::optional<ShardingRule> noRule(Operation *, const RuleOptions &) {
  return std::nullopt;
}

void shardwright::attachRulelessOps(MLIRContext &context) {
  using namespace stablehlo;
  attachNoRule<PropagationTraits{}, AfterAllOp, CreateTokenOp,
               GetTupleElementOp, InfeedOp, OutfeedOp, PartitionIdOp, RecvOp,
               SendOp>(context);
  attachNoRule<PropagationTraits{.makesConstant = true}, IotaOp>(context);
  attachNoRule<PropagationTraits{.becomesSdyConstant = true}, ConstantOp>(
      context);
  attachRule<ReplicaIdOp, &noRule>(context);
  attachRule<IfOp, &noRule, PropagationTraits{.newDataFlow = true}>(context);
}
