//===- logic.cc - booleans, comparisons, choices -------------------------===//
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

bool isBool(Value value) {
  return tensorOf(value).getElementType().isInteger(1);
}

template <typename Op>
std::optional<std::pair<Value, uint64_t>> withSplat(Op op) {
  if (std::optional<Element> element = splatOf(op.getRhs()))
    return std::pair{Value(op.getLhs()), element->re};
  if (std::optional<Element> element = splatOf(op.getLhs()))
    return std::pair{Value(op.getRhs()), element->re};
  return std::nullopt;
}

// True if one is the complement of the other.
bool areOpposite(Value a, Value b) {
  auto notA = definedBy<NotOp>(a), notB = definedBy<NotOp>(b);
  return (notA && notA.getOperand() == b) || (notB && notB.getOperand() == a);
}

//===----------------------------------------------------------------------===//
// and, or, xor, not
//===----------------------------------------------------------------------===//

// For and: 0 absorbs, all ones is neutral; for or, the reverse.
template <typename Op> LogicalResult andOr(Op op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op);
  if (!kind)
    return failure();
  uint64_t ones = kind->mask(), zero = 0;
  uint64_t absorbing = std::is_same_v<Op, AndOp> ? zero : ones;
  if (op.getLhs() == op.getRhs())
    return replaceWith(rewriter, op, op.getLhs());
  if (areOpposite(op.getLhs(), op.getRhs()))
    return replaceWithSplat(rewriter, op, {absorbing});
  auto match = withSplat(op);
  if (!match)
    return failure();
  auto [x, c] = *match;
  if (c == absorbing)
    return replaceWithSplat(rewriter, op, {c});
  if (c == (absorbing ^ ones))
    return replaceWith(rewriter, op, x);
  return failure();
}

LogicalResult xorIdentity(XorOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op);
  if (!kind)
    return failure();
  if (op.getLhs() == op.getRhs())
    return replaceWithSplat(rewriter, op, {0});
  if (areOpposite(op.getLhs(), op.getRhs()))
    return replaceWithSplat(rewriter, op, {kind->mask()});
  auto match = withSplat(op);
  if (!match)
    return failure();
  auto [x, c] = *match;
  if (c == 0)
    return replaceWith(rewriter, op, x);
  if (c == kind->mask()) {
    rewriter.replaceOpWithNewOp<NotOp>(op, x);
    return success();
  }
  return failure();
}

std::optional<ComparisonDirection> opposite(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return ComparisonDirection::NE;
  case ComparisonDirection::NE:
    return ComparisonDirection::EQ;
  case ComparisonDirection::LT:
    return ComparisonDirection::GE;
  case ComparisonDirection::GE:
    return ComparisonDirection::LT;
  case ComparisonDirection::GT:
    return ComparisonDirection::LE;
  case ComparisonDirection::LE:
    return ComparisonDirection::GT;
  }
  return std::nullopt;
}

ComparisonDirection swapped(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::LT:
    return ComparisonDirection::GT;
  case ComparisonDirection::GT:
    return ComparisonDirection::LT;
  case ComparisonDirection::LE:
    return ComparisonDirection::GE;
  case ComparisonDirection::GE:
    return ComparisonDirection::LE;
  default:
    return direction;
  }
}

// True if any two elements compare as less, equal or greater, so without NaN.
bool isTotal(CompareOp op) {
  std::optional<ElementKind> kind = kindOf(op.getLhs());
  if (!kind || kind->kind == ElementKind::Complex)
    return false;
  return !kind->isFloat() || op.getCompareType() == ComparisonType::TOTALORDER;
}

