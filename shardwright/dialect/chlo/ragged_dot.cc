//===- ragged_dot.cc - checks of chlo.ragged_dot ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/chlo.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shardwright::chlo {

LogicalResult RaggedDotOp::verify() {
  auto lhs = dyn_cast<RankedTensorType>(getLhs().getType());
  auto rhs = dyn_cast<RankedTensorType>(getRhs().getType());
  auto result = dyn_cast<RankedTensorType>(getResult().getType());
  if (!lhs || !rhs || !result)
    return success();
  auto numbers = getRaggedDotDimensionNumbers();
  auto differ = [](int64_t a, int64_t b) {
    return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
  };
  auto checkPairs = [&](StringRef what, ArrayRef<int64_t> l,
                        ArrayRef<int64_t> r) {
    if (l.size() != r.size())
      return emitOpError("expects as many lhs as rhs ")
             << what << " dimensions";
    for (auto [a, b] : llvm::zip(l, r)) {
      if (a < 0 || a >= lhs.getRank() || b < 0 || b >= rhs.getRank())
        return emitOpError() << what << " dimensions out of range";
      if (differ(lhs.getDimSize(a), rhs.getDimSize(b)))
        return emitOpError()
               << what << " dimension sizes must match, got "
               << lhs.getDimSize(a) << " and " << rhs.getDimSize(b);
    }
    return InFlightDiagnostic();
  };
  if (failed(LogicalResult(checkPairs("batching",
                                      numbers.getLhsBatchingDimensions(),
                                      numbers.getRhsBatchingDimensions()))) ||
      failed(LogicalResult(checkPairs("contracting",
                                      numbers.getLhsContractingDimensions(),
                                      numbers.getRhsContractingDimensions()))))
    return failure();
  if (numbers.getLhsRaggedDimensions().size() != 1)
    return emitOpError(
        "There must be exactly one ragged dimension in the lhs.");
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  if (ragged < 0 || ragged >= lhs.getRank())
    return emitOpError("lhs_ragged_dimensions out of range");
  bool contracted =
      llvm::is_contained(numbers.getLhsContractingDimensions(), ragged);
  bool batched = llvm::is_contained(numbers.getLhsBatchingDimensions(), ragged);
  // A group dimension of rhs exists only when a free dimension of lhs is
  // ragged.
  size_t groups = numbers.getRhsGroupDimensions().size();
  if (contracted || batched) {
    if (groups != 0)
      return emitOpError(
          "There must be zero group dimensions in the rhs when the ragged "
          "dimension is batch or contracting.");
  } else if (groups != 1) {
    return emitOpError(
        "There must be exactly one group dimension in the rhs when the lhs "
        "ragged dimension is non-contracting.");
  }
  llvm::SmallBitVector used(rhs.getRank());
  for (ArrayRef<int64_t> list :
       {numbers.getRhsBatchingDimensions(),
        numbers.getRhsContractingDimensions(), numbers.getRhsGroupDimensions()})
    for (int64_t dim : list) {
      if (dim < 0 || dim >= rhs.getRank() || used.test(dim))
        return emitOpError("rhs dimension ")
               << dim << " is out of range or has two roles";
      used.set(dim);
    }
  auto sizes = cast<RankedTensorType>(getGroupSizes().getType());
  if (sizes.getRank() == 0)
    return emitOpError("expects group_sizes to have at least one dimension");
  int64_t groupCount = sizes.getDimSize(sizes.getRank() - 1);
  if (groups == 1 &&
      differ(rhs.getDimSize(numbers.getRhsGroupDimensions().front()),
             groupCount))
    return emitOpError(
               "rhs group dimension size and the number of groups differ: ")
           << rhs.getDimSize(numbers.getRhsGroupDimensions().front()) << " and "
           << groupCount;

  SmallVector<int64_t> shape;
  if (contracted)
    shape.push_back(groupCount);
  for (int64_t dim : numbers.getLhsBatchingDimensions())
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t d = 0; d < lhs.getRank(); ++d)
    if (!llvm::is_contained(numbers.getLhsBatchingDimensions(), d) &&
        !llvm::is_contained(numbers.getLhsContractingDimensions(), d))
      shape.push_back(lhs.getDimSize(d));
  for (int64_t d = 0; d < rhs.getRank(); ++d)
    if (!used.test(d))
      shape.push_back(rhs.getDimSize(d));
  auto inferred = RankedTensorType::get(shape, result.getElementType());
  if (!stablehlo::areCompatible(inferred, result))
    return emitOpError("inferred shape ")
           << inferred << " is incompatible with return type of operation "
           << result;
  return success();
}

} // namespace shardwright::chlo
