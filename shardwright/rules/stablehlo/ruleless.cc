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
  constexpr PropagationTraits byRule{};
  constexpr PartitionTraits noWork{.work = Work::None};
  attachNoRule<byRule, noWork, AfterAllOp, CreateTokenOp, GetTupleElementOp,
               PartitionIdOp>(context);
  attachNoRule<byRule, PartitionTraits{.isHostTransfer = true}, InfeedOp,
               OutfeedOp, RecvOp, SendOp>(context);
  attachNoRule<PropagationTraits{.makesConstant = true},
               PartitionTraits{.ignoresPaddingRows = true,
                               .fusion = Fusion::WithUsers},
               IotaOp>(context);
  attachNoRule<PropagationTraits{.becomesSdyConstant = true}, noWork,
               ConstantOp>(context);
  attachNoRule<byRule,
               PartitionTraits{.ignoresPaddingRows = true, .work = Work::None},
               OptimizationBarrierOp>(context);
  constexpr PartitionTraits controlFlow{.isControlFlow = true,
                                        .work = Work::None};
  attachNoRule<byRule, controlFlow, WhileOp, CaseOp>(context);
  attachRule<IfOp, &noRule, PropagationTraits{.newDataFlow = true},
             controlFlow>(context);
  attachRule<ReplicaIdOp, &noRule, byRule, noWork>(context);
  attachRules<&noRule, byRule, noWork, TupleOp, AsyncStartOp, AsyncDoneOp>(
      context);
  attachRules<&noRule, byRule, PartitionTraits{.takesShapeAsOperand = true},
              DynamicConvOp, DynamicGatherOp, DynamicIotaOp>(context);
  attachRule<CollectiveReduceOp, &noRule, byRule,
             PartitionTraits{.isCollective = true}>(context);
}
