//===- expand_op.cc - expansion of one CHLO op --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/expand_op.h"

#include "shardwright/dialect/stablehlo/reduction.h"
#include "shardwright/interop/chlo/functions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

namespace {

using UnaryFunction = Expr (*)(Expr);
using BinaryFunction = Expr (*)(Expr, Expr);

// The type that a formula computes in: f64 stays, everything else widens to
// f32, or to f64 where the formula asks for it.
Type computeType(FloatType type, bool wantsF64) {
  MLIRContext *context = type.getContext();
  return type.isF64() || wantsF64 ? Type(Float64Type::get(context))
                                  : Type(Float32Type::get(context));
}

UnaryFunction unaryFunction(Operation *op, bool &wantsF64) {
  return TypeSwitch<Operation *, UnaryFunction>(op)
      .Case([](chlo::AcosOp) { return acos; })
      .Case([](chlo::AcoshOp) { return acosh; })
      .Case([](chlo::AsinOp) { return asin; })
      .Case([](chlo::AsinhOp) { return asinh; })
      .Case([](chlo::AtanOp) { return atan; })
      .Case([](chlo::AtanhOp) { return atanh; })
      .Case([](chlo::CoshOp) { return cosh; })
      .Case([](chlo::SinhOp) { return sinh; })
      .Case([](chlo::ErfOp) { return erf; })
      .Case([](chlo::ErfcOp) { return erfc; })
      .Case([](chlo::ErfInvOp) { return erfInv; })
      .Case([&](chlo::BesselI1eOp) {
        wantsF64 = true;
        return besselI1e;
      })
      .Case([&](chlo::DigammaOp) {
        wantsF64 = true;
        return digamma;
      })
      .Case([&](chlo::LgammaOp) {
        wantsF64 = true;
        return lgamma;
      })
      .Default([](Operation *) -> UnaryFunction { return nullptr; });
}

BinaryFunction binaryFunction(Operation *op) {
  return TypeSwitch<Operation *, BinaryFunction>(op)
      .Case([](chlo::ZetaOp) { return zeta; })
      .Case([](chlo::PolygammaOp) { return polygamma; })
      .Default([](Operation *) -> BinaryFunction { return nullptr; });
}

// The operands' tensor type when a formula can be written for it.
FailureOr<RankedTensorType> checkedType(Operation *op, bool allowComplex) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || !type.hasStaticShape())
    return op->emitOpError("has no expansion for the dynamic shape of ")
           << op->getOperand(0).getType();
  if (isa<ComplexType>(type.getElementType()) && !allowComplex)
    return op->emitOpError("has no expansion for complex operands yet, got ")
           << type;
  for (Value operand : op->getOperands())
    if (operand.getType() != type)
      return op->emitOpError(
                 "has no expansion for operands of different types, got ")
             << type << " and " << operand.getType();
  return type;
}

LogicalResult expandTopK(chlo::TopKOp op, SmallVectorImpl<Value> &results) {
  FailureOr<RankedTensorType> type = checkedType(op, /*allowComplex=*/false);
  if (failed(type))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type element = type->getElementType();
  int64_t last = type->getRank() - 1;
  auto indexType = type->clone(b.getI32Type());
  Value iota = stablehlo::IotaOp::create(b, loc, indexType, last);
  auto sort = stablehlo::SortOp::create(b, loc, TypeRange{*type, indexType},
                                        ValueRange{op.getOperand(), iota}, last,
                                        op.getIsStable());
  auto value = RankedTensorType::get({}, element),
       index = RankedTensorType::get({}, b.getI32Type());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block =
        b.createBlock(&sort.getComparator(), {}, {value, value, index, index},
                      {loc, loc, loc, loc});
    stablehlo::ComparisonTypeAttr compareType;
    if (isa<FloatType>(element))
      compareType = stablehlo::ComparisonTypeAttr::get(
          b.getContext(), stablehlo::ComparisonType::TOTALORDER);
    Value greater = stablehlo::CompareOp::create(
        b, loc, block->getArgument(0), block->getArgument(1),
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), stablehlo::ComparisonDirection::GT),
        compareType);
    stablehlo::ReturnOp::create(b, loc, greater);
  }
  SmallVector<int64_t> start(type->getRank(), 0), limit(type->getShape()),
      strides(type->getRank(), 1);
  limit[last] = op.getK();
  for (Value sorted : sort.getResults())
    results.push_back(
        stablehlo::SliceOp::create(b, loc, sorted, start, limit, strides));
  return success();
}

