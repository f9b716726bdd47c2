//===- op_builder.cc - build StableHLO ops --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/op_builder.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace shardwright::op_expansion {

Value StaticBuilder::splat(double value, RankedTensorType type) {
  Type element = type.getElementType();
  Attribute scalar;
  if (auto real = dyn_cast<FloatType>(element))
    scalar = b.getFloatAttr(real, value);
  else
    scalar = b.getIntegerAttr(element, static_cast<int64_t>(value));
  return stablehlo::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(type, scalar));
}

Value StaticBuilder::zeros(RankedTensorType type) {
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return splat(0, type);
  Value part = splat(0, type.clone(complex.getElementType()));
  return stablehlo::ComplexOp::create(b, loc, type, part, part);
}

Value StaticBuilder::convert(Value x, Type element) {
  if (typeOf(x).getElementType() == element)
    return x;
  return stablehlo::ConvertOp::create(b, loc, typeOf(x).clone(element), x);
}

Value StaticBuilder::broadcast(Value x, ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> dims) {
  return stablehlo::BroadcastInDimOp::create(b, loc, typeOf(x).clone(shape), x,
                                             dims);
}

Value StaticBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return x;
  SmallVector<int64_t> shape;
  for (int64_t p : permutation)
    shape.push_back(typeOf(x).getDimSize(p));
  return stablehlo::TransposeOp::create(
      b, loc, typeOf(x).clone(ArrayRef<int64_t>(shape)), x, permutation);
}

Value StaticBuilder::iota(RankedTensorType type, int64_t dimension) {
  return stablehlo::IotaOp::create(b, loc, type, dimension);
}

void StaticBuilder::fillWithAddition(Region &region, Type element) {
  OpBuilder::InsertionGuard guard(b);
  auto scalar = RankedTensorType::get({}, element);
  Block *block = b.createBlock(&region, {}, {scalar, scalar}, {loc, loc});
  Value sum = add(block->getArgument(0), block->getArgument(1));
  stablehlo::ReturnOp::create(b, loc, sum);
}

Value StaticBuilder::sum(Value x, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return x;
  RankedTensorType type = typeOf(x);
  Type element = type.getElementType();
  Value zero = zeros(RankedTensorType::get({}, element));
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(type.getDimSize(d));
  auto op = stablehlo::ReduceOp::create(
      b, loc, TypeRange(type.clone(ArrayRef<int64_t>(kept))), ValueRange(x),
      ValueRange(zero), dims);
  fillWithAddition(op.getBody(), element);
  return op->getResult(0);
}

std::optional<SmallVector<int64_t>> constantIntegers(Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto dense =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!dense)
    return std::nullopt;
  bool isUnsigned = dense.getElementType().isUnsignedInteger();
  SmallVector<int64_t> result;
  for (const APInt &v : dense.getValues<APInt>())
    result.push_back(isUnsigned ? static_cast<int64_t>(v.getZExtValue())
                                : v.getSExtValue());
  return result;
}

} // namespace shardwright::op_expansion
