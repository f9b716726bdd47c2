//===- expand_ragged_dot.cc - ragged_dot as masked products --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Expands a ragged operand along a new leading group dimension, with zeros
// outside of each group, and applies one dot_general. The group dimension is an
// ordinary dimension of the product, so it can be sharded.

#include "shardwright/dialect/stablehlo/contraction.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/reduction.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/interop/chlo/expand_op.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

namespace {

using Dims = SmallVector<int64_t>;

Dims plusOne(ArrayRef<int64_t> dims) {
  Dims result(dims);
  for (int64_t &d : result)
    ++d;
  return result;
}

// The elements of `dims` before `last`.
Dims before(ArrayRef<int64_t> dims, int64_t last) {
  return Dims(dims.begin(), llvm::find(dims, last));
}

class RaggedDot {
public:
  RaggedDot(chlo::RaggedDotOp op)
      : op(op), b(op), loc(op.getLoc()),
        numbers(op.getRaggedDotDimensionNumbers()) {}

  LogicalResult expand(Results &results) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || !type.hasStaticShape())
        return op.emitOpError("has no expansion for the dynamic shape of ")
               << operand.getType();
    }
    Dims lhsBatch(numbers.getLhsBatchingDimensions()),
        rhsBatch(numbers.getRhsBatchingDimensions()),
        lhsContract(numbers.getLhsContractingDimensions()),
        rhsContract(numbers.getRhsContractingDimensions());
    int64_t ragged = numbers.getLhsRaggedDimensions().front();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    // A ragged batch dimension gives the plain product: every row already has
    // its own factors.
    if (llvm::is_contained(lhsBatch, ragged)) {
      results.push_back(
          dot(lhs, rhs, lhsBatch, rhsBatch, lhsContract, rhsContract));
      return success();
    }

    auto found = llvm::find(lhsContract, ragged);
    bool contracted = found != lhsContract.end();
    // group_sizes is [g], or has leading dimensions for those in `prefix`.
    Dims prefix = lhsBatch;
    llvm::append_range(prefix, contracted ? before(lhsContract, ragged)
                                          : before(freeDims(), ragged));
    if (failed(readGroups(prefix)))
      return failure();
    Value wide = spread(lhs, ragged, prefix);
    if (contracted) {
      // [g, batch..., m..., n...]: the group dimension is another batch
      // dimension.
      int64_t rhsRagged = rhsContract[found - lhsContract.begin()];
      Dims rhsPrefix = rhsBatch;
      llvm::append_range(rhsPrefix, before(rhsContract, rhsRagged));
      rhs = spread(rhs, rhsRagged, rhsPrefix);
      lhsBatch = plusOne(lhsBatch);
      rhsBatch = plusOne(rhsBatch);
      lhsBatch.insert(lhsBatch.begin(), 0);
      rhsBatch.insert(rhsBatch.begin(), 0);
      results.push_back(dot(wide, rhs, lhsBatch, rhsBatch, plusOne(lhsContract),
                            plusOne(rhsContract)));
      return success();
    }
    // Every row is zero outside of its group, so contract over the groups.
    lhsContract = plusOne(lhsContract);
    lhsContract.push_back(0);
    rhsContract.push_back(numbers.getRhsGroupDimensions().front());
    results.push_back(
        dot(wide, rhs, plusOne(lhsBatch), rhsBatch, lhsContract, rhsContract));
    return success();
  }

