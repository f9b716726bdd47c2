//===- combine.cc - ops and regions of reducers ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/combine.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace shardwright {

Value buildCombine(OpBuilder &b, Location loc, ReducerKind kind, Value lhs,
                   Value rhs) {
  Type type = lhs.getType();
  switch (kind) {
  case ReducerKind::Add:
    return stablehlo::AddOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Mul:
    return stablehlo::MulOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Max:
    return stablehlo::MaxOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Min:
    return stablehlo::MinOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::And:
    return stablehlo::AndOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Or:
    return stablehlo::OrOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Xor:
    return stablehlo::XorOp::create(b, loc, type, lhs, rhs);
  }
  return {};
}

Value buildCompare(OpBuilder &b, Location loc, Value lhs, Value rhs,
                   stablehlo::ComparisonDirection direction) {
  auto type = cast<RankedTensorType>(lhs.getType());
  return stablehlo::CompareOp::create(
      b, loc, type.clone(b.getI1Type()), lhs, rhs,
      stablehlo::ComparisonDirectionAttr::get(b.getContext(), direction),
      stablehlo::ComparisonTypeAttr::get(b.getContext(),
                                         stablehlo::ComparisonType::SIGNED));
}

void buildReducerBody(Region &body, Location loc, ReducerKind kind,
                      Type elementType) {
  OpBuilder builder(body.getContext());
  auto scalar = RankedTensorType::get({}, elementType);
  Block *block =
      builder.createBlock(&body, body.end(), {scalar, scalar}, {loc, loc});
  Value result = buildCombine(builder, loc, kind, block->getArgument(0),
                              block->getArgument(1));
  stablehlo::ReturnOp::create(builder, loc, result);
}

Value buildZero(OpBuilder &builder, Location loc, RankedTensorType type,
                bool negative) {
  Type element = type.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return stablehlo::UniformQuantizeOp::create(
        builder, loc, type,
        buildZero(builder, loc, type.clone(quantized.getExpressedType())));
  auto zero = [&](Type part) {
    const llvm::fltSemantics &format =
        cast<FloatType>(part).getFloatSemantics();
    return APFloat::semanticsHasZero(format)
               ? APFloat::getZero(format, negative)
               : APFloat::getSmallest(format);
  };
  DenseElementsAttr value;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    APFloat part = zero(complex.getElementType());
    value = DenseElementsAttr::get(type, std::complex<APFloat>(part, part));
  } else if (isa<FloatType>(element)) {
    value = DenseElementsAttr::get(type, zero(element));
  } else {
    value =
        DenseElementsAttr::get(type, {Attribute(builder.getZeroAttr(element))});
  }
  return stablehlo::ConstantOp::create(builder, loc, type, value);
}

} // namespace shardwright
