//===- split_sort.cc - sorts along a sharded dimension --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leighton's columnsort ("Tight bounds on the complexity of parallel sorting",
// 1985) with a shard as a column: n columns of r >= 2 (n - 1)^2 rows are sorted
// by
//
//   sort columns, deal the rows out to all columns, sort columns, deal back,
//   sort columns, move everything on by half a column, sort columns, move back.
//
// Each device sends about three times its shard, independent of the values; a
// gather sends n - 1 times the shard. The sort must be stable: unless equal
// rows are indistinguishable, the row number is the last key.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/split_sort.h"

#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/layout/reshard_cache.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {
namespace {

/// With fewer rows per shard, a gather is faster.
constexpr int64_t kLeastRows = 256;

/// If rows that compare equal are bitwise equal: a value that sorts last.
TypedAttr lastOfDirect(stablehlo::SortOp sort) {
  if (sort.getInputs().size() != 1)
    return {};
  std::optional<stablehlo::ComparisonDirection> direction =
      comparedArguments(sort.getComparator().front());
  bool rises = direction == stablehlo::ComparisonDirection::LT;
  if (!rises && direction != stablehlo::ComparisonDirection::GT)
    return {};
  Type element = getElementTypeOrSelf(sort.getInputs()[0]);
  if (!isa<IntegerType>(element))
    return {};
  return identityElement(rises ? ReducerKind::Min : ReducerKind::Max, element);
}

class ColumnSorter {
public:
  ColumnSorter(stablehlo::SortOp sort, const Layout &layout,
               const MeshTable &meshes)
      : sort(sort), layout(layout), meshes(meshes), builder(sort),
        type(cast<RankedTensorType>(sort.getInputs()[0].getType())),
        dim(sort.getDimension()) {
    dim += dim < 0 ? type.getRank() : 0;
  }
  /// True if columnsort pays off; sets the sizes.
  bool plan(const Layout &wanted);
  SmallVector<Operation *> build();

private:
  Value keep(Operation *op, const Layout &at);
  Value reshaped(Value value, ArrayRef<int64_t> shape, const Layout &at);
  Value transposed(Value value, const Layout &at);
  Value inColumns(Value value, TypedAttr fill);
  void sortColumns(bool apart);
  Value rolled(Value column, int64_t by);
  Value upperHalfOfFirst();
  void buildComparator(Region &region, bool apart);
  SmallVector<int64_t> shapeWith(int64_t first, int64_t second) const;

  stablehlo::SortOp sort;
  const Layout &layout;
  const MeshTable &meshes;
  OpBuilder builder;
  RankedTensorType type;
  int64_t dim, size = 0, shards = 1, part = 0, rows = 0;
  /// Layouts after the sorted dimension is split in two, columns and rows.
  Layout byColumn, byRow;
  /// Fills up columns if `number` is -1.
  TypedAttr last;
  /// Index of the operand of row numbers; -1 if there is none.
  int64_t number = -1;
  SmallVector<Value> values;
  SmallVector<Operation *> ops;
};

bool ColumnSorter::plan(const Layout &wanted) {
  const DimSharding &sharding = layout.sharding.dims[dim];
  shards = sharding.shards();
  size = type.getDimSize(dim);
  if (shards < 3 || wanted.mesh != layout.mesh ||
      wanted.sharding.dims[dim].axes != sharding.axes)
    return false;
  part = shardSize(size, shards);
  if (part < std::max(kLeastRows, 2 * (shards - 1) * (shards - 1)))
    return false;
  rows = llvm::alignTo(part, 2 * shards);
  // It is better to move the sharding to another dimension if one fits.
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dim && layout.sharding.dims[d].shards() == 1 &&
        type.getDimSize(d) % shards == 0)
      return false;

  last = lastOfDirect(sort);
  double gathered = 0, dealt = 0;
  for (auto [i, input] : llvm::enumerate(sort.getInputs())) {
    Type element = getElementTypeOrSelf(input);
    if (!identityElement(ReducerKind::Add, element))
      return false;
    double bytes = elementBytes(input.getType());
    auto iota = input.getDefiningOp<stablehlo::IotaOp>();
    if (!last && number < 0 && iota && element.isSignlessInteger() &&
        element.getIntOrFloatBitWidth() >= 32 &&
        int64_t(iota.getIotaDimension()) == dim)
      number = i;
    gathered += ReshardCache::isRematerializable(input) ? 0 : bytes;
    dealt += bytes;
  }
  if (!last && number < 0)
    dealt += size > std::numeric_limits<int32_t>::max() ? 8 : 4;
  double away = double(shards - 1) / double(shards);
  return double(rows) * dealt * (2 * away + 1) <
         double(part) * gathered * double(shards - 1);
}

