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
  attachRules<&pointwiseRule, kElementwise, AbsOp, CbrtOp, CeilOp, ClzOp,
              ConvertOp, CosineOp, ExpOp, Expm1Op, FloorOp, ImagOp, IsFiniteOp,
              Log1pOp, LogOp, LogisticOp, NegOp, NotOp, PopulationCountOp,
              RealOp, ReducePrecisionOp, RoundNearestEvenOp, RoundOp, RsqrtOp,
              SignOp, SineOp, SqrtOp, TanOp, TanhOp>(context);
  attachRules<&pointwiseRule, kElementwise, AddOp, AndOp, Atan2Op, CompareOp,
              ComplexOp, DivOp, MaxOp, MinOp, MulOp, OrOp, PowOp, RemOp,
              ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp,
              SubtractOp, XorOp>(context);
  attachRule<SelectOp, &selectRule, kElementwise>(context);
  attachRule<ClampOp, &clampRule, kElementwise>(context);
  attachRules<&extraPointwiseRule, kElementwise, UniformDequantizeOp,
              UniformQuantizeOp>(context);
  attachRule<MapOp, &extraPointwiseRule>(context);
}
