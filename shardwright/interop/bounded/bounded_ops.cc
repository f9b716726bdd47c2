//===- bounded_ops.cc - operations on bounded tensors -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::bounded {

SmallVector<int64_t> bounds(const Extents &extents) {
  SmallVector<int64_t> shape;
  for (const Extent &e : extents)
    shape.push_back(e.bound);
  return shape;
}

SmallVector<int64_t> allDims(Value x) {
  return llvm::to_vector(
      llvm::seq<int64_t>(0, BoundedBuilder::typeOf(x).getRank()));
}

void narrow(Extents &mine, const Extents &other) {
  for (auto [m, e] : llvm::zip_equal(mine, other)) {
    m.bound = std::min(m.bound, e.bound);
    if (!m.used)
      m.used = e.used;
  }
}

Extents commonExtents(ValueRange list, const Values &values) {
  Extents common = values.of(list.front());
  for (Value value : list.drop_front())
    narrow(common, values.of(value));
  return common;
}

FailureOr<Extents> declaredResult(Operation *op) {
  auto declared = declaredExtents(BoundedBuilder::typeOf(op->getResult(0)));
  if (failed(declared))
    return op->emitError("has a result of dynamic size without a bound");
  return declared;
}

FailureOr<Extents> resultFromShape(Operation *op, Value shape) {
  auto declared = declaredResult(op);
  if (failed(declared))
    return failure();
  BoundedBuilder m(op);
  RankedTensorType type = BoundedBuilder::typeOf(op->getResult(0));
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      (*declared)[d].used = m.element(shape, d);
  return declared;
}

//===----------------------------------------------------------------------===//
// Elementwise and pass-through ops
//===----------------------------------------------------------------------===//

/// The operands have equal used shapes; narrow all to the smallest bounds.
static LogicalResult padElementwise(Operation *op, Values &values) {
  BoundedBuilder m(op);
  SmallVector<Value> shaped;
  for (Value operand : op->getOperands())
    if (BoundedBuilder::typeOf(operand).getRank() != 0)
      shaped.push_back(operand);
  if (shaped.empty())
    return success();
  Extents common = commonExtents(shaped, values);
  for (OpOperand &operand : op->getOpOperands())
    if (BoundedBuilder::typeOf(operand.get()).getRank() != 0)
      operand.set(m.resized(operand.get(), bounds(common)));
  for (Value result : op->getResults())
    values.set(result, common);
  return success();
}

/// Each result has the extents of its operand.
static LogicalResult padPassed(Operation *op, Values &values) {
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults()))
    if (isa<RankedTensorType>(operand.getType()))
      values.set(result, values.of(operand));
  return success();
}

static LogicalResult padSetSize(stablehlo::SetDimensionSizeOp op,
                                Values &values) {
  Extents extents = values.of(op.getOperand());
  Value x = op.getOperand();
  int64_t d = op.getDimension(),
          size = BoundedBuilder::typeOf(op.getResult()).getDimSize(d);
  // A constant size may have become static in the type.
  if (ShapedType::isDynamic(size)) {
    extents[d].used = op.getSize();
  } else {
    extents[d] = {size, nullptr};
    x = BoundedBuilder(op).resized(x, bounds(extents));
  }
  // Copy the operand, which may have other uses with its own size.
  BoundedBuilder m(op);
  Value copy = stablehlo::ReshapeOp::create(m.b, m.loc, x.getType(), x);
  values.set(copy, extents);
  replace(op, copy);
  return success();
}

static LogicalResult padGetSize(stablehlo::GetDimensionSizeOp op,
                                Values &values) {
  BoundedBuilder m(op);
  Extents extents = values.of(op.getOperand());
  replace(op, m.used(extents[op.getDimension()]));
  return success();
}

/// `dot` contracts the last dimension with the first.
static LogicalResult padPlainDot(stablehlo::DotOp op, Values &values) {
  BoundedBuilder m(op);
  int64_t last = BoundedBuilder::typeOf(op.getLhs()).getRank() - 1;
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(m.b.getContext(), {},
                                                         {}, {last}, {0});
  auto general = stablehlo::DotGeneralOp::create(
      m.b, m.loc, op.getType(), op.getLhs(), op.getRhs(), numbers,
      op.getPrecisionConfigAttr(), nullptr);
  replace(op, general);
  return padDot(general, values);
}

LogicalResult padOp(Operation *op, Values &values) {
  if (op->hasTrait<OpTrait::Elementwise>())
    return padElementwise(op, values);
  auto by = [&](auto function) {
    return [&values, function](auto o) { return function(o, values); };
  };
  using namespace stablehlo;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<SelectOp, ClampOp, MapOp>(
          [&](Operation *o) { return padElementwise(o, values); })
      // Unused rows only affect unused rows. Batch norm inference handles each
      // element separately.
      .Case<OptimizationBarrierOp, AllReduceOp, CollectivePermuteOp,
            CollectiveBroadcastOp, BatchNormInferenceOp>(
          [&](Operation *o) { return padPassed(o, values); })
      .Case<ReshapeOp, DynamicReshapeOp>(
          [&](Operation *o) { return padReshape(o, values); })
      .Case<SetDimensionSizeOp>(by(padSetSize))
      .Case<GetDimensionSizeOp>(by(padGetSize))
      .Case<BroadcastInDimOp>(by(padBroadcast))
      .Case<TransposeOp>(by(padTranspose))
      .Case<SliceOp>(by(padSlice))
      .Case<PadOp>(by(padPad))
      .Case<ConcatenateOp>(by(padConcatenate))
      .Case<ReverseOp>(by(padReverse))
      .Case<DynamicSliceOp>(by(padDynamicSlice))
      .Case<DynamicUpdateSliceOp>(by(padUpdateSlice))
      .Case<BitcastConvertOp>(by(padBitcast))
      .Case<GatherOp>(by(padGather))
      .Case<DynamicGatherOp>(by(padDynamicGather))
      .Case<ScatterOp>(by(padScatter))
      .Case<ReduceOp>(by(padReduce))
      .Case<SortOp>(by(padSort))
      .Case<ReduceWindowOp>(by(padReduceWindow))
      .Case<SelectAndScatterOp>(by(padSelectAndScatter))
      .Case<ConvolutionOp>(by(padConvolution))
      .Case<DynamicConvOp>(by(padDynamicConv))
      .Case<DotOp>(by(padPlainDot))
      .Case<DotGeneralOp>(by(padDot))
      .Case<CholeskyOp>(by(padCholesky))
      .Case<TriangularSolveOp>(by(padTriangularSolve))
      .Case<FftOp>(by(padFft))
      .Case<DynamicBroadcastInDimOp>(by(padDynamicBroadcast))
      .Case<DynamicIotaOp>(by(padDynamicIota))
      .Case<RealDynamicSliceOp>(by(padRealSlice))
      .Case<DynamicPadOp>(by(padDynamicPad))
      .Case<RngOp>(by(padRng))
      .Case<AllGatherOp>(by(padAllGather))
      .Case<ReduceScatterOp>([&](ReduceScatterOp o) {
        return padDividing(o, {int64_t(o.getScatterDimension())}, values);
      })
      .Case<AllToAllOp>([&](AllToAllOp o) {
        return padDividing(
            o,
            {int64_t(o.getSplitDimension()), int64_t(o.getConcatDimension())},
            values);
      })
      .Case<CustomCallOp>(by(padCustomCall))
      .Default([](Operation *o) {
        return o->emitError() << "op '" << o->getName()
                              << "' on dimensions of bounded size is not "
                                 "supported";
      });
}

} // namespace shardwright::bounded