Value ColumnSorter::keep(Operation *op, const Layout &at) {
  setResultLayouts(op, Layouts(op->getNumResults(), at), meshes);
  ops.push_back(op);
  return op->getResult(0);
}

Value ColumnSorter::reshaped(Value value, ArrayRef<int64_t> shape,
                             const Layout &at) {
  return keep(stablehlo::ReshapeOp::create(
                  builder, sort.getLoc(),
                  cast<RankedTensorType>(value.getType()).clone(shape), value),
              at);
}

SmallVector<int64_t> ColumnSorter::shapeWith(int64_t first,
                                             int64_t second) const {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = second;
  shape.insert(shape.begin() + dim, first);
  return shape;
}

Value ColumnSorter::transposed(Value value, const Layout &at) {
  auto from = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> order, shape(from.getShape());
  for (int64_t d = 0; d < from.getRank(); ++d)
    order.push_back(d);
  std::swap(order[dim], order[dim + 1]);
  std::swap(shape[dim], shape[dim + 1]);
  return keep(stablehlo::TransposeOp::create(
                  builder, sort.getLoc(), from.clone(ArrayRef<int64_t>(shape)),
                  value, order),
              at);
}

Value ColumnSorter::inColumns(Value value, TypedAttr fill) {
  Value scalar;
  if (rows * shards != size) {
    scalar = buildScalar(builder, sort.getLoc(), fill);
    ops.push_back(scalar.getDefiningOp());
  }
  if (part * shards != size)
    value = padRows(builder, value, dim, part * shards, scalar, layout, meshes,
                    ops);
  value = reshaped(value, shapeWith(shards, part), byColumn);
  if (rows != part)
    value =
        padRows(builder, value, dim + 1, rows, scalar, byColumn, meshes, ops);
  return value;
}

/// The last argument pair marks padding, which sorts last, if `apart`; row
/// numbers break ties.
void ColumnSorter::buildComparator(Region &region, bool apart) {
  Location loc = sort.getLoc();
  Block &old = sort.getComparator().front();
  auto pred = RankedTensorType::get({}, builder.getI1Type());
  SmallVector<Type> types;
  for (Value value : values)
    types.append(
        2, RankedTensorType::get({}, getElementTypeOrSelf(value.getType())));
  if (apart)
    types.append(2, pred);
  OpBuilder inner(builder.getContext());
  Block *block = inner.createBlock(&region, {}, types,
                                   SmallVector<Location>(types.size(), loc));
  auto clone = [&](bool swapped) {
    IRMapping mapping;
    for (unsigned i = 0; i < old.getNumArguments(); ++i)
      mapping.map(old.getArgument(i), block->getArgument(swapped ? i ^ 1u : i));
    for (Operation &op : old.without_terminator())
      inner.clone(op, mapping);
    return mapping.lookupOrDefault(old.getTerminator()->getOperand(0));
  };
  auto both = [&](Value a, Value b) -> Value {
    return stablehlo::AndOp::create(inner, loc, pred, a, b);
  };
  auto either = [&](Value a, Value b) -> Value {
    return stablehlo::OrOp::create(inner, loc, pred, a, b);
  };
  auto isNot = [&](Value a) -> Value {
    return stablehlo::NotOp::create(inner, loc, pred, a);
  };
  Value less = clone(/*swapped=*/false);
  if (number >= 0) {
    Value a = block->getArgument(2 * number),
          b = block->getArgument(2 * number + 1);
    Value before =
        buildCompare(inner, loc, a, b, stablehlo::ComparisonDirection::LT);
    Value more = clone(/*swapped=*/true);
    less = either(less, both(isNot(more), before));
    if (rows * shards != size) {
      auto whole = cast<RankedTensorType>(a.getType());
      Value end = buildScalar(inner, loc,
                              IntegerAttr::get(whole.getElementType(), size));
      Value beyond = either(
          buildCompare(inner, loc, a, end, stablehlo::ComparisonDirection::GE),
          buildCompare(inner, loc, b, end, stablehlo::ComparisonDirection::GE));
      less =
          stablehlo::SelectOp::create(inner, loc, pred, beyond, before, less);
    }
  }
  if (apart) {
    Value a = block->getArgument(types.size() - 2),
          b = block->getArgument(types.size() - 1);
    less = both(either(isNot(a), b), either(both(isNot(a), b), less));
  }
  stablehlo::ReturnOp::create(inner, loc, less);
}

void ColumnSorter::sortColumns(bool apart) {
  SmallVector<Value> all(values);
  if (apart)
    all.push_back(upperHalfOfFirst());
  auto made = stablehlo::SortOp::create(
      builder, sort.getLoc(), TypeRange(ValueRange(all)), ValueRange(all),
      dim + 1, /*is_stable=*/true);
  buildComparator(made.getComparator(), apart);
  keep(made, byColumn);
  for (auto [i, value] : llvm::enumerate(values))
    value = made->getResult(i);
}

