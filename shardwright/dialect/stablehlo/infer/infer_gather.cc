//===- infer_gather.cc - result types of gathers --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"

using namespace mlir;

namespace shardwright::stablehlo {

static LogicalResult checkSortedUnique(MaybeLoc loc, StringRef name, Dims dims,
                                       int64_t end, StringRef endText) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (i && dims[i] < dims[i - 1])
      return emitOptionalError(loc, "expects ", name,
                               " to be sorted, got: ", dimsText(dims));
  for (size_t i = 1; i < dims.size(); ++i)
    if (dims[i] == dims[i - 1])
      return emitOptionalError(loc, "expects ", name,
                               " to not repeat, got: ", dimsText(dims));
  for (int64_t dim : dims)
    if (dim < 0 || dim >= end)
      return emitOptionalError(loc, "Expects each element of ", name,
                               " to be in range [0, ", endText, ") i.e. [0, ",
                               end, "). got: ", dim, ".");
  return success();
}

static LogicalResult checkDistinct(MaybeLoc loc, StringRef name, Dims dims) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (llvm::is_contained(dims.take_front(i), dims[i]))
      return emitOptionalError(loc, "expects ", name,
                               " to not repeat, got: ", dimsText(dims));
  return success();
}

// Checks a gather, except for the values of its slice sizes.
static LogicalResult checkGather(MaybeLoc loc, RankedTensorType operand,
                                 RankedTensorType indices,
                                 GatherDimensionNumbersAttr n,
                                 int64_t numSliceSizes, int64_t resultRank) {
  int64_t rank = operand.getRank(), indicesRank = indices.getRank();
  if (n.getIndexVectorDim() < 0 || n.getIndexVectorDim() > indicesRank)
    return emitOptionalError(
        loc,
        "Expects index_vector_dim to be in range [0, rank-of('start_indices')] "
        "i.e. [0, ",
        indicesRank, "]. got: ", n.getIndexVectorDim(), ".");
  if (n.getIndexVectorDim() < indicesRank &&
      !indices.isDynamicDim(n.getIndexVectorDim()) &&
      indices.getDimSize(n.getIndexVectorDim()) !=
          static_cast<int64_t>(n.getStartIndexMap().size()))
    return emitOptionalError(
        loc, "start_index_map size (", n.getStartIndexMap().size(),
        ") is not equal to size of index dimension (", n.getIndexVectorDim(),
        ") of start_indices (", indices.getDimSize(n.getIndexVectorDim()), ")");
  if (n.getIndexVectorDim() == indicesRank && n.getStartIndexMap().size() != 1)
    return emitOptionalError(loc, "start_index_map size (",
                             n.getStartIndexMap().size(),
                             ") is not equal to size of index dimension (",
                             n.getIndexVectorDim(), ") of start_indices (1)");
  int64_t named = n.getOffsetDims().size() + n.getCollapsedSliceDims().size() +
                  n.getOperandBatchingDims().size();
  if (named != rank)
    return emitOptionalError(
        loc, "offset_dims size (", n.getOffsetDims().size(),
        ") plus collapse_slice_dims size (", n.getCollapsedSliceDims().size(),
        ") plus operand_batching_dims size (",
        n.getOperandBatchingDims().size(), ") is not equal to operand rank (",
        rank, ")");
  if (failed(checkSortedUnique(loc, "offset_dims", n.getOffsetDims(),
                               resultRank, "implied-result-rank")) ||
      failed(checkSortedUnique(loc, "collapsed_slice_dims",
                               n.getCollapsedSliceDims(), rank,
                               "rank-of('operand')")) ||
      failed(checkSortedUnique(loc, "operand_batching_dims",
                               n.getOperandBatchingDims(), rank,
                               "rank-of('operand')")) ||
      failed(checkDistinct(loc, "start_index_map", n.getStartIndexMap())) ||
      failed(checkDistinct(loc, "start_indices_batching_dims",
                           n.getStartIndicesBatchingDims())))
    return failure();
  for (int64_t dim : n.getStartIndexMap()) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(
          loc,
          "Expects each element of start_index_map to be in range [0, "
          "rank-of('operand')) i.e. [0, ",
          rank, "). got: ", dim, ".");
    if (llvm::is_contained(n.getOperandBatchingDims(), dim))
      return emitOptionalError(
          loc,
          "expects start_index_map and operand_batching_dims to be "
          "disjoint, got dimension ",
          dim, " in both");
  }
  for (int64_t dim : n.getCollapsedSliceDims())
    if (llvm::is_contained(n.getOperandBatchingDims(), dim))
      return emitOptionalError(
          loc,
          "expects collapsed_slice_dims and operand_batching_dims to be "
          "disjoint, got dimension ",
          dim, " in both");
  if (n.getOperandBatchingDims().size() !=
      n.getStartIndicesBatchingDims().size())
    return emitOptionalError(
        loc, "operand_batching_dims and start_indices_batching_dims should "
             "have the same size");
  for (auto [operandDim, indicesDim] :
       llvm::zip(n.getOperandBatchingDims(), n.getStartIndicesBatchingDims())) {
    if (indicesDim < 0 || indicesDim >= indicesRank)
      return emitOptionalError(
          loc, "start_indices_batching_dims entry ", indicesDim,
          " is out of bounds for start indices with rank ", indicesRank);
    if (indicesDim == n.getIndexVectorDim())
      return emitOptionalError(
          loc,
          "expects start_indices_batching_dims not to include "
          "index_vector_dim ",
          n.getIndexVectorDim(), ".");
    if (!operand.isDynamicDim(operandDim) &&
        !indices.isDynamicDim(indicesDim) &&
        operand.getDimSize(operandDim) != indices.getDimSize(indicesDim))
      return emitOptionalError(
          loc,
          "operand_batching_dims and start_indices_batching_dims "
          "should have the same dimension sizes, got ",
          operand.getDimSize(operandDim), " and ",
          indices.getDimSize(indicesDim));
  }
  if (numSliceSizes != rank)
    return emitOptionalError(loc, "slice_sizes size (", numSliceSizes,
                             ") not equal to operand rank (", rank, ")");
  return success();
}

