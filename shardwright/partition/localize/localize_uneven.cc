//===- localize_uneven.cc - padding rows of uneven dimensions -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks the padding rows of an uneven dimension in ops that would reduce them
// with the rest, and in no other ops.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

using namespace mlir;

namespace shardwright {

bool Localizer::hasRowsBeyondEnd(Value operand, ArrayRef<int64_t> dims) const {
  auto it = placed.find(operand);
  if (it == placed.end())
    return false;
  const Placed &place = it->second;
  ArrayRef<int64_t> local = dimsOf(operand.getType()),
                    whole = dimsOf(place.type);
  return llvm::any_of(dims, [&](int64_t d) {
    int64_t shards = place.layout->sharding.dims[d].shards();
    return shards > 1 && local[d] * shards != whole[d];
  });
}

Value Localizer::maskBeyondEnd(OpBuilder &builder, Location loc, Value operand,
                               ArrayRef<int64_t> dims, TypedAttr fill) {
  if (!hasRowsBeyondEnd(operand, dims))
    return operand;
  auto type = cast<RankedTensorType>(operand.getType());
  auto counts = type.clone(builder.getI64Type());
  Layout layout = layoutOf(operand);
  Value valid;
  for (int64_t d : dims) {
    AxisRefs axes = axesOf(operand, d);
    int64_t size = type.getDimSize(d), whole = fullSize(operand, d);
    if (axes.empty() || size * totalSize(axes) == whole)
      continue;
    Value row = stablehlo::IotaOp::create(builder, loc, counts, d);
    Value end = stablehlo::SubtractOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI64Type()),
        indices.constant(whole), indices.offset(layout.mesh, axes, size));
    Value before = buildCompare(builder, loc, row,
                                broadcastScalar(builder, loc, end, counts),
                                stablehlo::ComparisonDirection::LT);
    valid = valid ? Value(stablehlo::AndOp::create(
                        builder, loc, before.getType(), valid, before))
                  : before;
  }
  Value nothing =
      stablehlo::ConstantOp::create(builder, loc, type, splatOf(type, fill));
  Value masked =
      stablehlo::SelectOp::create(builder, loc, type, valid, operand, nothing);
  inherit(masked, operand);
  return masked;
}

Value Localizer::resized(OpBuilder &builder, Location loc, Value value,
                         ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> padded, zero(shape.size(), 0), one(shape.size(), 1),
      high;
  for (auto [have, want] : llvm::zip(type.getShape(), shape)) {
    high.push_back(std::max<int64_t>(want - have, 0));
    padded.push_back(have + high.back());
  }
  if (ArrayRef<int64_t>(padded) != type.getShape()) {
    type = type.clone(ArrayRef<int64_t>(padded));
    Value anything =
        zeros(builder, loc, RankedTensorType::get({}, type.getElementType()));
    value = stablehlo::PadOp::create(builder, loc, type, value, anything, zero,
                                     high, zero);
  }
  if (type.getShape() != shape)
    value = stablehlo::SliceOp::create(builder, loc, type.clone(shape), value,
                                       zero, shape, one);
  return value;
}

LogicalResult Localizer::localizeReduce(stablehlo::ReduceOp op) {
  OpBuilder builder(op);
  for (OpOperand &use : op.getInputsMutable()) {
    Value input = use.get();
    if (!hasRowsBeyondEnd(input, op.getDimensions()))
      continue;
    // With other reducers, the partitioner shards no dimension unevenly.
    std::optional<ReducerKind> kind = uniformReducer(op.getBody());
    TypedAttr identity =
        kind ? identityElement(*kind, getElementTypeOrSelf(input))
             : TypedAttr();
    if (identity)
      use.set(maskBeyondEnd(builder, op.getLoc(), input, op.getDimensions(),
                            identity));
  }
  return setLocalResultTypes(op);
}

/// Zeros the padding rows: libraries may be slow on arbitrary values such as
/// NaN or denormals.
LogicalResult Localizer::localizeCustomCall(stablehlo::CustomCallOp op) {
  OpBuilder builder(op);
  for (OpOperand &use : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(use.get().getType());
    TypedAttr zero =
        type ? identityElement(ReducerKind::Add, type.getElementType())
             : TypedAttr();
    if (zero && !layoutOf(use.get()).isReplicated())
      use.set(maskBeyondEnd(
          builder, op.getLoc(), use.get(),
          llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())), zero));
  }
  return setLocalResultTypes(op);
}

LogicalResult Localizer::localizeDot(Operation *op,
                                     ArrayRef<int64_t> lhsContracting,
                                     ArrayRef<int64_t> rhsContracting) {
  OpBuilder builder(op);
  // Mask both operands, because 0 * NaN is NaN.
  for (auto [i, dims] : llvm::enumerate(
           SmallVector<ArrayRef<int64_t>, 2>{lhsContracting, rhsContracting})) {
    Value operand = op->getOperand(i);
    if (!hasRowsBeyondEnd(operand, dims))
      continue;
    TypedAttr zero = identityElement(ReducerKind::Add,
                                     getElementTypeOrSelf(operand.getType()));
    if (zero)
      op->setOperand(i,
                     maskBeyondEnd(builder, op->getLoc(), operand, dims, zero));
  }
  return setLocalResultTypes(op);
}

} // namespace shardwright
