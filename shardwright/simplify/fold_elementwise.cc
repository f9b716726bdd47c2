//===- fold_elementwise.cc - elementwise ops of constants ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/evaluate.h"
#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

struct FoldElementwise final : OpRewrite {
  FoldElementwise(StringRef name, int64_t limit)
      : OpRewrite(name, /*areTypesPlain=*/false, Order::First), limit(limit) {}

  LogicalResult run(Operation *op, PatternRewriter &rewriter) const override {
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp<ConstantOp>())
        return failure();
    Evaluator evaluate = evaluatorOf(op);
    if (!evaluate)
      return failure();
    auto type = tensorOf(op->getResult(0));
    SmallVector<Literal> operands;
    bool splat = true;
    for (Value operand : op->getOperands()) {
      std::optional<Literal> literal = Literal::of(operand, limit);
      if (!literal)
        return failure();
      splat &= literal->splat;
      operands.push_back(std::move(*literal));
    }
    int64_t n = splat ? 1 : type.getNumElements();
    if (n > limit)
      return failure();
    Literal result{type, *kindOf(op->getResult(0)), splat, {}};
    result.elements.reserve(n);
    SmallVector<Element> elements(operands.size());
    for (int64_t i = 0; i < n; ++i) {
      for (auto [element, operand] : llvm::zip(elements, operands))
        // Scalar predicates and bounds of select and clamp are splats.
        element = operand.at(i);
      std::optional<Element> value = evaluate(elements);
      if (!value)
        return failure();
      result.elements.push_back(*value);
    }
    rewriter.replaceOp(op, makeConstant(rewriter, op->getLoc(), result));
    return success();
  }

  int64_t limit;
};

template <typename... Ops> void addFolds(Patterns &patterns, int64_t limit) {
  (patterns.add<FoldElementwise>(Ops::getOperationName(), limit), ...);
}

} // namespace

void addFoldElementwise(Patterns &patterns, int64_t limit) {
  addFolds<AbsOp, AddOp, AndOp, CbrtOp, CeilOp, ClampOp, ClzOp, CompareOp,
           ComplexOp, ConvertOp, CosineOp, DivOp, ExpOp, Expm1Op, FloorOp,
           ImagOp, IsFiniteOp, Log1pOp, LogOp, LogisticOp, MaxOp, MinOp, MulOp,
           NegOp, NotOp, OrOp, PopulationCountOp, PowOp, RealOp,
           ReducePrecisionOp, RemOp, RoundNearestEvenOp, RoundOp, RsqrtOp,
           SelectOp, ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp,
           SignOp, SineOp, SqrtOp, SubtractOp, TanOp, TanhOp, XorOp>(patterns,
                                                                     limit);
}

} // namespace shardwright::simplifier
