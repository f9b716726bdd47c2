//===- math_builder.cc - emit float arithmetic ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/math_builder.h"

#include "shardwright/dialect/stablehlo/dynamic.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

Value sizeOf(OpBuilder &b, Location loc, Value value, int64_t dimension) {
  auto type = cast<RankedTensorType>(value.getType());
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  if (!type.isDynamicDim(dimension))
    return stablehlo::ConstantOp::create(
        b, loc, DenseElementsAttr::get(scalar, type.getDimSize(dimension)));
  Value size = stablehlo::GetDimensionSizeOp::create(b, loc, value, dimension);
  return stablehlo::ConvertOp::create(b, loc, scalar, size);
}

Value joinScalars(OpBuilder &b, Location loc, ArrayRef<Value> scalars) {
  SmallVector<Value> parts;
  for (Value scalar : scalars) {
    auto type = cast<RankedTensorType>(scalar.getType());
    parts.push_back(stablehlo::ReshapeOp::create(
        b, loc, RankedTensorType::get({1}, type.getElementType()), scalar));
  }
  if (parts.empty())
    return stablehlo::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(RankedTensorType::get({0}, b.getI64Type()),
                               ArrayRef<int64_t>()));
  return stablehlo::ConcatenateOp::create(b, loc, parts, 0);
}

Value shapeOf(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return stablehlo::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(
            RankedTensorType::get({type.getRank()}, b.getI64Type()),
            type.getShape()));
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    sizes.push_back(sizeOf(b, loc, value, d));
  return joinScalars(b, loc, sizes);
}

Value MathBuilder::splat(TypedAttr value) {
  auto type = cast<RankedTensorType>(model.getType()).clone(value.getType());
  if (type.hasStaticShape())
    return stablehlo::ConstantOp::create(builder, loc,
                                         DenseElementsAttr::get(type, value));
  Value scalar = stablehlo::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, value.getType()),
                             Attribute(value)));
  if (!shape)
    shape = shapeOf(builder, loc, model);
  return stablehlo::DynamicBroadcastInDimOp::create(
      builder, loc, type, scalar, shape, builder.getDenseI64ArrayAttr({}),
      DenseI64ArrayAttr(), DenseI64ArrayAttr());
}

static Expr splat(const Expr &like, TypedAttr value) {
  return Expr(like.math(), like.math().splat(value));
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

// Functions with a result accuracy use the default.
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
Expr tanh(Expr x) { return function<stablehlo::TanhOp>(x); }
Expr cbrt(Expr x) { return function<stablehlo::CbrtOp>(x); }
Expr floor(Expr x) { return x.unary<stablehlo::FloorOp>(); }
Expr sign(Expr x) { return x.unary<stablehlo::SignOp>(); }
Expr min(Expr a, Expr b) { return a.binary<stablehlo::MinOp>(b); }
Expr max(Expr a, Expr b) { return a.binary<stablehlo::MaxOp>(b); }
Expr pow(Expr a, Expr b) { return a.binary<stablehlo::PowOp>(b); }
Expr atan2(Expr a, Expr b) { return a.binary<stablehlo::Atan2Op>(b); }

Expr copysign(Expr a, Expr b) {
  Type element = a.type().getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  Type integer = IntegerType::get(element.getContext(), width);
  uint64_t sign = uint64_t(1) << (width - 1);
  Expr aBits = a.bitcastTo(integer), bBits = b.bitcastTo(integer);
  return ((aBits & aBits.bits(sign - 1)) | (bBits & bBits.bits(sign)))
      .bitcastTo(element);
}

Expr exp2OfInteger(Expr n) {
  Type integer = IntegerType::get(n.type().getContext(), 64);
  Expr biased = (n + 1023.0).to(integer);
  return biased.binary<stablehlo::ShiftLeftOp>(biased.bits(52))
      .bitcastTo(n.type().getElementType());
}

Expr polynomial(Expr u, ArrayRef<double> coefficients) {
  Expr sum = u.constant(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = sum * u + c;
  return sum;
}

} // namespace shardwright::chlo_expansion
