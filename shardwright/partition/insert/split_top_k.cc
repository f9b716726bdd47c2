//===- split_top_k.cc - the first of the sorted, from each shard ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sort of which only the first k rows are used (top_k): those are among the
// first k of each shard. Equal rows keep their order, for the candidates of one
// shard lie before those of the next:
//
//   sort(x)[0:k]  ->  sort(concat over shards(sort(shard of x)[0:k]))[0:k]
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/split_top_k.h"

#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/insert/reduce_parts.h"
#include "shardwright/partition/layout/value_versions.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

/// How many of the first rows anything uses; none if not only such are used.
static std::optional<int64_t> usedRows(stablehlo::SortOp sort, int64_t dim) {
  int64_t used = 0;
  for (Operation *user : sort->getUsers()) {
    auto slice = dyn_cast<stablehlo::SliceOp>(user);
    if (!slice)
      return std::nullopt;
    used = std::max(used, slice.getLimitIndices()[dim]);
  }
  if (used == 0)
    return std::nullopt;
  return used;
}

/// The comparator of the sort in a new one, in which rows whose first operand
/// is true come after all others if there is such an operand.
static void cloneComparator(stablehlo::SortOp from, stablehlo::SortOp to,
                            bool marked) {
  if (!marked) {
    IRMapping mapping;
    from.getComparator().cloneInto(&to.getComparator(), mapping);
    return;
  }
  OpBuilder builder(to.getContext());
  Location loc = from.getLoc();
  Block &old = from.getComparator().front();
  auto pred = RankedTensorType::get({}, builder.getI1Type());
  SmallVector<Type> types{pred, pred};
  llvm::append_range(types, old.getArgumentTypes());
  Block *block = builder.createBlock(&to.getComparator(), {}, types,
                                     SmallVector<Location>(types.size(), loc));
  IRMapping mapping;
  for (auto [i, arg] : llvm::enumerate(old.getArguments()))
    mapping.map(arg, block->getArgument(i + 2));
  for (Operation &op : old.without_terminator())
    builder.clone(op, mapping);
  Value less = mapping.lookupOrDefault(old.getTerminator()->getOperand(0));
  Value lhs = block->getArgument(0), rhs = block->getArgument(1);
  // Neither marked: as before. Else those that are not marked first.
  Value first = stablehlo::AndOp::create(
      builder, loc, pred, stablehlo::NotOp::create(builder, loc, pred, lhs),
      stablehlo::OrOp::create(builder, loc, pred, rhs, less));
  stablehlo::ReturnOp::create(builder, loc, first);
}

/// How a sort is split.
struct TopK {
  int64_t dim = 0, shards = 1;
  /// Rows of a shard, and those of them that are candidates.
  int64_t rows = 0, first = 0;
  /// The last shard has rows beyond the end.
  bool isUneven = false;
};

/// None where the sort stays. The candidates must be less than what would
/// travel otherwise: each device's shard at the least (to be sorted along
/// another dimension).
static std::optional<TopK> matchTopK(stablehlo::SortOp sort,
                                     const Layout &layout) {
  auto type = dyn_cast<RankedTensorType>(sort.getInputs()[0].getType());
  if (layout.mesh < 0 || !type || !type.hasStaticShape() ||
      !sort.getComparator().hasOneBlock())
    return std::nullopt;
  TopK top;
  top.dim = sort.getDimension();
  top.dim += top.dim < 0 ? type.getRank() : 0;
  top.shards = layout.sharding.dims[top.dim].shards();
  int64_t size = type.getDimSize(top.dim);
  std::optional<int64_t> first = usedRows(sort, top.dim);
  if (!first || top.shards == 1 || top.shards > size)
    return std::nullopt;
  top.first = *first;
  top.rows = shardSize(size, top.shards);
  top.isUneven = top.rows * top.shards != size;
  double now = top.isUneven ? double(*first) : 0, otherwise = 0;
  for (Value input : sort.getInputs()) {
    now += double(*first) * elementBytes(input.getType());
    if (top.isUneven &&
        !identityElement(ReducerKind::Add, getElementTypeOrSelf(input)))
      return std::nullopt;
    if (!ValueVersions::isFree(input))
      otherwise += double(top.rows) * elementBytes(input.getType());
  }
  if (now >= otherwise)
    return std::nullopt;
  return top;
}

namespace {

/// Builds the ops that take the place of the sort.
class TopKBuilder {
public:
  TopKBuilder(stablehlo::SortOp sort, const TopK &top, const Layout &layout,
              const MeshTable &meshes)
      : sort(sort), top(top), layout(layout), meshes(meshes), builder(sort),
        loc(sort.getLoc()),
        type(cast<RankedTensorType>(sort.getInputs()[0].getType())) {}

