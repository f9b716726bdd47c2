//===- infer_regions.cc - result types of ops with regions --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/infer/region_types.h"

using namespace mlir;

namespace shardwright::stablehlo {

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

FailureOr<SmallVector<Type>> returnedTypes(MaybeLoc loc, Region &region) {
  if (!region.empty() && !region.front().empty())
    if (auto last = dyn_cast<ReturnOp>(region.front().back()))
      return SmallVector<Type>(last->getOperandTypes());
  return emitOptionalError(loc,
                           "expects regions to end with 'stablehlo.return'");
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

// The common generalization of two compatible types: drops sizes and bounds
// that differ.
static Type leastSpecific(Type a, Type b) {
  auto ta = dyn_cast<RankedTensorType>(a), tb = dyn_cast<RankedTensorType>(b);
  if (a == b || !ta || !tb)
    return a;
  SmallVector<int64_t> shape, bounds;
  Dims boundsA = boundsOf(a), boundsB = boundsOf(b);
  for (int64_t d = 0; d < ta.getRank(); ++d) {
    int64_t sizeA = ta.getDimSize(d), sizeB = tb.getDimSize(d);
    shape.push_back(sizeA == sizeB ? sizeA : ShapedType::kDynamic);
    int64_t mostA = isDynamic(sizeA) && !boundsA.empty() ? boundsA[d] : sizeA;
    int64_t mostB = isDynamic(sizeB) && !boundsB.empty() ? boundsB[d] : sizeB;
    bounds.push_back(isDynamic(mostA) || isDynamic(mostB)
                         ? ShapedType::kDynamic
                         : std::max(mostA, mostB));
  }
  return tensorType(shape, bounds, ta.getElementType());
}

LogicalResult inferBranches(MaybeLoc loc, Value selector, RegionRange branches,
                            Types &types) {
  auto selectorType = cast<RankedTensorType>(selector.getType());
  if (selectorType.getRank() != 0)
    return emitOptionalError(loc,
                             "operand should be rank 0 tensor but got rank ",
                             selectorType.getRank());
  if (branches.empty())
    return emitOptionalError(loc, "expect at least one branch");
  SmallVector<Type> common;
  for (auto [index, branch] : llvm::enumerate(branches)) {
    if (branch->getNumArguments() != 0)
      return emitOptionalError(loc, "branch ", index,
                               " must have 0 arguments, but found ",
                               branch->getNumArguments());
    FailureOr<SmallVector<Type>> returned = returnedTypes(loc, *branch);
    if (failed(returned))
      return failure();
    if (index == 0) {
      common = *returned;
      continue;
    }
    if (!areCompatible(TypeRange(common), TypeRange(*returned)))
      return emitOptionalError(loc, "branch 0 and branch ", index,
                               " have mismatched return types: ",
                               TypeRange(common), " vs ", TypeRange(*returned));
    for (auto [type, other] : llvm::zip(common, *returned))
      type = leastSpecific(type, other);
  }
  llvm::append_range(types, common);
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// True if a region may accumulate `from` in `to`: the same kind of number, and
// for integers and complex numbers not narrower.
static bool isPromotable(Type from, Type to) {
  if (areElementTypesCompatible(from, to))
    return true;
  auto fromInt = dyn_cast<IntegerType>(from), toInt = dyn_cast<IntegerType>(to);
  if (fromInt && toInt)
    return fromInt.getWidth() <= toInt.getWidth();
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return true;
  auto fromComplex = dyn_cast<ComplexType>(from),
       toComplex = dyn_cast<ComplexType>(to);
  if (fromComplex && toComplex)
    return fromComplex.getElementType().getIntOrFloatBitWidth() <=
           toComplex.getElementType().getIntOrFloatBitWidth();
  auto fromQuant = dyn_cast<quant::QuantizedType>(from);
  auto toQuant = dyn_cast<quant::QuantizedType>(to);
  return fromQuant && toQuant &&
         fromQuant.getExpressedType() == toQuant.getExpressedType() &&
         fromQuant.getStorageTypeIntegralWidth() <=
             toQuant.getStorageTypeIntegralWidth();
}

bool sameUpToPrecision(Type a, Type b) {
  if (areCompatible(a, b))
    return true;
  auto ta = dyn_cast<RankedTensorType>(a), tb = dyn_cast<RankedTensorType>(b);
  return ta && tb && isa<FloatType>(ta.getElementType()) &&
         isa<FloatType>(tb.getElementType()) &&
         areCompatible(ta.clone(tb.getElementType()), tb);
}

FailureOr<SmallVector<Type>> checkReducer(MaybeLoc loc, Region &body,
                                          TypeRange inputs, TypeRange inits) {
  size_t count = inputs.size();
  if (body.getNumArguments() != 2 * count)
    return emitOptionalError(loc, "Reduction-region must take ", 2 * count,
                             " parameters, but takes ", body.getNumArguments(),
                             " parameter(s)");
  FailureOr<SmallVector<Type>> returned = returnedTypes(loc, body);
  if (failed(returned))
    return failure();
  if (returned->empty())
    return emitOptionalError(
        loc, "The reduction-region expected to return some value(s)");
  if (returned->size() != count)
    return emitOptionalError(loc, "Reduction-region here must produce ", count,
                             " tensors, but produces ", returned->size(),
                             " instead");
  SmallVector<Type> elements;
  for (size_t i = 0; i < count; ++i) {
    auto result = dyn_cast<RankedTensorType>((*returned)[i]);
    if (!result)
      return emitOptionalError(
          loc,
          "Reduction-region here must produce tensor-typed "
          "result(s), but produces ",
          (*returned)[i], " instead");
    // Each value is passed as the accumulator or as an element.
    for (size_t k : {i, count + i})
      if (!sameUpToPrecision(body.getArgument(k).getType(), result))
        return emitOptionalError(
            loc, "The type of reduction-region's parameter at index ", k,
            " is different than the corresponding result type: ",
            body.getArgument(k).getType(), " vs ", result);
    auto init = cast<RankedTensorType>(inits[i]);
    if (failed(verifyCompatibleShape(result.getShape(), init.getShape())))
      return emitOptionalError(
          loc, "The shape of reduction-region's result type at index ", i,
          " differs from the op's corresponding init-value type: ", result,
          " vs ", init);
    if (!isPromotable(init.getElementType(), result.getElementType()))
      return emitOptionalError(
          loc, "The element-type of reduction-region's result type at index ",
          i,
          " is expected to be promotable from the op's corresponding "
          "init-value element-type: ",
          result, " vs ", init);
    Type input = getElementTypeOrSelf(inputs[i]);
    auto element =
        cast<RankedTensorType>(body.getArgument(count + i).getType());
    if (!isPromotable(input, element.getElementType()))
      return emitOptionalError(
          loc, "The element-type of reduction-region's argument at index ",
          count + i, " is expected to be promotable from ", input, ", but got ",
          element.getElementType());
    if (element.getRank() != 0)
      return emitOptionalError(
          loc, "The rank of reduction-region's argument at index ", count + i,
          " is expected to be 0, got ", element.getRank());
    elements.push_back(result.getElementType());
  }
  return elements;
}

// Checks that the inputs have equal shapes; returns the first type.
static FailureOr<RankedTensorType> checkInputShapes(MaybeLoc loc,
                                                    ValueRange inputs) {
  if (inputs.empty())
    return emitOptionalError(
        loc, "The reduction-region expected to return some value(s)");
  auto first = cast<RankedTensorType>(inputs.front().getType());
  for (auto [index, input] : llvm::enumerate(inputs))
    if (failed(verifyCompatibleShape(input.getType(), first)))
      return emitOptionalError(
          loc,
          "expects all inputs to have compatible shapes. Shape at input-index ",
          index, " is not compatible with shape at input-index 0");
  return first;
}

LogicalResult inferReduce(MaybeLoc loc, ValueRange inputs, ValueRange inits,
                          Dims dimensions, Region &body, Types &types) {
  FailureOr<RankedTensorType> first = checkInputShapes(loc, inputs);
  if (failed(first))
    return failure();
  SmallVector<int64_t> seen;
  for (int64_t dim : dimensions) {
    if (dim < 0 || dim >= first->getRank())
      return emitOptionalError(loc, "Out-of-bounds dimension ", dim,
                               ", expected to be in range [0, ",
                               first->getRank(), ")");
    if (llvm::is_contained(seen, dim))
      return emitOptionalError(loc, "Duplicate reduction dimension: ", dim);
    seen.push_back(dim);
  }
  FailureOr<SmallVector<Type>> elements =
      checkReducer(loc, body, inputs.getTypes(), inits.getTypes());
  if (failed(elements))
    return failure();
  for (auto [input, element] : llvm::zip(inputs, *elements)) {
    auto type = cast<RankedTensorType>(input.getType());
    Dims ownBounds = boundsOf(type);
    SmallVector<int64_t> shape, bounds;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!llvm::is_contained(dimensions, d)) {
        shape.push_back(type.getDimSize(d));
        bounds.push_back(ownBounds.empty() ? ShapedType::kDynamic
                                           : ownBounds[d]);
      }
    types.push_back(tensorType(shape, bounds, element));
  }
  return success();
}

LogicalResult inferReduceWindow(MaybeLoc loc, ValueRange inputs,
                                ValueRange inits, Dims windowDimensions,
                                std::optional<Dims> strides,
                                std::optional<Dims> baseDilations,
                                std::optional<Dims> windowDilations,
                                DenseIntElementsAttr padding, Region &body,
                                Types &types) {
  FailureOr<RankedTensorType> first = checkInputShapes(loc, inputs);
  if (failed(first))
    return failure();
  if (static_cast<int64_t>(windowDimensions.size()) != first->getRank())
    return emitOptionalError(
        loc,
        "expects window-dimensions size == input rank, but got "
        "window-dimensions size: ",
        windowDimensions.size(), " and input: ", *first,
        " with rank = ", first->getRank(), ".");
  FailureOr<SmallVector<WindowDim>> window = makeWindow(
      loc, windowDimensions, strides, padding, baseDilations, windowDilations);
  if (failed(window))
    return failure();
  FailureOr<SmallVector<Type>> elements =
      checkReducer(loc, body, inputs.getTypes(), inits.getTypes());
  if (failed(elements))
    return failure();
  for (auto [input, element] : llvm::zip(inputs, *elements)) {
    auto type = cast<RankedTensorType>(input.getType());
    Dims ownBounds = boundsOf(type);
    SmallVector<int64_t> bounds;
    if (!ownBounds.empty())
      bounds = windowedShape(ownBounds, *window);
    types.push_back(
        tensorType(windowedShape(type.getShape(), *window), bounds, element));
  }
  return success();
}

LogicalResult inferMap(MaybeLoc loc, ValueRange inputs, Dims dimensions,
                       Region &computation, Types &types) {
  if (inputs.empty())
    return emitOptionalError(loc, "expected 1 or more operands, but found 0");
  if (inputs.size() != computation.getNumArguments())
    return emitOptionalError(loc,
                             "expects number of operands to match the arity of "
                             "map computation, but got: ",
                             inputs.size(), " and ",
                             computation.getNumArguments());
  for (auto [index, input, argument] :
       llvm::enumerate(inputs, computation.getArguments())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() != 0)
      return emitOptionalError(
          loc, "computation arguments must be 0-rank tensor, but got: arg #",
          index, " of type ", argument.getType());
    if (type.getElementType() != getElementTypeOrSelf(input.getType()))
      return emitOptionalError(loc,
                               "element type of operands and computation "
                               "arguments must match, but got: ",
                               getElementTypeOrSelf(input.getType()), " and ",
                               type.getElementType());
  }
  FailureOr<SmallVector<Type>> returned = returnedTypes(loc, computation);
  if (failed(returned))
    return failure();
  if (returned->size() != 1)
    return emitOptionalError(
        loc,
        "computation must return single output, but got: ", returned->size());
  auto result = dyn_cast<RankedTensorType>(returned->front());
  if (!result || result.getRank() != 0)
    return emitOptionalError(
        loc,
        "computation must return 0-rank tensor, but got: ", returned->front());
  auto type = cast<RankedTensorType>(inputs.front().getType());
  for (auto [index, dim] : llvm::enumerate(dimensions))
    if (dim != static_cast<int64_t>(index))
      return emitOptionalError(
          loc, "requires monotonically increasing dimension numbers, but got: ",
          StringRef(dimsText(dimensions)).drop_front().drop_back());
  if (static_cast<int64_t>(dimensions.size()) != type.getRank())
    return emitOptionalError(
        loc, "applied to a subset of dimensions currently not supported: ",
        "operand dimensions = ", type.getRank(),
        ", requested map dimensions size = ", dimensions.size());
  types.push_back(
      tensorType(type.getShape(), boundsOf(type), result.getElementType()));
  return success();
}

LogicalResult inferAllReduce(MaybeLoc loc, ValueRange operands,
                             Region &computation, Types &types) {
  if (operands.empty())
    return success();
  // All operands share one region.
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    Type scalar = RankedTensorType::get({}, type.getElementType());
    FailureOr<SmallVector<Type>> elements =
        checkReducer(loc, computation, TypeRange(scalar), TypeRange(scalar));
    if (failed(elements))
      return failure();
    types.push_back(
        tensorType(type.getShape(), boundsOf(type), elements->front()));
  }
  return success();
}

LogicalResult inferFromRooted(MaybeLoc loc, ValueRange operands, bool hasRoot,
                              Types &types) {
  if (hasRoot && operands.empty())
    return emitOptionalError(loc, "a dynamic root needs an operand");
  llvm::append_range(types, hasRoot ? operands.drop_back().getTypes()
                                    : operands.getTypes());
  return success();
}

} // namespace shardwright::stablehlo
