//===- arithmetic.cc - arithmetic identities ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Only identities that hold for all operands: for floats, x + (-0) is x, but x
// + 0 is not (-0 + 0 is 0), and x - x is not 0 (NaN, infinity).

#include "shardwright/simplify/evaluate.h"
#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;
using namespace shardwright::stablehlo;
using llvm::APFloat;

namespace shardwright::simplifier {
namespace {

bool isZero(std::optional<Element> element) {
  return element && element->re == 0 && element->im == 0;
}
bool isNegativeZero(ElementKind kind, std::optional<Element> element) {
  return element && kind.semantics && kind.toFloat(element->re).isNegZero();
}
bool isOne(ElementKind kind, std::optional<Element> element) {
  if (!element || kind.kind == ElementKind::Complex)
    return false;
  if (kind.isFloat())
    return kind.toFloat(element->re)
        .bitwiseIsEqual(APFloat::getOne(*kind.semantics));
  return element->re == 1;
}

// Matches both operand orders of a commutative op: the constant may not have
// been moved to the right yet.
template <typename Op>
std::optional<std::pair<Value, Element>> withSplat(Op op) {
  if (std::optional<Element> element = splatOf(op.getRhs()))
    return std::pair{Value(op.getLhs()), *element};
  if (std::optional<Element> element = splatOf(op.getLhs()))
    return std::pair{Value(op.getRhs()), *element};
  return std::nullopt;
}

// True if no element is -0, so that adding 0 has no effect.
bool isNeverNegativeZero(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto convert = dyn_cast<ConvertOp>(op))
    return tensorOf(convert.getOperand()).getElementType().isInteger();
  if (isa<IotaOp, AbsOp, ExpOp, LogisticOp, CosineOp>(op))
    return true;
  // x + 0 is never -0.
  auto add = dyn_cast<AddOp>(op);
  return add &&
         (isZero(splatOf(add.getRhs())) || isZero(splatOf(add.getLhs())));
}

LogicalResult addIdentity(AddOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op);
  auto match = withSplat(op);
  if (!kind || !match)
    return failure();
  auto [x, c] = *match;
  switch (kind->kind) {
  case ElementKind::Bool: // or
    return isZero(c) ? replaceWith(rewriter, op, x)
                     : replaceWithSplat(rewriter, op, c);
  case ElementKind::Signed:
  case ElementKind::Unsigned:
    return isZero(c) ? replaceWith(rewriter, op, x) : failure();
  case ElementKind::Float:
    if (isNegativeZero(*kind, c) || (isZero(c) && isNeverNegativeZero(x)))
      return replaceWith(rewriter, op, x);
    return failure();
  case ElementKind::Complex:
    if (isNegativeZero(*kind, c) && isNegativeZero(*kind, Element{c.im}))
      return replaceWith(rewriter, op, x);
    return failure();
  }
  return failure();
}

LogicalResult subtractIdentity(SubtractOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op);
  if (!kind)
    return failure();
  // x - 0 is x for floats as well: -0 - 0 is -0.
  if (isZero(splatOf(op.getRhs())))
    return replaceWith(rewriter, op, op.getLhs());
  if (!kind->isInt())
    return failure();
  if (op.getLhs() == op.getRhs())
    return replaceWithSplat(rewriter, op, {});
  // Normalizes x - c to x + (-c), if -c can be expressed. 0 - x becomes
  // negate(x).
  if (std::optional<Element> c = splatOf(op.getRhs());
      c && kind->kind == ElementKind::Signed) {
    Value negative = makeSplat(rewriter, op.getLoc(), op.getType(),
                               {(0 - c->re) & kind->mask()});
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getLhs(), negative);
    return success();
  }
  if (isZero(splatOf(op.getLhs()))) {
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getRhs());
    return success();
  }
  // (x + y) - y and (y + x) - y
  if (auto add = definedBy<AddOp>(op.getLhs())) {
    if (add.getRhs() == op.getRhs())
      return replaceWith(rewriter, op, add.getLhs());
    if (add.getLhs() == op.getRhs())
      return replaceWith(rewriter, op, add.getRhs());
  }
  return failure();
}

LogicalResult multiplyIdentity(MulOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op);
  auto match = withSplat(op);
  if (!kind || !match)
    return failure();
  auto [x, c] = *match;
  if (isOne(*kind, c))
    return replaceWith(rewriter, op, x);
  if (kind->kind == ElementKind::Float || kind->kind == ElementKind::Complex)
    return failure();
  if (isZero(c))
    return replaceWithSplat(rewriter, op, {});
  if (kind->kind == ElementKind::Signed && c.re == kind->mask()) {
    rewriter.replaceOpWithNewOp<NegOp>(op, x);
    return success();
  }
  return failure();
}

