//===- op_builders.cc - ops that many rewrites build ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/op_builders.h"

#include "shardwright/partition/layout/reshard_cache.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace shardwright {

Value buildCompare(OpBuilder &b, Location loc, Value lhs, Value rhs,
                   stablehlo::ComparisonDirection direction) {
  auto type = cast<RankedTensorType>(lhs.getType());
  return stablehlo::CompareOp::create(
      b, loc, type.clone(b.getI1Type()), lhs, rhs,
      stablehlo::ComparisonDirectionAttr::get(b.getContext(), direction),
      stablehlo::ComparisonTypeAttr::get(b.getContext(),
                                         stablehlo::ComparisonType::SIGNED));
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

Value buildReshape(OpBuilder &builder, Location loc, Value value,
                   ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return stablehlo::ReshapeOp::create(builder, loc, type.clone(shape), value);
}

Value buildTranspose(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t d : permutation)
    shape.push_back(type.getDimSize(d));
  return stablehlo::TransposeOp::create(
      builder, loc, type.clone(ArrayRef<int64_t>(shape)), value, permutation);
}

Value buildScalar(OpBuilder &builder, Location loc, TypedAttr value) {
  Type element = value.getType();
  if (auto splat = dyn_cast<DenseElementsAttr>(value))
    element = splat.getElementType();
  auto type = RankedTensorType::get({}, element);
  return stablehlo::ConstantOp::create(builder, loc, type,
                                       splatOf(type, value));
}

FailureOr<stablehlo::IfOp> buildConditional(OpBuilder &builder, Operation *op,
                                            Value predicate, bool negative) {
  Location loc = op->getLoc();
  OpBuilder::InsertionGuard guard(builder);
  auto branch =
      stablehlo::IfOp::create(builder, loc, op->getResultTypes(), predicate);
  builder.createBlock(&branch.getTrueBranch());
  Operation *copy = builder.clone(*op);
  stablehlo::ReturnOp::create(builder, loc, copy->getResults());
  builder.createBlock(&branch.getFalseBranch());
  SmallVector<Value> zeros;
  for (Type type : op->getResultTypes()) {
    if (isStaticTensor(type))
      zeros.push_back(
          buildZero(builder, loc, cast<RankedTensorType>(type), negative));
    else if (isa<stablehlo::TokenType>(type))
      zeros.push_back(stablehlo::CreateTokenOp::create(builder, loc, type));
    else
      return op->emitOpError(
                 "is computed on one device, but has a result of type ")
             << type << ", which cannot be sent to the others";
  }
  stablehlo::ReturnOp::create(builder, loc, zeros);
  return branch;
}

Value padRows(OpBuilder &builder, Value value, int64_t dim, int64_t rows,
              Value fill, const Layout &layout, const MeshTable &meshes,
              SmallVectorImpl<Operation *> &ops) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> none(type.getRank(), 0), high(none),
      shape(type.getShape());
  high[dim] = rows - shape[dim];
  shape[dim] = rows;
  auto pad = stablehlo::PadOp::create(builder, value.getLoc(),
                                      type.clone(ArrayRef<int64_t>(shape)),
                                      value, fill, none, high, none);
  setResultLayouts(pad, layout, meshes);
  ops.push_back(pad);
  return pad;
}

} // namespace shardwright