private:
  Dims freeDims() {
    Dims result;
    auto type = cast<RankedTensorType>(op.getLhs().getType());
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!llvm::is_contained(numbers.getLhsBatchingDimensions(), d) &&
          !llvm::is_contained(numbers.getLhsContractingDimensions(), d))
        result.push_back(d);
    return result;
  }

  Value dot(Value lhs, Value rhs, ArrayRef<int64_t> lhsBatch,
            ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> lhsContract,
            ArrayRef<int64_t> rhsContract) {
    ArrayAttr precision;
    if (ArrayAttr config = op.getPrecisionConfigAttr()) {
      SmallVector<Attribute> values;
      for (Attribute value : config)
        values.push_back(stablehlo::PrecisionAttr::get(
            b.getContext(),
            static_cast<stablehlo::Precision>(static_cast<uint32_t>(
                cast<chlo::PrecisionAttr>(value).getValue()))));
      precision = b.getArrayAttr(values);
    }
    auto numbers = stablehlo::DotDimensionNumbersAttr::get(
        b.getContext(), lhsBatch, rhsBatch, lhsContract, rhsContract);
    return stablehlo::DotGeneralOp::create(b, loc, op.getType(), lhs, rhs,
                                           numbers, precision,
                                           stablehlo::DotAlgorithmAttr());
  }

  Value compare(Value x, Value y, stablehlo::ComparisonDirection direction) {
    return stablehlo::CompareOp::create(b, loc, x, y, direction);
  }
  Value broadcast(Value x, ArrayRef<int64_t> shape, ArrayRef<int64_t> map) {
    auto element = cast<RankedTensorType>(x.getType()).getElementType();
    return stablehlo::BroadcastInDimOp::create(
        b, loc, RankedTensorType::get(shape, element), x, map);
  }
  Value zero(Type element) {
    auto type = RankedTensorType::get({}, element);
    return stablehlo::ConstantOp::create(
        b, loc, cast<ElementsAttr>(b.getZeroAttr(type)));
  }

  // Start and end of each group: sums of the sizes before it.
  LogicalResult readGroups(ArrayRef<int64_t> prefix) {
    auto type = cast<RankedTensorType>(op.getGroupSizes().getType());
    auto lhs = cast<RankedTensorType>(op.getLhs().getType());
    rank = type.getRank();
    Dims expected;
    for (int64_t d : prefix)
      expected.push_back(lhs.getDimSize(d));
    ArrayRef<int64_t> leading = type.getShape().drop_back();
    if (rank != 1 && leading != ArrayRef<int64_t>(expected))
      return op.emitOpError("expects group_sizes of rank 1 or with the leading "
                            "sizes [")
             << expected << "], got " << type;
    groups = type.getDimSize(rank - 1);
    Value sizes = stablehlo::ConvertOp::create(
        b, loc, type.clone(b.getI64Type()), op.getGroupSizes());
    // The sum over j <= g of sizes[..., j].
    Dims shape(type.getShape());
    shape.push_back(groups);
    Dims map;
    for (int64_t d = 0; d < rank; ++d)
      map.push_back(d);
    auto square = RankedTensorType::get(shape, b.getI64Type());
    Value j = stablehlo::IotaOp::create(b, loc, square, rank - 1),
          g = stablehlo::IotaOp::create(b, loc, square, rank);
    Value none = zero(b.getI64Type());
    Value counted = stablehlo::SelectOp::create(
        b, loc, compare(j, g, stablehlo::ComparisonDirection::LE),
        broadcast(sizes, shape, map), broadcast(none, shape, {}));
    auto sum = stablehlo::ReduceOp::create(b, loc, TypeRange{sizes.getType()},
                                           ValueRange{counted},
                                           ValueRange{none}, Dims{rank - 1});
    {
      OpBuilder::InsertionGuard guard(b);
      Type scalar = none.getType();
      Block *block =
          b.createBlock(&sum.getBody(), {}, {scalar, scalar}, {loc, loc});
      Value total = stablehlo::AddOp::create(b, loc, block->getArgument(0),
                                             block->getArgument(1));
      stablehlo::ReturnOp::create(b, loc, total);
    }
    ends = sum.getResult(0);
    starts = stablehlo::SubtractOp::create(b, loc, ends, sizes);
    return success();
  }

  // `x` for each group, [g, ...], zero where dimension `ragged` is outside of
  // the group. `prefix`: the dimensions of x that are the leading ones of
  // group_sizes.
  Value spread(Value x, int64_t ragged, ArrayRef<int64_t> prefix) {
    auto type = cast<RankedTensorType>(x.getType());
    Dims shape{groups};
    llvm::append_range(shape, type.getShape());
    Dims map;
    for (int64_t d = 0; d < type.getRank(); ++d)
      map.push_back(d + 1);
    Dims sizesMap;
    if (rank > 1)
      sizesMap = plusOne(prefix);
    sizesMap.push_back(0);
    auto positionType = RankedTensorType::get(shape, b.getI64Type());
    Value position =
        stablehlo::IotaOp::create(b, loc, positionType, ragged + 1);
    Value from = compare(position, broadcast(starts, shape, sizesMap),
                         stablehlo::ComparisonDirection::GE);
    Value to = compare(position, broadcast(ends, shape, sizesMap),
                       stablehlo::ComparisonDirection::LT);
    Value inside = stablehlo::AndOp::create(b, loc, from, to);
    return stablehlo::SelectOp::create(
        b, loc, inside, broadcast(x, shape, map),
        broadcast(zero(type.getElementType()), shape, {}));
  }

  chlo::RaggedDotOp op;
  OpBuilder b;
  Location loc;
  chlo::RaggedDotDimensionNumbersAttr numbers;
  int64_t rank = 0, groups = 0; // sizes of group_sizes
  Value starts, ends;           // of the groups, in the shape of group_sizes
};

} // namespace

LogicalResult expandRaggedDot(chlo::RaggedDotOp op, Results &results) {
  return RaggedDot(op).expand(results);
}

} // namespace shardwright::chlo_expansion