LogicalResult divideIdentity(DivOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op);
  std::optional<Element> c = splatOf(op.getRhs());
  if (!kind || !c)
    return failure();
  if (isOne(*kind, c))
    return replaceWith(rewriter, op, op.getLhs());
  if (!kind->isFloat())
    return failure();
  // Division by a power of two whose inverse is a normal number is an exact
  // product.
  APFloat inverse(*kind->semantics);
  if (!kind->toFloat(c->re).getExactInverse(&inverse))
    return failure();
  Value factor =
      makeSplat(rewriter, op.getLoc(), op.getType(), {bitsOf(inverse)});
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), factor);
  return success();
}

LogicalResult remainderIdentity(RemOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op);
  if (kind && kind->isInt() && isOne(*kind, splatOf(op.getRhs())))
    return replaceWithSplat(rewriter, op, {});
  return failure();
}

LogicalResult powerIdentity(PowOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op);
  std::optional<Element> c = splatOf(op.getRhs());
  if (!kind || !c || kind->kind == ElementKind::Complex)
    return failure();
  if (isOne(*kind, c))
    return replaceWith(rewriter, op, op.getLhs());
  if (kind->isFloat()) {
    if (!kind->toFloat(c->re).isZero())
      return failure();
    return replaceWithSplat(rewriter, op,
                            {bitsOf(APFloat::getOne(*kind->semantics))});
  }
  if (isZero(c))
    return replaceWithSplat(rewriter, op, {1});
  if (kind->isInt() && c->re == 2) {
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), op.getLhs());
    return success();
  }
  return failure();
}

// maximum and minimum of equal operands, or with the largest or smallest value.
template <typename Op>
LogicalResult extremumIdentity(Op op, PatternRewriter &rewriter) {
  constexpr bool isMax = std::is_same_v<Op, MaxOp>;
  if (op.getLhs() == op.getRhs())
    return replaceWith(rewriter, op, op.getLhs());
  std::optional<ElementKind> kind = kindOf(op);
  auto match = withSplat(op);
  if (!kind || !match || kind->kind == ElementKind::Complex)
    return failure();
  auto [x, c] = *match;
  if (kind->isFloat()) {
    // Because of NaN, one infinity is not absorbing, but the other one is
    // neutral.
    APFloat bound = kind->toFloat(c.re);
    if (bound.isInfinity() && bound.isNegative() == isMax)
      return replaceWith(rewriter, op, x);
    return failure();
  }
  uint64_t neutral = isMax ? kind->smallest() : kind->largest();
  uint64_t absorbing = isMax ? kind->largest() : kind->smallest();
  if (c.re == neutral)
    return replaceWith(rewriter, op, x);
  if (c.re == absorbing)
    return replaceWithSplat(rewriter, op, c);
  return failure();
}

// op(op(x, c), d) -> op(x, op(c, d)) if op is bitwise associative.
template <typename Op>
LogicalResult reassociate(Op op, PatternRewriter &rewriter) {
  constexpr bool isExtremum =
      std::is_same_v<Op, MaxOp> || std::is_same_v<Op, MinOp>;
  std::optional<ElementKind> kind = kindOf(op);
  if (!kind || kind->kind == ElementKind::Complex ||
      (kind->isFloat() && !isExtremum))
    return failure();
  auto outer = withSplat(op);
  if (!outer)
    return failure();
  Op inner = definedBy<Op>(outer->first);
  auto nested = inner ? withSplat(inner) : std::nullopt;
  if (!nested)
    return failure();
  std::optional<Element> both =
      evaluateBinary(op, *kind, nested->second, outer->second);
  if (!both)
    return failure();
  Value c = makeSplat(rewriter, op.getLoc(), op.getType(), *both);
  rewriter.replaceOpWithNewOp<Op>(op, nested->first, c);
  return success();
}

template <typename Op>
LogicalResult shiftIdentity(Op op, PatternRewriter &rewriter) {
  if (isZero(splatOf(op.getRhs())) || isZero(splatOf(op.getLhs())))
    return replaceWith(rewriter, op, op.getLhs());
  return failure();
}

LogicalResult negateIdentity(NegOp op, PatternRewriter &rewriter) {
  if (auto inner = definedBy<NegOp>(op.getOperand()))
    return replaceWith(rewriter, op, inner.getOperand());
  std::optional<ElementKind> kind = kindOf(op);
  // -(a - b) is b - a for integers, which wrap; for floats the sign of 0 would
  // change.
  if (kind && kind->isInt())
    if (auto difference = definedBy<SubtractOp>(op.getOperand())) {
      rewriter.replaceOpWithNewOp<SubtractOp>(op, difference.getRhs(),
                                              difference.getLhs());
      return success();
    }
  return failure();
}

// Not for floats: if b is NaN, a + (-b) and a - b differ in its sign.
bool isInteger(Value value) {
  return tensorOf(value).getElementType().isInteger();
}

LogicalResult addOfNegative(AddOp op, PatternRewriter &rewriter) {
  if (!isInteger(op))
    return failure();
  for (auto [x, y] : {std::pair{op.getLhs(), op.getRhs()},
                      std::pair{op.getRhs(), op.getLhs()}})
    if (auto negative = definedBy<NegOp>(y)) {
      rewriter.replaceOpWithNewOp<SubtractOp>(op, x, negative.getOperand());
      return success();
    }
  return failure();
}