bool isIeeeLike(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type,
             Float8E5M2Type, Float8E4M3Type, Float8E3M4Type>(type);
}

} // namespace

LogicalResult expandOp(Operation *op, SmallVectorImpl<Value> &results,
                       SmallVectorImpl<Operation *> &more) {
  OpBuilder b(op);
  Location loc = op->getLoc();

  // Ops whose operands are not one float type first.
  if (isBroadcastOp(op))
    return expandBroadcast(op, results, more);
  if (auto constant = dyn_cast<chlo::ConstantOp>(op)) {
    results.push_back(
        stablehlo::ConstantOp::create(b, loc, constant.getValueAttr()));
    return success();
  }
  if (auto like = dyn_cast<chlo::ConstantLikeOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(like.getType());
    if (!type || !type.hasStaticShape())
      return op->emitOpError("has no expansion for the dynamic shape of ")
             << like.getType();
    if (!isa<IntegerAttr, FloatAttr>(like.getValue()) &&
        !isa<ComplexType>(type.getElementType()))
      return op->emitOpError("has no expansion for the value ")
             << like.getValue();
    if (isa<ComplexType>(type.getElementType()))
      return op->emitOpError("has no expansion for complex values yet");
    auto splat = DenseElementsAttr::get(type, Attribute(like.getValue()));
    results.push_back(stablehlo::ConstantOp::create(b, loc, splat));
    return success();
  }
  if (auto topK = dyn_cast<chlo::TopKOp>(op))
    return expandTopK(topK, results);

  bool wantsF64 = false;
  UnaryFunction unary = unaryFunction(op, wantsF64);
  BinaryFunction binary = binaryFunction(op);
  wantsF64 |= binary != nullptr;
  bool simple =
      isa<chlo::ConjOp, chlo::SquareOp, chlo::TanOp, chlo::IsInfOp,
          chlo::IsNegInfOp, chlo::IsPosInfOp, chlo::NextAfterOp, chlo::MulhiOp>(
          op);
  if (!unary && !binary && !simple)
    return op->emitOpError("has no expansion to StableHLO");
  FailureOr<RankedTensorType> type =
      checkedType(op, isa<chlo::ConjOp, chlo::SquareOp, chlo::TanOp>(op));
  if (failed(type))
    return failure();

  Type element = type->getElementType();
  MathBuilder math{b, loc, *type};
  Expr x(math, op->getOperand(0));
  Value result;
  if (isa<chlo::MulhiOp>(op)) {
    result = mulhi(x, Expr(math, op->getOperand(1))).value();
  } else if (isa<chlo::NextAfterOp>(op)) {
    if (!isIeeeLike(element))
      return op->emitOpError("has no expansion for ") << element;
    result = nextAfter(x, Expr(math, op->getOperand(1))).value();
  } else if (isa<chlo::SquareOp>(op)) {
    result = (x * x).value();
  } else if (isa<chlo::TanOp>(op)) {
    result = tan(x).value();
  } else if (isa<chlo::ConjOp>(op)) {
    result =
        isa<ComplexType>(element)
            ? x.unary<stablehlo::RealOp>()
                  .binary<stablehlo::ComplexOp>(-x.unary<stablehlo::ImagOp>())
                  .value()
            : x.value();
  } else if (isa<chlo::IsInfOp>(op)) {
    result = (abs(x) == x.infinity()).value();
  } else if (isa<chlo::IsPosInfOp>(op)) {
    result = (x == x.infinity()).value();
  } else if (isa<chlo::IsNegInfOp>(op)) {
    result = (x == -x.infinity()).value();
  } else {
    auto compute =
        cast<FloatType>(computeType(cast<FloatType>(element), wantsF64));
    math.type = type->clone(compute);
    Expr wide = x.to(compute);
    Expr value = unary
                     ? unary(wide)
                     : binary(wide, Expr(math, op->getOperand(1)).to(compute));
    result = value.to(element).value();
  }
  results.push_back(result);
  return success();
}

} // namespace shardwright::chlo_expansion
