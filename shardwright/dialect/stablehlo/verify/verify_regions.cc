//===- verify_regions.cc - verifiers of while, sort and scatters --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/infer/region_types.h"
#include "shardwright/dialect/stablehlo/reduction.h"

using namespace mlir;

namespace shardwright::stablehlo {

static bool differ(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

static bool isScalarPred(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType().isSignlessInteger(1);
}

LogicalResult WhileOp::verify() {
  Location loc = getLoc();
  TypeRange operands = getOperand().getTypes();
  auto check = [&](TypeRange types, StringRef what) -> LogicalResult {
    if (areCompatible(operands, types))
      return success();
    return mlir::emitError(loc)
           << "expect operands to be compatible with " << what << " but got "
           << operands << " vs " << types;
  };
  if (failed(
          check(getCond().getArgumentTypes(), "condition block arguments")) ||
      failed(check(getBody().getArgumentTypes(), "body block arguments")))
    return failure();
  FailureOr<SmallVector<Type>> body = returnedTypes(loc, getBody());
  if (failed(body) || failed(check(*body, "body block return types")))
    return failure();
  FailureOr<SmallVector<Type>> condition = returnedTypes(loc, getCond());
  if (failed(condition))
    return failure();
  if (condition->size() != 1)
    return mlir::emitError(loc)
           << "expect condition body returns a single value but got "
           << condition->size();
  if (!isScalarPred(condition->front()))
    return mlir::emitError(loc) << "expect condition block return a "
                                   "zero-ranked tensor of i1 but got "
                                << condition->front();
  return success();
}

LogicalResult SortOp::verify() {
  Location loc = getLoc();
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  int64_t rank = first.getRank(), dimension = getDimension();
  if (dimension < -rank || dimension >= rank)
    return mlir::emitError(loc)
           << "dimension attribute value must be in range [-" << rank << ", "
           << rank << "), but found " << dimension;
  Region &region = getComparator();
  if (region.getNumArguments() != 2 * getInputs().size())
    return mlir::emitError(loc) << "comparator block should have "
                                << 2 * getInputs().size() << " arguments";
  for (auto [index, argument] : llvm::enumerate(region.getArguments())) {
    Type element = getElementTypeOrSelf(getInputs()[index / 2].getType());
    Type expected = RankedTensorType::get({}, element);
    if (argument.getType() != expected)
      return mlir::emitError(loc)
             << "comparator block argument #" << index << " should be of type "
             << expected << " but got " << argument.getType();
  }
  FailureOr<SmallVector<Type>> returned = returnedTypes(loc, region);
  if (failed(returned))
    return failure();
  if (returned->size() != 1)
    return mlir::emitError(loc)
           << "comparator must return single output but got "
           << returned->size();
  if (!isScalarPred(returned->front()))
    return mlir::emitError(loc)
           << "comparator must return tensor<i1> but got " << returned->front();
  return success();
}

LogicalResult SelectAndScatterOp::verify() {
  Location loc = getLoc();
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto source = cast<RankedTensorType>(getSource().getType());
  Type scalar = RankedTensorType::get({}, operand.getElementType());

  // select: chooses one of two elements.
  if (getSelect().getNumArguments() != 2)
    return mlir::emitError(loc) << "expects the select-region to take 2 "
                                   "parameters, but takes "
                                << getSelect().getNumArguments();
  for (auto [index, argument] : llvm::enumerate(getSelect().getArguments()))
    if (!sameUpToPrecision(argument.getType(), scalar))
      return mlir::emitError(loc)
             << "expects the type of select-region's parameter at index "
             << index << " to be " << scalar << ", but got "
             << argument.getType();
  FailureOr<SmallVector<Type>> selected = returnedTypes(loc, getSelect());
  if (failed(selected))
    return failure();
  if (selected->size() != 1)
    return mlir::emitError(loc) << "expects select-region to return single "
                                   "value, but got: "
                                << selected->size();
  if (!isScalarPred(selected->front()))
    return mlir::emitError(loc) << "expects the return-type of select-region "
                                   "to be tensor<i1>, but got: "
                                << selected->front();

  // scatter: accumulates the selected elements.
  FailureOr<SmallVector<Type>> elements =
      checkReducer(loc, getScatter(), source, getInitValue().getType());
  if (failed(elements))
    return failure();

  Dims sizes = getWindowDimensions().value_or(Dims());
  if (static_cast<int64_t>(sizes.size()) != operand.getRank())
    return mlir::emitError(loc)
           << "expects window-dimensions size == operand rank, but got "
              "window-dimensions size: "
           << sizes.size() << " and operand-type: " << operand
           << " with rank = " << operand.getRank() << ".";
  FailureOr<SmallVector<WindowDim>> window =
      makeWindow(loc, sizes, getWindowStrides(), getPaddingAttr(), std::nullopt,
                 std::nullopt);
  if (failed(window))
    return failure();
  auto expected = RankedTensorType::get(
      windowedShape(operand.getShape(), *window), source.getElementType());
  if (!areCompatible(expected, source))
    return mlir::emitError(loc)
           << "expects source-type to be " << expected << ", but got" << source;
  auto result = operand.clone(elements->front());
  if (!areCompatible(result, getType()))
    return emitOpError("inferred type(s) ")
           << result << " are incompatible with return type(s) of operation "
           << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

// Checks that dimensions are sorted, unique and in [0, end).
static LogicalResult checkDims(Location loc, StringRef name, Dims dims,
                               int64_t end, StringRef endText) {
  for (size_t i = 1; i < dims.size(); ++i) {
    if (dims[i] < dims[i - 1])
      return emitError(loc) << "Expects " << name
                            << " to be sorted, got: " << dimsText(dims) << ".";
    if (dims[i] == dims[i - 1])
      return emitError(loc) << "Expects " << name
                            << " to not repeat, got: " << dimsText(dims) << ".";
  }
  for (int64_t dim : dims)
    if (dim < 0 || dim >= end)
      return emitError(loc)
             << "Expects each element of " << name << " to be in range [0, "
             << endText << ") i.e. [0, " << end << "). got: " << dim << ".";
  return success();
}

/// Checks scatter_dims_to_operand_dims.
static LogicalResult verifyScatterMap(Location loc, RankedTensorType input,
                                      RankedTensorType indices,
                                      ScatterDimensionNumbersAttr n) {
  int64_t rank = input.getRank(), indicesRank = indices.getRank();
  int64_t vectorDim = n.getIndexVectorDim();
  Dims batching = n.getInputBatchingDims();
  Dims map = n.getScatterDimsToOperandDims();
  int64_t vectorSize =
      vectorDim == indicesRank ? 1 : indices.getDimSize(vectorDim);
  if (differ(vectorSize, map.size()))
    return emitError(loc)
           << "Scatter op has " << map.size()
           << " elements in scatter_dims_to_operand_dims and the bound of "
              "dimension index_vector_dim="
           << vectorDim << " of scatter_indices is " << vectorSize
           << ". These two numbers must be equal.";
  for (auto [index, dim] : llvm::enumerate(map)) {
    if (dim < 0 || dim >= rank)
      return emitError(loc)
             << "Expects each element of scatter_dims_to_operand_dims to be in "
                "range [0, rank-of('operand')) i.e. [0, "
             << rank << "). got: " << dim << ".";
    if (llvm::is_contained(map.take_front(index), dim))
      return emitError(loc)
             << "Expects scatter_dims_to_operand_dims to not repeat, got: "
             << dimsText(map) << ".";
    if (llvm::is_contained(batching, dim))
      return emitError(loc) << "Expects scatter_dims_to_operand_dims and "
                               "input_batching_dims to be disjoint, got "
                               "dimension "
                            << dim << " in both";
  }
  return success();
}

/// Checks scatter_indices_batching_dims.
static LogicalResult verifyScatterBatching(Location loc, RankedTensorType input,
                                           RankedTensorType indices,
                                           ScatterDimensionNumbersAttr n) {
  int64_t indicesRank = indices.getRank();
  int64_t vectorDim = n.getIndexVectorDim();
  Dims batching = n.getInputBatchingDims();
  Dims indicesBatching = n.getScatterIndicesBatchingDims();
  if (batching.size() != indicesBatching.size())
    return emitError(loc) << "input_batching_dims and "
                             "scatter_indices_batching_dims should have the "
                             "same size";
  for (auto [index, dims] :
       llvm::enumerate(llvm::zip(batching, indicesBatching))) {
    auto [inputDim, indicesDim] = dims;
    if (indicesDim < 0 || indicesDim >= indicesRank)
      return emitError(loc)
             << "scatter_indices_batching_dims entry " << indicesDim
             << " is out of range for scatter_indices of rank " << indicesRank;
    if (indicesDim == vectorDim)
      return emitError(loc) << "expects scatter_indices_batching_dims not to "
                               "include index_vector_dim "
                            << vectorDim << ".";
    if (llvm::is_contained(indicesBatching.take_front(index), indicesDim))
      return emitError(loc)
             << "Expects scatter_indices_batching_dims to not repeat, got: "
             << dimsText(indicesBatching) << ".";
    if (differ(input.getDimSize(inputDim), indices.getDimSize(indicesDim)))
      return emitError(loc) << "input_batching_dims[" << index
                            << "] and scatter_indices_batching_dims[" << index
                            << "] must have compatible sizes, but got "
                            << input.getDimSize(inputDim) << " and "
                            << indices.getDimSize(indicesDim) << ".";
  }
  return success();
}

/// Checks that the windows of `updates` fit the operand and that its other
/// dimensions have `scatterSizes`, the sizes of the indices without
/// index_vector_dim.
static LogicalResult verifyUpdateBounds(Location loc, RankedTensorType input,
                                        RankedTensorType updates,
                                        ArrayRef<int64_t> scatterSizes,
                                        ScatterDimensionNumbersAttr n) {
  int64_t rank = input.getRank(), updatesRank = updates.getRank();
  Dims windowDims = n.getUpdateWindowDims();
  Dims inserted = n.getInsertedWindowDims();
  Dims batching = n.getInputBatchingDims();
  SmallVector<int64_t> windowSizes;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(inserted, d) && !llvm::is_contained(batching, d))
      windowSizes.push_back(input.getDimSize(d));
  for (auto [dim, most] : llvm::zip(windowDims, windowSizes)) {
    int64_t size = updates.getDimSize(dim);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(most) &&
        size > most)
      return emitError(loc)
             << "expects bounds of the window dimensions of updates to not "
                "exceed the bounds of the corresponding dimensions of operand. "
                "For dimension "
             << dim << ", updates bound is " << size << ", operand bound is "
             << most << ".";
  }
  size_t next = 0;
  for (int64_t d = 0; d < updatesRank; ++d) {
    if (llvm::is_contained(windowDims, d))
      continue;
    int64_t expected = scatterSizes[next++];
    if (differ(updates.getDimSize(d), expected))
      return emitError(loc)
             << "expects bounds of the scatter dimensions of updates to be "
                "same as the bounds of the corresponding dimensions of scatter "
                "indices. For scatter dimension "
             << d << ", updates bound is " << updates.getDimSize(d)
             << " , scatter_indices bound is " << expected << ".";
  }
  return success();
}

static LogicalResult verifyScatterDims(Location loc, RankedTensorType input,
                                       RankedTensorType indices,
                                       RankedTensorType updates,
                                       ScatterDimensionNumbersAttr n) {
  int64_t rank = input.getRank(), indicesRank = indices.getRank();
  int64_t vectorDim = n.getIndexVectorDim();
  if (vectorDim < 0 || vectorDim > indicesRank)
    return emitError(loc) << "Expects index_vector_dim to be in range [0, "
                             "rank-of('scatter_indices')] i.e. [0, "
                          << indicesRank << "]. got: " << vectorDim << ".";
  Dims windowDims = n.getUpdateWindowDims();
  Dims inserted = n.getInsertedWindowDims();
  Dims batching = n.getInputBatchingDims();
  // The sizes of the indices without index_vector_dim.
  SmallVector<int64_t> scatterSizes;
  for (int64_t d = 0; d < indicesRank; ++d)
    if (d != vectorDim)
      scatterSizes.push_back(indices.getDimSize(d));
  int64_t updatesRank = scatterSizes.size() + windowDims.size();
  if (updates.getRank() != updatesRank)
    return emitError(loc)
           << "expects updates tensor must be of rank " << updatesRank
           << " ( == rank-of('scatter_indices') - 1 + "
              "size-of('update_window_dims'), where 'scatter_indices' is "
              "expanded by a trailing 1 dimension if 'index_vector_dim' == "
              "rank-of('scatter_indices')), but got "
           << updates.getRank() << ".";
  if (failed(checkDims(loc, "update_window_dims", windowDims, updatesRank,
                       "rank-of('updates')")) ||
      failed(checkDims(loc, "inserted_window_dims", inserted, rank,
                       "rank-of('operand')")) ||
      failed(checkDims(loc, "input_batching_dims", batching, rank,
                       "rank-of('operand')")))
    return failure();
  for (int64_t dim : inserted)
    if (llvm::is_contained(batching, dim))
      return emitError(loc) << "Expects inserted_window_dims and "
                               "input_batching_dims to be disjoint, got "
                               "dimension "
                            << dim << " in both";
  int64_t windowRank = windowDims.size() + inserted.size() + batching.size();
  if (windowRank != rank)
    return emitError(loc)
           << "Expects rank-of operand to match size-of('update_window_dims') "
              "+ size-of('inserted_window_dims') + "
              "size-of('input_batching_dims') i.e. "
           << windowRank << " but got " << rank << ".";
  if (failed(verifyScatterMap(loc, input, indices, n)) ||
      failed(verifyScatterBatching(loc, input, indices, n)))
    return failure();
  return verifyUpdateBounds(loc, input, updates, scatterSizes, n);
}

LogicalResult ScatterOp::verify() {
  Location loc = getLoc();
  size_t count = getInputs().size();
  if (count == 0)
    return emitOpError("expects at least one input");
  if (getUpdates().size() != count)
    return emitOpError("expects as many updates as inputs, got ")
           << getUpdates().size() << " and " << count;
  auto indices = cast<RankedTensorType>(getScatterIndices().getType());
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  auto firstUpdates = cast<RankedTensorType>(getUpdates().front().getType());
  SmallVector<Type> scalars, updateScalars;
  for (auto [input, updates] : llvm::zip(getInputs(), getUpdates())) {
    auto inputType = cast<RankedTensorType>(input.getType());
    auto updatesType = cast<RankedTensorType>(updates.getType());
    if (failed(verifyCompatibleShape(inputType, first)))
      return mlir::emitError(loc, "Not all inputs have compatible shapes.");
    if (failed(verifyCompatibleShape(updatesType, firstUpdates)))
      return mlir::emitError(loc, "Not all updates have compatible shapes.");
    scalars.push_back(RankedTensorType::get({}, inputType.getElementType()));
    updateScalars.push_back(
        RankedTensorType::get({}, updatesType.getElementType()));
  }
  FailureOr<SmallVector<Type>> elements =
      checkReducer(loc, getUpdateComputation(), scalars, updateScalars);
  if (failed(elements))
    return failure();
  for (auto [input, updates] : llvm::zip(getInputs(), getUpdates()))
    if (failed(verifyScatterDims(loc, cast<RankedTensorType>(input.getType()),
                                 indices,
                                 cast<RankedTensorType>(updates.getType()),
                                 getScatterDimensionNumbers())))
      return failure();
  SmallVector<Type> inferred;
  for (auto [input, element] : llvm::zip(getInputs(), *elements))
    inferred.push_back(cast<RankedTensorType>(input.getType()).clone(element));
  if (!areCompatible(TypeRange(inferred), TypeRange(getResultTypes())))
    return emitOpError("inferred type(s) ")
           << TypeRange(inferred)
           << " are incompatible with return type(s) of operation "
           << getResultTypes();
  return success();
}

} // namespace shardwright::stablehlo
