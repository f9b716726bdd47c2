//===- expand_for_version.cc - expand newer features ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/portable.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

using vhlo::Version;

/// tan x = sin x / cos x
static void expandTan(stablehlo::TanOp op) {
  OpBuilder b(op);
  Value sine =
      stablehlo::SineOp::create(b, op.getLoc(), op.getType(), op.getOperand());
  Value cosine = stablehlo::CosineOp::create(b, op.getLoc(), op.getType(),
                                             op.getOperand());
  auto divide =
      stablehlo::DivOp::create(b, op.getLoc(), op.getType(), sine, cosine);
  divide->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.getResult().replaceAllUsesWith(divide.getResult());
  op.erase();
}

/// Replaces ranges in files by their first position.
static void dropRanges(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FileLineColRange range) -> Attribute {
    return FileLineColLoc::get(range.getFilename(), range.getStartLine(),
                               range.getStartColumn());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true);
}

//===----------------------------------------------------------------------===//
// Batching dimensions of gather and scatter
//===----------------------------------------------------------------------===//

/// Prepends a component for each batching dimension to the indices: the
/// position along it. Null if a shape is unknown.
static Value addBatchIndices(OpBuilder &b, Location loc, Value indices,
                             int64_t indexVectorDim,
                             ArrayRef<int64_t> batchingDims) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (!type.hasStaticShape() || !isa<IntegerType>(type.getElementType()))
    return {};
  // A narrow type may not be able to represent the positions.
  int64_t largest = 0;
  for (int64_t dim : batchingDims)
    largest = std::max(largest, type.getDimSize(dim));
  if (!llvm::isUIntN(type.getElementTypeBitWidth() - 1, largest))
    indices = stablehlo::ConvertOp::create(b, loc, indices, b.getI64Type());
  type = cast<RankedTensorType>(indices.getType());
  if (indexVectorDim == type.getRank()) {
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    type = RankedTensorType::get(shape, type.getElementType());
    indices = stablehlo::ReshapeOp::create(b, loc, type, indices);
  }
  SmallVector<int64_t> one(type.getShape());
  one[indexVectorDim] = 1;
  auto oneType = RankedTensorType::get(one, type.getElementType());
  SmallVector<Value> parts;
  for (int64_t dim : batchingDims)
    parts.push_back(stablehlo::IotaOp::create(b, loc, oneType, dim));
  parts.push_back(indices);
  SmallVector<int64_t> shape(type.getShape());
  shape[indexVectorDim] += batchingDims.size();
  return stablehlo::ConcatenateOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), parts,
      indexVectorDim);
}

static SmallVector<int64_t> joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> result(a);
  llvm::append_range(result, b);
  return result;
}

static SmallVector<int64_t> sorted(SmallVector<int64_t> list) {
  llvm::sort(list);
  return list;
}

/// For gather and dynamic_gather.
template <typename Op> static void expandGather(Op op) {
  auto dims = op.getDimensionNumbers();
  if (dims.getOperandBatchingDims().empty())
    return;
  OpBuilder b(op);
  Value indices = addBatchIndices(b, op.getLoc(), op.getStartIndices(),
                                  dims.getIndexVectorDim(),
                                  dims.getStartIndicesBatchingDims());
  if (!indices)
    return;
  op.getStartIndicesMutable().assign(indices);
  op.setDimensionNumbersAttr(stablehlo::GatherDimensionNumbersAttr::get(
      op.getContext(), dims.getOffsetDims(),
      sorted(
          joined(dims.getCollapsedSliceDims(), dims.getOperandBatchingDims())),
      {}, {}, joined(dims.getOperandBatchingDims(), dims.getStartIndexMap()),
      dims.getIndexVectorDim()));
  op.setIndicesAreSorted(false);
}

static void expandScatter(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  if (dims.getInputBatchingDims().empty())
    return;
  OpBuilder b(op);
  Value indices = addBatchIndices(b, op.getLoc(), op.getScatterIndices(),
                                  dims.getIndexVectorDim(),
                                  dims.getScatterIndicesBatchingDims());
  if (!indices)
    return;
  op.getScatterIndicesMutable().assign(indices);
  op.setScatterDimensionNumbersAttr(stablehlo::ScatterDimensionNumbersAttr::get(
      op.getContext(), dims.getUpdateWindowDims(),
      sorted(joined(dims.getInsertedWindowDims(), dims.getInputBatchingDims())),
      {}, {},
      joined(dims.getInputBatchingDims(), dims.getScatterDimsToOperandDims()),
      dims.getIndexVectorDim()));
  op.setIndicesAreSorted(false);
}

void expandForVersion(ModuleOp module, Version target) {
  if (target < Version{1, 1, 0})
    module.walk([](Operation *op) {
      if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
        expandGather(gather);
      else if (auto gather = dyn_cast<stablehlo::DynamicGatherOp>(op))
        expandGather(gather);
      else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
        expandScatter(scatter);
    });
  if (target < Version{1, 4, 0})
    module.walk([](stablehlo::TanOp op) { expandTan(op); });
  if (target < Version{1, 9, 0})
    dropRanges(module);
}

} // namespace shardwright