  SmallVector<Operation *> build();

private:
  Value keep(Operation *op, const Layout &at) {
    setResultLayouts(op, Layouts(op->getNumResults(), at), meshes);
    ops.push_back(op);
    return op->getResult(0);
  }
  Value reshaped(Value value, ArrayRef<int64_t> shape, const Layout &at) {
    return keep(stablehlo::ReshapeOp::create(
                    builder, loc,
                    cast<RankedTensorType>(value.getType()).clone(shape),
                    value),
                at);
  }
  stablehlo::SortOp sorted(ArrayRef<Value> values, int64_t d,
                           const Layout &at) {
    auto made =
        stablehlo::SortOp::create(builder, loc, TypeRange(ValueRange(values)),
                                  ValueRange(values), d, sort.getIsStable());
    cloneComparator(sort, made, top.isUneven);
    keep(made, at);
    return made;
  }
  /// The inputs in even shards. Where they were uneven, marks of the rows
  /// beyond the end come first.
  SmallVector<Value> evenInputs();
  /// The first rows of each shard, one shard after the other.
  SmallVector<Value> candidates(stablehlo::SortOp inShards,
                                ArrayRef<int64_t> split,
                                const Layout &splitLayout);

  stablehlo::SortOp sort;
  const TopK &top;
  const Layout &layout;
  const MeshTable &meshes;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
  SmallVector<Operation *> ops;
};

} // namespace

SmallVector<Value> TopKBuilder::evenInputs() {
  SmallVector<Value> inputs;
  int64_t dim = top.dim;
  if (!top.isUneven) {
    llvm::append_range(inputs, sort.getInputs());
    return inputs;
  }
  auto flags = type.clone(builder.getI1Type());
  Value no =
      keep(stablehlo::ConstantOp::create(builder, loc, flags,
                                         DenseElementsAttr::get(flags, false)),
           layout);
  Value yes = constantScalar(builder, loc, builder.getBoolAttr(true));
  ops.push_back(yes.getDefiningOp());
  inputs.push_back(padRows(builder, no, dim, top.rows * top.shards, yes, layout,
                           meshes, ops));
  for (Value input : sort.getInputs()) {
    Value zero = constantScalar(
        builder, loc,
        identityElement(ReducerKind::Add, getElementTypeOrSelf(input)));
    ops.push_back(zero.getDefiningOp());
    inputs.push_back(padRows(builder, input, dim, top.rows * top.shards, zero,
                             layout, meshes, ops));
  }
  return inputs;
}

SmallVector<Value> TopKBuilder::candidates(stablehlo::SortOp inShards,
                                           ArrayRef<int64_t> split,
                                           const Layout &splitLayout) {
  int64_t dim = top.dim;
  SmallVector<int64_t> joined(type.getShape());
  joined[dim] = top.shards * top.first;
  SmallVector<Value> candidates;
  for (Value value : inShards.getResults()) {
    SmallVector<int64_t> start(split.size(), 0), limit(split),
        one(split.size(), 1);
    limit[dim + 1] = top.first;
    Value cut =
        keep(stablehlo::SliceOp::create(
                 builder, loc,
                 cast<RankedTensorType>(value.getType()).clone(ArrayRef(limit)),
                 value, start, limit, one),
             splitLayout);
    candidates.push_back(reshaped(cut, joined, layout));
  }
  return candidates;
}

SmallVector<Operation *> TopKBuilder::build() {
  int64_t dim = top.dim;
  SmallVector<int64_t> split(type.getShape());
  split[dim] = top.rows;
  split.insert(split.begin() + dim, top.shards);
  Layout splitLayout = layout, wholeLayout = layout;
  splitLayout.sharding.dims.insert(splitLayout.sharding.dims.begin() + dim + 1,
                                   {{}, true, {}});
  wholeLayout.sharding.dims[dim] = {{}, true, {}};
  if (wholeLayout.isReplicated())
    wholeLayout.mesh = -1;

  SmallVector<Value> inputs = evenInputs();
  for (Value &input : inputs)
    input = reshaped(input, split, splitLayout);
  auto inShards = sorted(inputs, dim + 1, splitLayout);
  auto last =
      sorted(candidates(inShards, split, splitLayout), dim, wholeLayout);
  for (auto [i, old] : llvm::enumerate(sort.getResults()))
    old.replaceAllUsesWith(last->getResult(i + top.isUneven));
  sort.erase();
  return std::move(ops);
}

SmallVector<Operation *> splitTopK(stablehlo::SortOp sort, const Layout &layout,
                                   const MeshTable &meshes) {
  std::optional<TopK> top = matchTopK(sort, layout);
  if (!top)
    return {sort};
  return TopKBuilder(sort, *top, layout, meshes).build();
}

} // namespace shardwright
