//===- conversion.cc - lossless conversions -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;
using namespace shardwright::stablehlo;
using llvm::APFloat;

namespace shardwright::simplifier {
namespace {

// True if every value of `from` is a value of `to`. (A signaling NaN may become
// quiet; see simplify.h.)
bool isLossless(const ElementKind &from, const ElementKind &to) {
  if (from.kind == ElementKind::Bool)
    return true;
  if (from.isInt()) {
    bool isSigned = from.kind == ElementKind::Signed;
    if (to.kind == ElementKind::Unsigned)
      return !isSigned && to.width >= from.width;
    if (to.kind == ElementKind::Signed)
      return to.width >= from.width + (isSigned ? 0 : 1);
    if (to.isFloat()) {
      unsigned digits = from.width - isSigned;
      return APFloat::semanticsPrecision(*to.semantics) >= digits &&
             APFloat::semanticsMaxExponent(*to.semantics) >= int(digits);
    }
    return false;
  }
  if (from.isFloat() && to.isFloat()) {
    // IEEE formats only: others differ in infinities and zeros.
    auto rank = [](const llvm::fltSemantics &s) {
      return &s == &APFloat::IEEEhalf() || &s == &APFloat::BFloat() ? 1
             : &s == &APFloat::IEEEsingle()                         ? 2
             : &s == &APFloat::IEEEdouble()                         ? 3
                                                                    : 0;
    };
    return from.semantics == to.semantics ||
           (rank(*from.semantics) > 0 &&
            rank(*from.semantics) < rank(*to.semantics));
  }
  return from.kind == ElementKind::Complex && to.kind == from.kind &&
         from.width <= to.width;
}

LogicalResult convertIdentity(ConvertOp op, PatternRewriter &rewriter) {
  return replaceWith(rewriter, op, op.getOperand());
}

LogicalResult convertOfConvert(ConvertOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<ConvertOp>(op.getOperand());
  if (!inner)
    return failure();
  auto a = kindOf(inner.getOperand()), b = kindOf(op.getOperand()),
       c = kindOf(op.getResult());
  if (!a || !b || !c)
    return failure();
  bool direct = isLossless(*a, *b);
  // Conversions between integers keep the low bits if the type in between is
  // wide enough.
  auto isAnyInt = [](const ElementKind &k) {
    return k.isInt() || k.kind == ElementKind::Bool;
  };
  direct |= isAnyInt(*a) && b->isInt() && c->isInt() && b->width >= c->width;
  // Conversions from float to integer saturate, where integers wrap around.
  if (a->isInt() && b->isFloat() && c->isInt())
    direct &= isLossless(*a, *c);
  if (!direct)
    return failure();
  rewriter.replaceOpWithNewOp<ConvertOp>(op, op.getType(), inner.getOperand());
  return success();
}

LogicalResult bitcastIdentity(BitcastConvertOp op, PatternRewriter &rewriter) {
  if (op.getOperand().getType() == op->getResult(0).getType())
    return replaceWith(rewriter, op, op.getOperand());
  auto inner = definedBy<BitcastConvertOp>(op.getOperand());
  if (!inner)
    return failure();
  // Shapes may differ in between if the types at both ends are equal, since
  // then the widths agree.
  Value x = inner.getOperand();
  if (x.getType() == op->getResult(0).getType())
    return replaceWith(rewriter, op, x);
  if (shapeOf(x) != shapeOf(op.getOperand()) ||
      shapeOf(x) != shapeOf(op->getResult(0)))
    return failure();
  rewriter.replaceOpWithNewOp<BitcastConvertOp>(op, op->getResult(0).getType(),
                                                x);
  return success();
}

LogicalResult reducePrecisionIdentity(ReducePrecisionOp op,
                                      PatternRewriter &rewriter) {
  auto kind = kindOf(op.getOperand());
  if (!kind || kind->width < 16)
    return failure();
  unsigned mantissa = APFloat::semanticsPrecision(*kind->semantics) - 1;
  unsigned exponent = kind->width - 1 - mantissa;
  if (op.getMantissaBits() < mantissa || op.getExponentBits() < exponent) {
    auto inner = definedBy<ReducePrecisionOp>(op.getOperand());
    if (inner && inner.getMantissaBits() == op.getMantissaBits() &&
        inner.getExponentBits() == op.getExponentBits())
      return replaceWith(rewriter, op, inner.getOutput());
    return failure();
  }
  return replaceWith(rewriter, op, op.getOperand());
}

} // namespace

void addConversion(Patterns &patterns) {
  addRule<ConvertOp>(patterns, convertIdentity);
  addRule<ConvertOp>(patterns, convertOfConvert);
  addRule<BitcastConvertOp>(patterns, bitcastIdentity);
  addRule<ReducePrecisionOp>(patterns, reducePrecisionIdentity);
}

} // namespace shardwright::simplifier
