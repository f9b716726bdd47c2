//===- guard_indices.cc - indices out of bounds for XLA -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA (jaxlib 0.10.2; 0.12 is right) joins a dynamic_slice of a
// dynamic_slice by adding the indices, and forgets that each is clamped first.
// It makes dynamic_slices of gathers and scatters with one index, too. Our
// partitions have such pairs: the part of a value that a device takes, and the
// user's own op. What is inserted here keeps the two apart.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/region/region_passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {
namespace {

/// True if there may be just one index; several are a loop.
bool mayHaveOneIndex(Value indices, int64_t vectorDim) {
  auto type = cast<RankedTensorType>(indices.getType());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (int64_t(dim) != vectorDim && size != 1 && !ShapedType::isDynamic(size))
      return false;
  return true;
}

bool hasOneIndex(Operation *op) {
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return mayHaveOneIndex(
        scatter.getScatterIndices(),
        scatter.getScatterDimensionNumbersAttr().getIndexVectorDim());
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    return mayHaveOneIndex(
        gather.getStartIndices(),
        gather.getDimensionNumbersAttr().getIndexVectorDim());
  return isa<stablehlo::DynamicSliceOp>(op);
}

/// The op that takes a part of which `value` is made element by element; null
/// if there is none.
Operation *findPart(Value value, int depth = 0) {
  constexpr int kMostSteps = 8;
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMostSteps)
    return nullptr;
  if (isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op))
    return hasOneIndex(op) ? op : nullptr;
  if (op->hasTrait<OpTrait::Elementwise>() ||
      isa<stablehlo::ReshapeOp, stablehlo::TransposeOp,
          stablehlo::BroadcastInDimOp, stablehlo::SliceOp>(op))
    for (Value operand : op->getOperands())
      if (Operation *part = findPart(operand, depth + 1))
        return part;
  return nullptr;
}

void guardOperands(Operation *op, unsigned count) {
  OpBuilder b(op);
  SmallVector<Value> inputs(op->getOperands().take_front(count));
  auto barrier = stablehlo::OptimizationBarrierOp::create(
      b, op->getLoc(), TypeRange(ValueRange(inputs)), inputs);
  for (unsigned i = 0; i < count; ++i)
    op->setOperand(i, barrier.getResult()[i]);
}

/// Clamps the indices, so that nothing is lost where XLA adds them. The barrier
/// keeps it from removing the clamp, which dynamic_slice implies.
void clampIndices(stablehlo::DynamicSliceOp slice) {
  OpBuilder b(slice);
  auto type = cast<RankedTensorType>(slice.getOperand().getType());
  for (auto [dim, taken] : llvm::enumerate(slice.getSliceSizes())) {
    Value index = slice->getOperand(unsigned(dim) + 1);
    auto scalar = cast<RankedTensorType>(index.getType());
    auto integer = cast<IntegerType>(scalar.getElementType());
    unsigned bits = integer.getWidth() - !integer.isUnsigned();
    int64_t most = type.getDimSize(dim) - taken;
    if (bits < 63)
      most = std::min(most, (int64_t(1) << bits) - 1);
    auto constant = [&](int64_t value) -> Value {
      return stablehlo::ConstantOp::create(
          b, slice.getLoc(),
          DenseElementsAttr::get(scalar, b.getIntegerAttr(integer, value)));
    };
    if (type.isDynamicDim(dim))
      continue;
    Value clamped = stablehlo::ClampOp::create(
        b, slice.getLoc(), scalar, constant(0), index, constant(most));
    slice->setOperand(unsigned(dim) + 1,
                      stablehlo::OptimizationBarrierOp::create(
                          b, slice.getLoc(), TypeRange(scalar), clamped)
                          .getResult()[0]);
  }
}

} // namespace

void guardIndices(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp,
            stablehlo::ScatterOp>(op) &&
        hasOneIndex(op))
      ops.push_back(op);
  });
  llvm::SetVector<Operation *> clamped;
  for (Operation *op : ops) {
    if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
      guardOperands(op, unsigned(scatter.getInputs().size()));
      continue;
    }
    Operation *part = findPart(op->getOperand(0));
    if (!part)
      continue;
    if (isa<stablehlo::GatherOp>(op) || isa<stablehlo::GatherOp>(part)) {
      guardOperands(op, 1);
      continue;
    }
    for (Operation *slice : {part, op})
      if (clamped.insert(slice))
        clampIndices(cast<stablehlo::DynamicSliceOp>(slice));
  }
}

} // namespace shardwright