/// After the shift by half a column, the first column holds the second half of
/// the last one and then its own first half. Both halves stay in place.
Value ColumnSorter::upperHalfOfFirst() {
  Location loc = sort.getLoc();
  SmallVector<int64_t> shape = shapeWith(shards, rows);
  auto counts = RankedTensorType::get(shape, builder.getI64Type());
  auto test = [&](int64_t d, int64_t bound,
                  stablehlo::ComparisonDirection direction) {
    Value at =
        keep(stablehlo::IotaOp::create(builder, loc, counts, d), byColumn);
    Value limit =
        keep(stablehlo::ConstantOp::create(
                 builder, loc, counts,
                 DenseElementsAttr::get(
                     counts, builder.getI64IntegerAttr(bound).getValue())),
             byColumn);
    return keep(
        buildCompare(builder, loc, at, limit, direction).getDefiningOp(),
        byColumn);
  };
  Value upper = test(dim + 1, rows / 2, stablehlo::ComparisonDirection::GE);
  Value first = test(dim, 0, stablehlo::ComparisonDirection::EQ);
  return keep(
      stablehlo::AndOp::create(builder, loc, upper.getType(), upper, first),
      byColumn);
}

Value ColumnSorter::rolled(Value column, int64_t by) {
  SmallVector<int64_t> shape(type.getShape()), none(type.getRank(), 0),
      low(none), high(none);
  shape[dim] = shards * rows;
  Value flat = reshaped(column, shape, layout);
  // Row p is row p - low of the input, modulo the size.
  low[dim] = by > 0 ? by - shape[dim] : by;
  high[dim] = -low[dim];
  Value scalar = buildScalar(
      builder, sort.getLoc(),
      identityElement(ReducerKind::Add, getElementTypeOrSelf(column)));
  ops.push_back(scalar.getDefiningOp());
  auto roll = stablehlo::PadOp::create(builder, sort.getLoc(), flat.getType(),
                                       flat, scalar, low, high, none);
  roll->setAttr(kRollAttrName, builder.getI64IntegerAttr(dim));
  return keep(roll, layout);
}

SmallVector<Operation *> ColumnSorter::build() {
  Location loc = sort.getLoc();
  byColumn = byRow = layout;
  byColumn.sharding.dims.insert(byColumn.sharding.dims.begin() + dim + 1,
                                {{}, true, {}});
  byRow.sharding.dims.insert(byRow.sharding.dims.begin() + dim, {{}, true, {}});

  values = sort.getInputs();
  if (!last && number < 0) {
    bool wide = size > std::numeric_limits<int32_t>::max();
    auto counts =
        type.clone(wide ? builder.getI64Type() : builder.getI32Type());
    number = values.size();
    values.push_back(
        keep(stablehlo::IotaOp::create(builder, loc, counts, dim), layout));
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    Type element = getElementTypeOrSelf(value);
    TypedAttr fill = last ? last
                     : int64_t(i) == number
                         ? TypedAttr(IntegerAttr::get(element, size))
                         : identityElement(ReducerKind::Add, element);
    value = inColumns(value, fill);
  }
  sortColumns(/*apart=*/false);
  for (Value &value : values)
    value =
        transposed(reshaped(value, shapeWith(rows, shards), byColumn), byRow);
  sortColumns(/*apart=*/false);
  for (Value &value : values)
    value = reshaped(transposed(value, byColumn), shapeWith(shards, rows),
                     byColumn);
  sortColumns(/*apart=*/false);
  for (Value &value : values)
    value =
        reshaped(rolled(value, rows / 2), shapeWith(shards, rows), byColumn);
  sortColumns(/*apart=*/true);
  for (auto [i, old] : llvm::enumerate(sort.getResults())) {
    Value value = rolled(values[i], -(rows / 2));
    if (rows * shards != size) {
      SmallVector<int64_t> start(type.getRank(), 0), one(start.size(), 1);
      value =
          keep(stablehlo::SliceOp::create(builder, loc, old.getType(), value,
                                          start, type.getShape(), one),
               layout);
    }
    old.replaceAllUsesWith(value);
  }
  sort.erase();
  return std::move(ops);
}

} // namespace

SmallVector<Operation *> splitSort(stablehlo::SortOp sort, const Layout &layout,
                                   const Layout &wanted,
                                   const MeshTable &meshes) {
  auto type = dyn_cast<RankedTensorType>(sort.getInputs()[0].getType());
  if (layout.mesh < 0 || !type || !type.hasStaticShape() ||
      !sort.getComparator().hasOneBlock())
    return {sort};
  ColumnSorter sorter(sort, layout, meshes);
  if (!sorter.plan(wanted))
    return {sort};
  return sorter.build();
}

} // namespace shardwright