LogicalResult notIdentity(NotOp op, PatternRewriter &rewriter) {
  if (auto inner = definedBy<NotOp>(op.getOperand()))
    return replaceWith(rewriter, op, inner.getOperand());
  auto compare = definedBy<CompareOp>(op.getOperand());
  if (!compare || !compare->hasOneUse())
    return failure();
  ComparisonDirection direction = compare.getComparisonDirection();
  // With NaN both x < y and x >= y are false, but x != y is not (x == y).
  if (direction != ComparisonDirection::EQ &&
      direction != ComparisonDirection::NE && !isTotal(compare))
    return failure();
  rewriter.replaceOpWithNewOp<CompareOp>(
      op, compare.getLhs(), compare.getRhs(),
      ComparisonDirectionAttr::get(op.getContext(), *opposite(direction)),
      compare.getCompareTypeAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// compare
//===----------------------------------------------------------------------===//

LogicalResult compareSame(CompareOp op, PatternRewriter &rewriter) {
  if (op.getLhs() != op.getRhs())
    return failure();
  switch (op.getComparisonDirection()) {
  case ComparisonDirection::LT:
  case ComparisonDirection::GT:
    return replaceWithSplat(rewriter, op, {0});
  case ComparisonDirection::NE:
    if (isTotal(op))
      return replaceWithSplat(rewriter, op, {0});
    return failure();
  default:
    if (isTotal(op))
      return replaceWithSplat(rewriter, op, {1});
    return failure();
  }
}

// Moves a constant to the right.
LogicalResult compareConstantLeft(CompareOp op, PatternRewriter &rewriter) {
  if (!splatOf(op.getLhs()) || splatOf(op.getRhs()))
    return failure();
  rewriter.replaceOpWithNewOp<CompareOp>(
      op, op.getRhs(), op.getLhs(),
      ComparisonDirectionAttr::get(op.getContext(),
                                   swapped(op.getComparisonDirection())),
      op.getCompareTypeAttr());
  return success();
}

// Compares integers with the smallest or the largest value.
LogicalResult compareBound(CompareOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op.getLhs());
  std::optional<Element> c = splatOf(op.getRhs());
  if (!kind || !c || !kind->isInt())
    return failure();
  std::optional<uint64_t> result;
  ComparisonDirection direction = op.getComparisonDirection();
  if (c->re == kind->smallest()) {
    if (direction == ComparisonDirection::LT)
      result = 0;
    if (direction == ComparisonDirection::GE)
      result = 1;
  } else if (c->re == kind->largest()) {
    if (direction == ComparisonDirection::GT)
      result = 0;
    if (direction == ComparisonDirection::LE)
      result = 1;
  }
  if (!result)
    return failure();
  return replaceWithSplat(rewriter, op, {*result});
}

// Compares a boolean, or a converted boolean, with a constant: the result
// depends on the comparison's values for false and true.
LogicalResult compareBoolean(CompareOp op, PatternRewriter &rewriter) {
  std::optional<Element> c = splatOf(op.getRhs());
  std::optional<ElementKind> kind = kindOf(op.getLhs());
  if (!c || !kind)
    return failure();
  Value x = op.getLhs();
  Element off{0}, on{1};
  if (auto convert = definedBy<ConvertOp>(x);
      convert && isBool(convert.getOperand())) {
    x = convert.getOperand();
    auto one = evaluateConvert({ElementKind::Bool, 1}, *kind, {1});
    if (!one)
      return failure();
    on = *one;
  } else if (auto select = definedBy<SelectOp>(x);
             select && select.getPred().getType() == op.getType()) {
    // select(p, a, b) of constants.
    auto a = splatOf(select.getOnTrue()), b = splatOf(select.getOnFalse());
    if (!a || !b)
      return failure();
    x = select.getPred();
    on = *a, off = *b;
  } else if (!isBool(x)) {
    return failure();
  }
  auto ifTrue = evaluateBinary(op, *kind, on, *c);
  auto ifFalse = evaluateBinary(op, *kind, off, *c);
  if (!ifTrue || !ifFalse)
    return failure();
  if (*ifTrue == *ifFalse)
    return replaceWithSplat(rewriter, op, *ifTrue);
  if (ifTrue->re)
    return replaceWith(rewriter, op, x);
  rewriter.replaceOpWithNewOp<NotOp>(op, x);
  return success();
}

//===----------------------------------------------------------------------===//
// select, clamp
//===----------------------------------------------------------------------===//

LogicalResult selectConstant(SelectOp op, PatternRewriter &rewriter) {
  if (op.getOnTrue() == op.getOnFalse())
    return replaceWith(rewriter, op, op.getOnTrue());
  std::optional<Element> pred = splatOf(op.getPred());
  if (!pred)
    return failure();
  return replaceWith(rewriter, op, pred->re ? op.getOnTrue() : op.getOnFalse());
}

LogicalResult selectNot(SelectOp op, PatternRewriter &rewriter) {
  auto inverse = definedBy<NotOp>(op.getPred());
  if (!inverse)
    return failure();
  rewriter.replaceOpWithNewOp<SelectOp>(op, inverse.getOperand(),
                                        op.getOnFalse(), op.getOnTrue());
  return success();
}

// A select of booleans.
LogicalResult selectBool(SelectOp op, PatternRewriter &rewriter) {
  if (!isBool(op) || op.getPred().getType() != op.getType())
    return failure();
  std::optional<Element> a = splatOf(op.getOnTrue());
  std::optional<Element> b = splatOf(op.getOnFalse());
  if (a && b) {
    if (a->re == b->re)
      return replaceWithSplat(rewriter, op, *a);
    if (a->re)
      return replaceWith(rewriter, op, op.getPred());
    rewriter.replaceOpWithNewOp<NotOp>(op, op.getPred());
    return success();
  }
  if (a && a->re) { // p ? true : b
    rewriter.replaceOpWithNewOp<OrOp>(op, op.getPred(), op.getOnFalse());
    return success();
  }
  if (b && !b->re) { // p ? a : false
    rewriter.replaceOpWithNewOp<AndOp>(op, op.getPred(), op.getOnTrue());
    return success();
  }
  return failure();
}

// A nested select with the same predicate.
LogicalResult selectNested(SelectOp op, PatternRewriter &rewriter) {
  Value onTrue = op.getOnTrue(), onFalse = op.getOnFalse();
  if (auto inner = definedBy<SelectOp>(onTrue);
      inner && inner.getPred() == op.getPred())
    onTrue = inner.getOnTrue();
  if (auto inner = definedBy<SelectOp>(onFalse);
      inner && inner.getPred() == op.getPred())
    onFalse = inner.getOnFalse();
  if (onTrue == op.getOnTrue() && onFalse == op.getOnFalse())
    return failure();
  rewriter.replaceOpWithNewOp<SelectOp>(op, op.getPred(), onTrue, onFalse);
  return success();
}

LogicalResult clampIdentity(ClampOp op, PatternRewriter &rewriter) {
  std::optional<ElementKind> kind = kindOf(op.getOperand());
  if (!kind || kind->kind == ElementKind::Complex)
    return failure();
  auto inner = definedBy<ClampOp>(op.getOperand());
  if (inner && inner.getMin() == op.getMin() && inner.getMax() == op.getMax())
    return replaceWith(rewriter, op, inner.getResult());
  auto low = splatOf(op.getMin()), high = splatOf(op.getMax());
  if (!low || !high)
    return failure();
  if (kind->isFloat()) {
    auto l = kind->toFloat(low->re), h = kind->toFloat(high->re);
    if (l.isInfinity() && l.isNegative() && h.isInfinity() && !h.isNegative())
      return replaceWith(rewriter, op, op.getOperand());
    return failure();
  }
  if (low->re == kind->smallest() && high->re == kind->largest())
    return replaceWith(rewriter, op, op.getOperand());
  if (low->re == high->re)
    return replaceWithSplat(rewriter, op, *low);
  return failure();
}

} // namespace

void addLogic(Patterns &patterns) {
  addRule<AndOp>(patterns, andOr);
  addRule<OrOp>(patterns, andOr);
  addRule<XorOp>(patterns, xorIdentity);
  addRule<NotOp>(patterns, notIdentity);
  addRule<CompareOp>(patterns, compareSame);
  addRule<CompareOp>(patterns, compareConstantLeft);
  addRule<CompareOp>(patterns, compareBound);
  addRule<CompareOp>(patterns, compareBoolean);
  addRule<SelectOp>(patterns, selectConstant);
  addRule<SelectOp>(patterns, selectNot);
  addRule<SelectOp>(patterns, selectBool);
  addRule<SelectOp>(patterns, selectNested);
  addRule<ClampOp>(patterns, clampIdentity);
}

} // namespace shardwright::simplifier
