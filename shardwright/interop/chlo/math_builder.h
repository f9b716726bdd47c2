//===- math_builder.h - emit float arithmetic -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// `Expr` is a value of one tensor type with operators that emit StableHLO, so
// that expansions read like formulas. All expressions of one formula have the
// same shape; constants are splats of it.

#ifndef SHARDWRIGHT_INTEROP_CHLO_MATH_BUILDER_H
#define SHARDWRIGHT_INTEROP_CHLO_MATH_BUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"

namespace shardwright::chlo_expansion {

// The insertion point. All values of one formula have the shape of `model`, to
// which constants are broadcast.
struct MathBuilder {
  MathBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value model)
      : builder(builder), loc(loc), model(model) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value model;

  // A splat of `value`.
  mlir::Value splat(mlir::TypedAttr value);

private:
  mlir::Value shape; // of `model` if it is dynamic; created on demand
};

// The sizes of `value` as a 1-D tensor of i64; static sizes are constants.
mlir::Value shapeOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);

// The size of one dimension as a rank-0 tensor of i64.
mlir::Value sizeOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   int64_t dimension);

// Rank-0 tensors joined to a 1-D tensor.
mlir::Value joinScalars(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> scalars);

class Expr {
public:
  Expr(MathBuilder &m, mlir::Value value) : m(&m), v(value) {}

  mlir::Value value() const { return v; }
  MathBuilder &math() const { return *m; }
  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(v.getType());
  }

  bool isF64() const { return type().getElementType().isF64(); }

  // A splat of this expression's type; integers are given as bits.
  Expr constant(double value) const;
  Expr bits(uint64_t value) const;
  Expr infinity() const;
  Expr nan() const;
  Expr largest() const;

  template <typename Op> Expr unary() const {
    return Expr(*m, Op::create(m->builder, m->loc, v).getResult());
  }
  template <typename Op> Expr binary(Expr other) const {
    return Expr(*m, Op::create(m->builder, m->loc, v, other.v).getResult());
  }
  Expr to(mlir::Type elementType) const;
  Expr bitcastTo(mlir::Type elementType) const;

private:
  MathBuilder *m;
  mlir::Value v;
};

inline Expr operator+(Expr a, Expr b) { return a.binary<stablehlo::AddOp>(b); }
inline Expr operator-(Expr a, Expr b) {
  return a.binary<stablehlo::SubtractOp>(b);
}
inline Expr operator*(Expr a, Expr b) { return a.binary<stablehlo::MulOp>(b); }
inline Expr operator/(Expr a, Expr b) { return a.binary<stablehlo::DivOp>(b); }
inline Expr operator-(Expr a) { return a.unary<stablehlo::NegOp>(); }
inline Expr operator&(Expr a, Expr b) { return a.binary<stablehlo::AndOp>(b); }
inline Expr operator|(Expr a, Expr b) { return a.binary<stablehlo::OrOp>(b); }
inline Expr operator^(Expr a, Expr b) { return a.binary<stablehlo::XorOp>(b); }
inline Expr operator!(Expr a) { return a.unary<stablehlo::NotOp>(); }

inline Expr operator+(Expr a, double b) { return a + a.constant(b); }
inline Expr operator-(Expr a, double b) { return a - a.constant(b); }
inline Expr operator*(Expr a, double b) { return a * a.constant(b); }
inline Expr operator/(Expr a, double b) { return a / a.constant(b); }
inline Expr operator+(double a, Expr b) { return b.constant(a) + b; }
inline Expr operator-(double a, Expr b) { return b.constant(a) - b; }
inline Expr operator*(double a, Expr b) { return b.constant(a) * b; }
inline Expr operator/(double a, Expr b) { return b.constant(a) / b; }

Expr compare(Expr a, Expr b, stablehlo::ComparisonDirection direction);
inline Expr operator<(Expr a, Expr b) {
  return compare(a, b, stablehlo::ComparisonDirection::LT);
}
inline Expr operator<=(Expr a, Expr b) {
  return compare(a, b, stablehlo::ComparisonDirection::LE);
}
inline Expr operator>(Expr a, Expr b) {
  return compare(a, b, stablehlo::ComparisonDirection::GT);
}
inline Expr operator>=(Expr a, Expr b) {
  return compare(a, b, stablehlo::ComparisonDirection::GE);
}
inline Expr operator==(Expr a, Expr b) {
  return compare(a, b, stablehlo::ComparisonDirection::EQ);
}
inline Expr operator!=(Expr a, Expr b) {
  return compare(a, b, stablehlo::ComparisonDirection::NE);
}
inline Expr operator<(Expr a, double b) { return a < a.constant(b); }
inline Expr operator<=(Expr a, double b) { return a <= a.constant(b); }
inline Expr operator>(Expr a, double b) { return a > a.constant(b); }
inline Expr operator>=(Expr a, double b) { return a >= a.constant(b); }
inline Expr operator==(Expr a, double b) { return a == a.constant(b); }
inline Expr operator!=(Expr a, double b) { return a != a.constant(b); }

Expr select(Expr condition, Expr ifTrue, Expr ifFalse);
Expr abs(Expr x);
Expr sqrt(Expr x);
Expr exp(Expr x);
Expr expm1(Expr x);
Expr log(Expr x);
Expr log1p(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
Expr tan(Expr x);
Expr tanh(Expr x);
Expr cbrt(Expr x);
Expr floor(Expr x);
Expr sign(Expr x);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr pow(Expr a, Expr b);
Expr atan2(Expr a, Expr b);
// |a| with the sign of b, also of zeros.
Expr copysign(Expr a, Expr b);
// 2^n of an f64 that is an integer in [-1022, 1023].
Expr exp2OfInteger(Expr n);

// c[0] + c[1] u + c[2] u^2 + ...
Expr polynomial(Expr u, llvm::ArrayRef<double> coefficients);

} // namespace shardwright::chlo_expansion

#endif // SHARDWRIGHT_INTEROP_CHLO_MATH_BUILDER_H
