//===- expand_elementwise.cc - expansion of functions of elements -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/complex_parts.h"
#include "shardwright/interop/chlo/expand_op.h"
#include "shardwright/interop/chlo/functions.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

namespace {

using RealUnary = Expr (*)(Expr);
using RealBinary = Expr (*)(Expr, Expr);
using ComplexUnary = Complex (*)(Complex);

// Precision of formulas: kWide computes in f64, because cancellation would cost
// f32 too much; kOwn in f32, or f64 for f64; kBits in the type itself.
enum class Precision { kOwn, kWide, kBits };

struct Function {
  StringLiteral name;
  Precision precision;
  RealUnary unary = nullptr;
  RealBinary binary = nullptr;
  ComplexUnary complex = nullptr;
};

Expr identity(Expr x) { return x; }
Expr squareOfReal(Expr x) { return x * x; }
Expr isInf(Expr x) { return abs(x) == x.infinity(); }
Expr isPosInf(Expr x) { return x == x.infinity(); }
Expr isNegInf(Expr x) { return x == -x.infinity(); }
Complex conj(Complex z) { return {z.re, -z.im}; }

constexpr Function kFunctions[] = {
    {"acos", Precision::kOwn, acos, nullptr, acos},
    {"acosh", Precision::kOwn, acosh, nullptr, acosh},
    {"asin", Precision::kOwn, asin, nullptr, asin},
    {"asinh", Precision::kOwn, asinh, nullptr, asinh},
    {"atan", Precision::kOwn, atan, nullptr, atan},
    {"atanh", Precision::kOwn, atanh, nullptr, atanh},
    {"bessel_i1e", Precision::kWide, besselI1e},
    {"conj", Precision::kBits, identity, nullptr, conj},
    {"cosh", Precision::kOwn, cosh, nullptr, cosh},
    {"digamma", Precision::kWide, digamma},
    {"erf", Precision::kOwn, erf},
    {"erf_inv", Precision::kOwn, erfInv},
    {"erfc", Precision::kOwn, erfc},
    {"is_inf", Precision::kBits, isInf},
    {"is_neg_inf", Precision::kBits, isNegInf},
    {"is_pos_inf", Precision::kBits, isPosInf},
    {"lgamma", Precision::kWide, lgamma},
    {"mulhi", Precision::kBits, nullptr, mulhi},
    {"next_after", Precision::kBits, nullptr, nextAfter},
    {"polygamma", Precision::kWide, nullptr, polygamma},
    {"sinh", Precision::kOwn, sinh, nullptr, sinh},
    {"square", Precision::kOwn, squareOfReal, nullptr, square},
    {"tan", Precision::kOwn, tan, nullptr, tan},
    {"zeta", Precision::kWide, nullptr, zeta},
};

const Function *functionOf(Operation *op) {
  if (!isa_and_nonnull<chlo::ChloDialect>(op->getDialect()))
    return nullptr;
  const Function *found = llvm::find_if(kFunctions, [&](const Function &f) {
    return f.name == op->getName().stripDialect();
  });
  return found == std::end(kFunctions) ? nullptr : found;
}

} // namespace

bool isElementwiseOp(Operation *op) { return functionOf(op) != nullptr; }

LogicalResult expandElementwise(Operation *op, Results &results) {
  const Function *function = functionOf(op);
  OpBuilder b(op);
  // Constants have the most static of the operands' shapes.
  Value model = op->getOperand(0);
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return op->emitOpError("has no expansion for the unranked ")
             << operand.getType();
    if (type.hasStaticShape())
      model = operand;
  }
  MathBuilder math{b, op->getLoc(), model};
  Type element = cast<RankedTensorType>(model.getType()).getElementType();
  if (isa<ComplexType>(element)) {
    if (!function->complex)
      return op->emitOpError("has no expansion for complex operands, got ")
             << model.getType();
    bool widen = function->precision != Precision::kBits;
    Complex z = partsOf(math, op->getOperand(0), widen);
    results.push_back(joinParts(function->complex(z), element));
    return success();
  }

  Type compute = element;
  if (function->precision == Precision::kWide || element.isF64())
    compute = b.getF64Type();
  else if (function->precision == Precision::kOwn)
    compute = b.getF32Type();
  if (function->precision == Precision::kBits)
    compute = element;
  SmallVector<Expr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(Expr(math, operand).to(compute));
  Expr value = function->unary ? function->unary(operands[0])
                               : function->binary(operands[0], operands[1]);
  Type result = cast<ShapedType>(op->getResult(0).getType()).getElementType();
  results.push_back(value.to(result).value());
  return success();
}

} // namespace shardwright::chlo_expansion