// The offset dimensions have `sliceSizes`; the other sizes are those of the
// indices.
static SmallVector<int64_t> gatherShape(RankedTensorType operand,
                                        RankedTensorType indices,
                                        GatherDimensionNumbersAttr n,
                                        Dims sliceSizes, int64_t resultRank,
                                        SmallVectorImpl<int64_t> &bounds) {
  SmallVector<int64_t> kept, shape;
  for (int64_t d = 0; d < operand.getRank(); ++d)
    if (!llvm::is_contained(n.getCollapsedSliceDims(), d) &&
        !llvm::is_contained(n.getOperandBatchingDims(), d))
      kept.push_back(sliceSizes[d]);
  SmallVector<int64_t> indicesBounds = fullBounds(indices);
  size_t nextOffset = 0;
  int64_t nextBatch = 0;
  for (int64_t d = 0; d < resultRank; ++d) {
    if (llvm::is_contained(n.getOffsetDims(), d)) {
      shape.push_back(kept[nextOffset++]);
      bounds.push_back(ShapedType::kDynamic);
      continue;
    }
    if (nextBatch == n.getIndexVectorDim())
      ++nextBatch;
    shape.push_back(indices.getDimSize(nextBatch));
    bounds.push_back(indicesBounds[nextBatch++]);
  }
  return shape;
}

static int64_t gatherResultRank(RankedTensorType indices,
                                GatherDimensionNumbersAttr n) {
  int64_t batch = indices.getRank();
  if (n.getIndexVectorDim() < indices.getRank())
    --batch;
  return batch + n.getOffsetDims().size();
}

LogicalResult inferGather(MaybeLoc loc, Value operand, Value startIndices,
                          GatherDimensionNumbersAttr numbers, Dims sliceSizes,
                          Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto indices = cast<RankedTensorType>(startIndices.getType());
  int64_t rank = gatherResultRank(indices, numbers);
  if (failed(checkGather(loc, type, indices, numbers, sliceSizes.size(), rank)))
    return failure();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (sliceSizes[d] < 0 ||
        (!type.isDynamicDim(d) && sliceSizes[d] > type.getDimSize(d)))
      return emitOptionalError(loc, "slice size (", sliceSizes[d],
                               ") is out of bounds for operand dimension (",
                               type.isDynamicDim(d)
                                   ? std::string("?")
                                   : std::to_string(type.getDimSize(d)),
                               ") at index ", d);
    bool collapsed = llvm::is_contained(numbers.getCollapsedSliceDims(), d);
    if ((collapsed ||
         llvm::is_contained(numbers.getOperandBatchingDims(), d)) &&
        sliceSizes[d] > 1)
      return emitOptionalError(
          loc, "Expects that for each dim in ",
          collapsed ? "collapsed_slice_dims" : "operand_batching_dims",
          ", slice_sizes[dim] should be <= 1, but got ", sliceSizes[d]);
  }
  SmallVector<int64_t> bounds;
  SmallVector<int64_t> shape =
      gatherShape(type, indices, numbers, sliceSizes, rank, bounds);
  types.push_back(tensorType(shape, bounds, type.getElementType()));
  return success();
}

LogicalResult inferDynamicGather(MaybeLoc loc, Value operand,
                                 Value startIndices, Value sliceSizes,
                                 GatherDimensionNumbersAttr numbers,
                                 Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto indices = cast<RankedTensorType>(startIndices.getType());
  auto sizes = cast<RankedTensorType>(sliceSizes.getType());
  if (sizes.getRank() != 1)
    return emitOptionalError(loc, "slice_sizes.rank != 1 (got ",
                             sizes.getRank(), ")");
  int64_t rank = gatherResultRank(indices, numbers);
  int64_t count = sizes.isDynamicDim(0) ? type.getRank() : sizes.getDimSize(0);
  if (failed(checkGather(loc, type, indices, numbers, count, rank)))
    return failure();
  SmallVector<int64_t> unknown(type.getRank(), ShapedType::kDynamic), bounds;
  DenseIntElementsAttr constant;
  if (matchPattern(sliceSizes, m_Constant(&constant)))
    for (auto [slot, value] : llvm::zip(unknown, constant.getValues<APInt>())) {
      slot = value.getSExtValue();
      if (slot < 0)
        return emitOptionalError(loc, "slice_sizes must not be negative, got ",
                                 slot);
    }
  SmallVector<int64_t> shape =
      gatherShape(type, indices, numbers, unknown, rank, bounds);
  types.push_back(tensorType(shape, bounds, type.getElementType()));
  return success();
}

} // namespace shardwright::stablehlo
