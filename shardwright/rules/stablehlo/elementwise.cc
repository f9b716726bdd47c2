//===- elementwise.cc - rules of elementwise ops --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

/// The predicate may be a scalar, which has no factor.
static std::optional<ShardingRule> selectRule(stablehlo::SelectOp op,
                                              const RuleOptions &) {
  return RuleBuilder(op).pointwise(shapeOf(op->getResult(0))).finish();
}

/// Each bound may be a scalar.
static std::optional<ShardingRule> clampRule(stablehlo::ClampOp op,
                                             const RuleOptions &) {
  return RuleBuilder(op).pointwise(shapeOf(op.getOperand())).finish();
}

/// An extra rule: Shardy has none.
static std::optional<ShardingRule>
extraPointwiseRule(Operation *op, const RuleOptions &options) {
  return options.extraRules ? pointwiseRule(op, options) : std::nullopt;
}

void shardwright::attachElementwiseRules(MLIRContext &context) {
  using namespace stablehlo;
  constexpr PartitionTraits loops{.fusion = Fusion::WithUsers};
  attachRules<&pointwiseRule, kElementwise, loops, AbsOp, CeilOp, ClzOp,
              ConvertOp, FloorOp, ImagOp, IsFiniteOp, NegOp, NotOp,
              PopulationCountOp, RealOp, ReducePrecisionOp, RoundNearestEvenOp,
              RoundOp, SignOp>(context);
  attachRules<&pointwiseRule, kElementwise, loops, AddOp, AndOp, CompareOp,
              ComplexOp, MaxOp, MinOp, MulOp, OrOp, ShiftLeftOp,
              ShiftRightArithmeticOp, ShiftRightLogicalOp, SubtractOp, XorOp>(
      context);
  // As vector libraries compute them.
  constexpr auto as = [](uint8_t operations) {
    return PartitionTraits{.operations = operations,
                           .fusion = Fusion::WithUsers};
  };
  attachRules<&pointwiseRule, kElementwise, as(4), DivOp, RemOp, RsqrtOp,
              SqrtOp>(context);
  attachRules<&pointwiseRule, kElementwise, as(10), ExpOp, Expm1Op, LogisticOp>(
      context);
  attachRules<&pointwiseRule, kElementwise, as(14), CbrtOp, LogOp, Log1pOp,
              TanhOp>(context);
  attachRules<&pointwiseRule, kElementwise, as(24), Atan2Op, CosineOp, SineOp,
              TanOp>(context);
  attachRules<&pointwiseRule, kElementwise, as(40), PowOp>(context);
  attachRule<SelectOp, &selectRule, kElementwise, loops>(context);
  attachRule<ClampOp, &clampRule, kElementwise, loops>(context);
  attachRules<&extraPointwiseRule, kElementwise, loops, UniformDequantizeOp,
              UniformQuantizeOp>(context);
  attachRule<MapOp, &extraPointwiseRule, PropagationTraits{},
             PartitionTraits{.ignoresPaddingRows = true,
                             .fusion = Fusion::WithProducers}>(context);
}
