//===- expand_complex_math.cc - complex functions as real arithmetic ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/chlo_passes.h"
#include "shardwright/interop/chlo/complex_parts.h"
#include "shardwright/interop/chlo/replace_op.h"

using namespace mlir;

namespace shardwright {

using namespace chlo_expansion;

namespace chlo_expansion {

Complex partsOf(MathBuilder &math, Value value, bool widen) {
  auto parts = [&]() -> std::pair<Value, Value> {
    if (auto join = value.getDefiningOp<stablehlo::ComplexOp>())
      return {join.getLhs(), join.getRhs()};
    return {stablehlo::RealOp::create(math.builder, math.loc, value),
            stablehlo::ImagOp::create(math.builder, math.loc, value)};
  };
  auto [re, im] = parts();
  Expr realPart(math, re), imagPart(math, im);
  Type wide = Float64Type::get(value.getContext());
  return {widen ? realPart.to(wide) : realPart,
          widen ? imagPart.to(wide) : imagPart};
}

Value joinParts(Complex z, Type element) {
  Type part = cast<ComplexType>(element).getElementType();
  return z.re.to(part).binary<stablehlo::ComplexOp>(z.im.to(part)).value();
}

} // namespace chlo_expansion

namespace {

using Unary = Complex (*)(Complex);

constexpr std::pair<StringLiteral, Unary> kUnary[] = {
    {"stablehlo.cbrt", cbrt},
    {"stablehlo.cosine", cos},
    {"stablehlo.exponential", exp},
    {"stablehlo.exponential_minus_one", expm1},
    {"stablehlo.log", log},
    {"stablehlo.log_plus_one", log1p},
    {"stablehlo.logistic", logistic},
    {"stablehlo.rsqrt", rsqrt},
    {"stablehlo.sign", sign},
    {"stablehlo.sine", sin},
    {"stablehlo.sqrt", sqrt},
    {"stablehlo.tan", tan},
    {"stablehlo.tanh", tanh},
};

Unary unaryOf(Operation *op) {
  for (auto [name, function] : kUnary)
    if (name == op->getName().getStringRef())
      return function;
  return nullptr;
}

bool hasComplexOperand(Operation *op) {
  if (op->getNumOperands() == 0)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return type && isa<ComplexType>(type.getElementType());
}

struct ExpandComplexMathPass
    : PassWrapper<ExpandComplexMathPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandComplexMathPass)

  StringRef getArgument() const final { return "sw-expand-complex-math"; }
  StringRef getDescription() const final {
    return "Replaces functions of complex numbers by real arithmetic";
  }
  void runOnOperation() final { expandComplexMath(getOperation()); }
};

} // namespace

bool expandComplexOp(Operation *op) {
  if (!hasComplexOperand(op))
    return false;
  Unary unary = unaryOf(op);
  bool isAbs = isa<stablehlo::AbsOp>(op), isDiv = isa<stablehlo::DivOp>(op),
       isPow = isa<stablehlo::PowOp>(op);
  if (!unary && !isAbs && !isDiv && !isPow)
    return false;
  OpBuilder b(op);
  MathBuilder math{b, op->getLoc(), op->getOperand(0)};
  Type element =
      cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  Complex z = partsOf(math, op->getOperand(0), /*widen=*/true);
  Value result;
  if (isAbs) {
    Type part = cast<ComplexType>(element).getElementType();
    result = abs(z).to(part).value();
  } else if (unary) {
    result = joinParts(unary(z), element);
  } else {
    Complex w = partsOf(math, op->getOperand(1), /*widen=*/true);
    result = joinParts(isDiv ? divide(z, w) : pow(z, w), element);
  }
  replaceOp(op, result);
  return true;
}

// Replaces a part of a joined value by the original part.
static bool takeJoinedPart(Operation *op) {
  if (!isa<stablehlo::RealOp, stablehlo::ImagOp>(op))
    return false;
  auto join = op->getOperand(0).getDefiningOp<stablehlo::ComplexOp>();
  if (!join)
    return false;
  Value part = isa<stablehlo::RealOp>(op) ? join.getLhs() : join.getRhs();
  if (part.getType() != op->getResult(0).getType() ||
      !op->getDiscardableAttrDictionary().empty())
    return false;
  op->getResult(0).replaceAllUsesWith(part);
  op->erase();
  return true;
}

void expandComplexMath(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (!takeJoinedPart(op))
      expandComplexOp(op);
  SmallVector<Operation *> joins;
  root->walk([&](stablehlo::ComplexOp op) { joins.push_back(op); });
  for (Operation *op : llvm::reverse(joins))
    if (op->use_empty())
      op->erase();
}

std::unique_ptr<Pass> createExpandComplexMathPass() {
  return std::make_unique<ExpandComplexMathPass>();
}

} // namespace shardwright
