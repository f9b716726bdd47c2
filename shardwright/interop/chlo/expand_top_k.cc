//===- expand_top_k.cc - top_k as a sort ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/reduction.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/interop/chlo/expand_op.h"
#include "shardwright/interop/chlo/math_builder.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

// The comparator of a sort of values and their indices, largest first.
static void addComparator(OpBuilder &b, stablehlo::SortOp sort, Type element) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = sort.getLoc();
  auto value = RankedTensorType::get({}, element),
       index = RankedTensorType::get({}, b.getI32Type());
  Block *block =
      b.createBlock(&sort.getComparator(), {}, {value, value, index, index},
                    {loc, loc, loc, loc});
  stablehlo::ComparisonTypeAttr type;
  if (isa<FloatType>(element))
    type = stablehlo::ComparisonTypeAttr::get(
        b.getContext(), stablehlo::ComparisonType::TOTALORDER);
  Value greater = stablehlo::CompareOp::create(
      b, loc, block->getArgument(0), block->getArgument(1),
      stablehlo::ComparisonDirectionAttr::get(
          b.getContext(), stablehlo::ComparisonDirection::GT),
      type);
  stablehlo::ReturnOp::create(b, loc, greater);
}

LogicalResult expandTopK(chlo::TopKOp op, Results &results) {
  auto type = dyn_cast<RankedTensorType>(op.getOperand().getType());
  if (!type || type.getRank() == 0)
    return op.emitOpError("has no expansion for ") << op.getOperand().getType();
  Type element = type.getElementType();
  if (!isa<FloatType, IntegerType>(element))
    return op.emitOpError("has no expansion for elements without an order, ")
           << element;
  OpBuilder b(op);
  Location loc = op.getLoc();
  int64_t rank = type.getRank(), last = rank - 1;
  auto indexType = type.clone(b.getI32Type());
  bool isStatic = type.hasStaticShape();
  Value iota;
  if (isStatic)
    iota = stablehlo::IotaOp::create(b, loc, indexType, last);
  else
    iota = stablehlo::DynamicIotaOp::create(
        b, loc, indexType, shapeOf(b, loc, op.getOperand()), last);
  auto sort = stablehlo::SortOp::create(b, loc, TypeRange{type, indexType},
                                        ValueRange{op.getOperand(), iota}, last,
                                        op.getIsStable());
  addComparator(b, sort, element);
  int64_t k = op.getK();
  for (auto [index, sorted] : llvm::enumerate(sort.getResults())) {
    if (isStatic) {
      SmallVector<int64_t> start(rank, 0), limit(type.getShape()),
          strides(rank, 1);
      limit[last] = k;
      results.push_back(
          stablehlo::SliceOp::create(b, loc, sorted, start, limit, strides));
      continue;
    }
    auto indices = RankedTensorType::get({rank}, b.getI64Type());
    auto all = [&](int64_t value) -> Value {
      return stablehlo::ConstantOp::create(
          b, loc, DenseElementsAttr::get(indices, value));
    };
    SmallVector<Value> limits;
    for (int64_t d = 0; d < last; ++d)
      limits.push_back(sizeOf(b, loc, op.getOperand(), d));
    limits.push_back(stablehlo::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()), k)));
    results.push_back(stablehlo::RealDynamicSliceOp::create(
        b, loc, op->getResult(index).getType(), sorted, all(0),
        joinScalars(b, loc, limits), all(1)));
  }
  return success();
}

} // namespace shardwright::chlo_expansion