LogicalResult subtractOfNegative(SubtractOp op, PatternRewriter &rewriter) {
  auto negative = definedBy<NegOp>(op.getRhs());
  if (!isInteger(op) || !negative)
    return failure();
  rewriter.replaceOpWithNewOp<AddOp>(op, op.getLhs(), negative.getOperand());
  return success();
}

LogicalResult productOfNegatives(MulOp op, PatternRewriter &rewriter) {
  auto lhs = definedBy<NegOp>(op.getLhs()), rhs = definedBy<NegOp>(op.getRhs());
  if (!isInteger(op) || !lhs || !rhs)
    return failure();
  rewriter.replaceOpWithNewOp<MulOp>(op, lhs.getOperand(), rhs.getOperand());
  return success();
}

LogicalResult absIdentity(AbsOp op, PatternRewriter &rewriter) {
  if (auto inner = definedBy<AbsOp>(op.getOperand());
      inner && op.getOperand().getType() == op.getType()) {
    // |INT_MIN| is INT_MIN both times.
    return replaceWith(rewriter, op, inner.getResult());
  }
  if (auto negative = definedBy<NegOp>(op.getOperand());
      negative && op.getOperand().getType() == op.getType()) {
    changeOperands(rewriter, op, [&] {
      op.getOperandMutable().assign(negative.getOperand());
    });
    return success();
  }
  return failure();
}

// True if the value is integral, so that rounding has no effect.
bool isIntegral(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto convert = dyn_cast<ConvertOp>(op))
    return tensorOf(convert.getOperand()).getElementType().isInteger();
  return isa<CeilOp, FloorOp, RoundOp, RoundNearestEvenOp, SignOp, IotaOp>(op);
}

template <typename Op>
LogicalResult roundIdentity(Op op, PatternRewriter &rewriter) {
  if (!isIntegral(op.getOperand()))
    return failure();
  return replaceWith(rewriter, op, op.getOperand());
}

LogicalResult realIdentity(RealOp op, PatternRewriter &rewriter) {
  if (auto complex = definedBy<ComplexOp>(op.getOperand()))
    return replaceWith(rewriter, op, complex.getLhs());
  return replaceWith(rewriter, op, op.getOperand()); // of a real number
}

LogicalResult imagIdentity(ImagOp op, PatternRewriter &rewriter) {
  if (auto complex = definedBy<ComplexOp>(op.getOperand()))
    return replaceWith(rewriter, op, complex.getRhs());
  if (!isa<ComplexType>(tensorOf(op.getOperand()).getElementType()) &&
      kindOf(op.getResult()))
    return replaceWithSplat(rewriter, op, {});
  return failure();
}

LogicalResult complexIdentity(ComplexOp op, PatternRewriter &rewriter) {
  auto real = definedBy<RealOp>(op.getLhs());
  auto imag = definedBy<ImagOp>(op.getRhs());
  if (!real || !imag || real.getOperand() != imag.getOperand())
    return failure();
  return replaceWith(rewriter, op, real.getOperand());
}

} // namespace

void addArithmetic(Patterns &patterns) {
  addRule<AddOp>(patterns, addIdentity);
  addRule<AddOp>(patterns, addOfNegative);
  addRule<SubtractOp>(patterns, subtractIdentity);
  addRule<SubtractOp>(patterns, subtractOfNegative);
  addRule<MulOp>(patterns, multiplyIdentity);
  addRule<MulOp>(patterns, productOfNegatives);
  addRule<DivOp>(patterns, divideIdentity);
  addRule<RemOp>(patterns, remainderIdentity);
  addRule<PowOp>(patterns, powerIdentity);
  addRule<MaxOp>(patterns, extremumIdentity);
  addRule<MinOp>(patterns, extremumIdentity);
  addRule<AddOp>(patterns, reassociate);
  addRule<MulOp>(patterns, reassociate);
  addRule<MaxOp>(patterns, reassociate);
  addRule<MinOp>(patterns, reassociate);
  addRule<AndOp>(patterns, reassociate);
  addRule<OrOp>(patterns, reassociate);
  addRule<XorOp>(patterns, reassociate);
  addRule<ShiftLeftOp>(patterns, shiftIdentity);
  addRule<ShiftRightArithmeticOp>(patterns, shiftIdentity);
  addRule<ShiftRightLogicalOp>(patterns, shiftIdentity);
  addRule<NegOp>(patterns, negateIdentity);
  addRule<AbsOp>(patterns, absIdentity);
  addRule<CeilOp>(patterns, roundIdentity);
  addRule<FloorOp>(patterns, roundIdentity);
  addRule<RoundOp>(patterns, roundIdentity);
  addRule<RoundNearestEvenOp>(patterns, roundIdentity);
  addRule<RealOp>(patterns, realIdentity);
  addRule<ImagOp>(patterns, imagIdentity);
  addRule<ComplexOp>(patterns, complexIdentity);
}

} // namespace shardwright::simplifier
