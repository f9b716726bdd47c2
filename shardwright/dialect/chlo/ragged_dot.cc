//===- ragged_dot.cc - checks of chlo.ragged_dot ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/stablehlo/infer/dot_dimensions.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"

using namespace mlir;

namespace shardwright::chlo {

/// The sizes of the dimensions before `dim` in `list`.
static SmallVector<int64_t> sizesBefore(RankedTensorType type,
                                        ArrayRef<int64_t> list, int64_t dim) {
  SmallVector<int64_t> sizes;
  for (int64_t d : list.take_while([&](int64_t d) { return d != dim; }))
    sizes.push_back(type.getDimSize(d));
  return sizes;
}

/// A group has one size for all products, or one for each index of the
/// dimensions before the ragged one.
static LogicalResult verifyGroupSizes(Location loc, RankedTensorType sizes,
                                      ArrayRef<int64_t> before) {
  if (sizes.getRank() == 1)
    return success();
  auto expected = static_cast<int64_t>(before.size()) + 1;
  if (sizes.getRank() != expected)
    return emitError(loc) << "expected group_sizes to have rank " << expected
                          << ", got " << sizes.getRank();
  SmallVector<int64_t> shape(before);
  shape.push_back(sizes.getShape().back());
  if (succeeded(verifyCompatibleShape(shape, sizes.getShape())))
    return success();
  return emitError(loc) << "group_sizes is expected to have shape "
                        << stablehlo::dimsText(shape) << ", got "
                        << stablehlo::dimsText(sizes.getShape());
}

/// Checks the group dimensions of rhs. There is one exactly when a free
/// dimension of lhs is ragged, and its size is the number of groups.
static LogicalResult verifyGroupDims(RaggedDotOp op, RankedTensorType rhs,
                                     int64_t groups, bool isRaggedFree) {
  Location loc = op.getLoc();
  auto numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> rhsBatching = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  ArrayRef<int64_t> groupDims = numbers.getRhsGroupDimensions();
  if (!isRaggedFree) {
    if (!groupDims.empty())
      return mlir::emitError(
          loc, "There must be zero group dimensions in the rhs when the ragged "
               "dimension is batch or contracting.");
    return success();
  }
  if (groupDims.size() != 1)
    return mlir::emitError(
        loc, "There must be exactly one group dimension in the rhs when the "
             "lhs ragged dimension is non-contracting.");
  int64_t dim = groupDims.front();
  if (dim < 0 || dim >= rhs.getRank())
    return mlir::emitError(loc)
           << "Expects rhs_group_dim to be in range [0, rhs_rank) i.e. [0, "
           << rhs.getRank() << "). got: " << dim << ".";
  for (auto [name, list] :
       {std::pair<StringRef, ArrayRef<int64_t>>("batching", rhsBatching),
        std::pair<StringRef, ArrayRef<int64_t>>("contracting", rhsContracting)})
    if (llvm::is_contained(list, dim))
      return mlir::emitError(loc)
             << "has duplicated dimension from rhs_group_dimensions and rhs_"
             << name << "_dimensions: " << dim;
  int64_t size = rhs.getDimSize(dim);
  if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(groups) &&
      size != groups)
    return mlir::emitError(loc)
           << "rhs group dimension is expected to have size=" << groups
           << ", got " << size;
  return success();
}

/// Returns the shape of the result: `groups` (if a contracting dimension is
/// ragged), then the batching and the free dimensions of both sides.
static SmallVector<int64_t> resultShape(RankedTensorType lhs,
                                        RankedTensorType rhs,
                                        RaggedDotDimensionNumbersAttr numbers,
                                        ArrayRef<int64_t> lhsFree,
                                        std::optional<int64_t> groups) {
  SmallVector<int64_t> shape;
  if (groups)
    shape.push_back(*groups);
  for (int64_t dim : numbers.getLhsBatchingDimensions())
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : lhsFree)
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t d = 0; d < rhs.getRank(); ++d)
    if (!llvm::is_contained(numbers.getRhsBatchingDimensions(), d) &&
        !llvm::is_contained(numbers.getRhsContractingDimensions(), d) &&
        !llvm::is_contained(numbers.getRhsGroupDimensions(), d))
      shape.push_back(rhs.getDimSize(d));
  return shape;
}

LogicalResult RaggedDotOp::verify() {
  Location loc = getLoc();
  auto lhs = dyn_cast<RankedTensorType>(getLhs().getType());
  auto rhs = dyn_cast<RankedTensorType>(getRhs().getType());
  auto result = dyn_cast<RankedTensorType>(getResult().getType());
  auto sizes = dyn_cast<RankedTensorType>(getGroupSizes().getType());
  if (!lhs || !rhs || !sizes)
    return emitOpError("expects operands that are ranked");
  auto numbers = getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatching = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  if (numbers.getLhsRaggedDimensions().size() != 1)
    return mlir::emitError(
        loc, "There must be exactly one ragged dimension in the lhs.");
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  if (failed(stablehlo::verifyDotDimensions(
          loc, lhs, rhs,
          {lhsBatching, rhsBatching, lhsContracting, rhsContracting})))
    return failure();
  if (ragged < 0 || ragged >= lhs.getRank())
    return mlir::emitError(loc)
           << "Expects lhs_ragged_dim to be in range [0, lhs_rank) i.e. [0, "
           << lhs.getRank() << "). got: " << ragged << ".";
  SmallVector<int64_t> lhsFree;
  for (int64_t d = 0; d < lhs.getRank(); ++d)
    if (!llvm::is_contained(lhsBatching, d) &&
        !llvm::is_contained(lhsContracting, d))
      lhsFree.push_back(d);
  bool contracted = llvm::is_contained(lhsContracting, ragged);
  bool batched = llvm::is_contained(lhsBatching, ragged);

  SmallVector<int64_t> before;
  if (!batched)
    for (int64_t dim : lhsBatching)
      before.push_back(lhs.getDimSize(dim));
  llvm::append_range(before, sizesBefore(lhs,
                                         batched      ? lhsBatching
                                         : contracted ? lhsContracting
                                                      : ArrayRef(lhsFree),
                                         ragged));
  if (failed(verifyGroupSizes(loc, sizes, before)))
    return failure();
  int64_t groups = sizes.getShape().back();

  if (failed(verifyGroupDims(*this, rhs, groups,
                             /*isRaggedFree=*/!contracted && !batched)))
    return failure();

  SmallVector<int64_t> shape =
      resultShape(lhs, rhs, numbers, lhsFree,
                  contracted ? std::optional(groups) : std::nullopt);
  if (!result ||
      !stablehlo::areCompatible(
          RankedTensorType::get(shape, result.getElementType()), result))
    return mlir::emitError(loc)
           << "inferred shape '" << stablehlo::dimsText(shape)
           << "' is incompatible with return type of operation "
           << getResult().getType();
  return success();
}

} // namespace shardwright::chlo
