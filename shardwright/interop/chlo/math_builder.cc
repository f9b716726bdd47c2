//===- math_builder.cc - writing float arithmetic as StableHLO ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/math_builder.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

static Expr splat(const Expr &like, Attribute value) {
  MathBuilder &m = like.math();
  auto elements = DenseElementsAttr::get(like.type(), value);
  return Expr(m, stablehlo::ConstantOp::create(m.builder, m.loc, elements));
}

Expr Expr::constant(double value) const {
  Type element = type().getElementType();
  if (isa<FloatType>(element))
    return splat(*this, FloatAttr::get(element, value));
  return bits(static_cast<uint64_t>(static_cast<int64_t>(value)));
}

Expr Expr::bits(uint64_t value) const {
  auto element = cast<IntegerType>(type().getElementType());
  APInt wide(64, value);
  return splat(*this,
               IntegerAttr::get(element, wide.trunc(element.getWidth())));
}

static Expr
floatConstant(const Expr &like,
              function_ref<APFloat(const llvm::fltSemantics &)> make) {
  auto element = cast<FloatType>(like.type().getElementType());
  return splat(like,
               FloatAttr::get(element, make(element.getFloatSemantics())));
}

Expr Expr::infinity() const {
  return floatConstant(
      *this, [](auto &semantics) { return APFloat::getInf(semantics); });
}
Expr Expr::nan() const {
  return floatConstant(
      *this, [](auto &semantics) { return APFloat::getNaN(semantics); });
}
Expr Expr::largest() const {
  return floatConstant(
      *this, [](auto &semantics) { return APFloat::getLargest(semantics); });
}

Expr Expr::to(Type elementType) const {
  if (type().getElementType() == elementType)
    return *this;
  return Expr(*m, stablehlo::ConvertOp::create(m->builder, m->loc,
                                               type().clone(elementType), v));
}

Expr Expr::bitcastTo(Type elementType) const {
  return Expr(*m, stablehlo::BitcastConvertOp::create(
                      m->builder, m->loc, type().clone(elementType), v));
}

Expr compare(Expr a, Expr b, stablehlo::ComparisonDirection direction) {
  MathBuilder &m = a.math();
  return Expr(m, stablehlo::CompareOp::create(m.builder, m.loc, a.value(),
                                              b.value(), direction));
}

Expr select(Expr condition, Expr ifTrue, Expr ifFalse) {
  MathBuilder &m = ifTrue.math();
  return Expr(m,
              stablehlo::SelectOp::create(m.builder, m.loc, condition.value(),
                                          ifTrue.value(), ifFalse.value()));
}

// Functions that take a result accuracy: the default one.
template <typename Op> static Expr function(Expr x) {
  MathBuilder &m = x.math();
  return Expr(m, Op::create(m.builder, m.loc, x.type(), x.value(),
                            stablehlo::ResultAccuracyAttr()));
}

Expr abs(Expr x) { return x.unary<stablehlo::AbsOp>(); }
Expr sqrt(Expr x) { return function<stablehlo::SqrtOp>(x); }
Expr exp(Expr x) { return function<stablehlo::ExpOp>(x); }
Expr expm1(Expr x) { return function<stablehlo::Expm1Op>(x); }
Expr log(Expr x) { return function<stablehlo::LogOp>(x); }
Expr log1p(Expr x) { return function<stablehlo::Log1pOp>(x); }
Expr sin(Expr x) { return function<stablehlo::SineOp>(x); }
Expr cos(Expr x) { return function<stablehlo::CosineOp>(x); }
Expr tan(Expr x) { return function<stablehlo::TanOp>(x); }
Expr floor(Expr x) { return x.unary<stablehlo::FloorOp>(); }
Expr sign(Expr x) { return x.unary<stablehlo::SignOp>(); }
Expr min(Expr a, Expr b) { return a.binary<stablehlo::MinOp>(b); }
Expr max(Expr a, Expr b) { return a.binary<stablehlo::MaxOp>(b); }
Expr pow(Expr a, Expr b) { return a.binary<stablehlo::PowOp>(b); }
Expr atan2(Expr a, Expr b) { return a.binary<stablehlo::Atan2Op>(b); }

Expr polynomial(Expr u, ArrayRef<double> coefficients) {
  Expr sum = u.constant(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = sum * u + c;
  return sum;
}

} // namespace shardwright::chlo_expansion
