//===- quantization.cc - quantization as arithmetic -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/quantization.h"

using namespace mlir;

namespace shardwright::op_expansion {

quant::QuantizedType quantizedElement(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast<quant::QuantizedType>(tensor.getElementType())
                : quant::QuantizedType();
}

Type storageType(Type type) {
  quant::QuantizedType element = quantizedElement(type);
  if (!element)
    return type;
  auto signedness =
      element.isSigned() ? IntegerType::Signless : IntegerType::Unsigned;
  return cast<RankedTensorType>(type).clone(IntegerType::get(
      type.getContext(), element.getStorageTypeIntegralWidth(), signedness));
}

Type expressedType(Type type) {
  quant::QuantizedType element = quantizedElement(type);
  return element
             ? cast<RankedTensorType>(type).clone(element.getExpressedType())
             : type;
}

bool isUniform(quant::QuantizedType type) {
  return isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType>(
      type);
}

namespace {
struct Parameters {
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  int64_t axis = -1;
};

Parameters parametersOf(quant::QuantizedType type) {
  if (auto one = dyn_cast<quant::UniformQuantizedType>(type))
    return {{one.getScale()}, {one.getZeroPoint()}, -1};
  auto axis = cast<quant::UniformQuantizedPerAxisType>(type);
  return {llvm::to_vector(axis.getScales()),
          llvm::to_vector(axis.getZeroPoints()), axis.getQuantizedDimension()};
}

/// Broadcasts one number for all elements, or one per index of the axis, to the
/// tensor.
Value spread(StaticBuilder &m, ArrayRef<double> values, int64_t axis,
             RankedTensorType type) {
  if (axis < 0)
    return m.splat(values.front(), type);
  auto element = cast<FloatType>(type.getElementType());
  SmallVector<Attribute> attrs;
  for (double v : values)
    attrs.push_back(m.b.getFloatAttr(element, v));
  auto list =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  Value constant = stablehlo::ConstantOp::create(
      m.b, m.loc, DenseElementsAttr::get(list, attrs));
  return m.broadcast(constant, type.getShape(), {axis});
}

Value zeroPoints(StaticBuilder &m, const Parameters &p, RankedTensorType type) {
  SmallVector<double> values(p.zeroPoints.begin(), p.zeroPoints.end());
  return spread(m, values, p.axis, type);
}
} // namespace

bool sameQuantization(quant::QuantizedType a, quant::QuantizedType b) {
  if (a == b)
    return true;
  if (a.getStorageType() != b.getStorageType() ||
      a.isSigned() != b.isSigned() || !isUniform(a) || !isUniform(b))
    return false;
  Parameters p = parametersOf(a), q = parametersOf(b);
  return p.scales == q.scales && p.zeroPoints == q.zeroPoints;
}

// Differences of integers up to 16 bits are exact in f32; wider ones are
// computed in f64.
Value dequantize(StaticBuilder &m, Value stored, Type type) {
  quant::QuantizedType element = quantizedElement(type);
  Parameters p = parametersOf(element);
  bool isWide = element.getStorageTypeIntegralWidth() > 16;
  Type computed = isWide ? Type(m.b.getF64Type()) : Type(m.b.getF32Type());
  auto wide = StaticBuilder::typeOf(stored).clone(computed);
  Value x = m.subtract(m.convert(stored, computed), zeroPoints(m, p, wide));
  x = m.convert(x, m.b.getF32Type());
  Type expressed = element.getExpressedType();
  Type product = expressed.isF64() ? expressed : Type(m.b.getF32Type());
  x = m.convert(x, product);
  x = m.multiply(x, spread(m, p.scales, p.axis, StaticBuilder::typeOf(x)));
  return m.convert(x, expressed);
}

Value quantize(StaticBuilder &m, Value x, Type type) {
  quant::QuantizedType element = quantizedElement(type);
  Parameters p = parametersOf(element);
  // f16 and bf16 are too narrow for the quotient.
  if (cast<FloatType>(StaticBuilder::typeOf(x).getElementType()).getWidth() <
      32)
    x = m.convert(x, m.b.getF32Type());
  RankedTensorType wide = StaticBuilder::typeOf(x);
  Value q = m.add(m.divide(x, spread(m, p.scales, p.axis, wide)),
                  zeroPoints(m, p, wide));
  Value low = m.splat(static_cast<double>(element.getStorageTypeMin()), wide);
  Value high = m.splat(static_cast<double>(element.getStorageTypeMax()), wide);
  q = stablehlo::ClampOp::create(m.b, m.loc, wide, low, q, high);
  q = m.unary<stablehlo::RoundNearestEvenOp>(q);
  return m.convert(q,
                   cast<RankedTensorType>(storageType(type)).getElementType());
}

} // namespace shardwright::op_expansion
