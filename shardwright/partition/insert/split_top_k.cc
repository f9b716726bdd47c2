//===- split_top_k.cc - top_k along a sharded dimension -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If only the first k rows of a sort are used (top_k), they are among the first
// k rows of each shard. The rewrite is stable, because the candidates of one
// shard come before those of the next:
//
//   sort(x)[0:k]  ->  sort(concat over shards(sort(shard of x)[0:k]))[0:k]
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/split_top_k.h"

#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/layout/reshard_cache.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

/// Number of leading rows that slices use; none if there are other uses.
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

/// Clones the comparator of `from` into `to`. If `marked`, the first operand is
/// a mark, and marked rows sort last.
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
  // If neither row is marked, compare as before; otherwise unmarked rows come
  // first.
  Value first = stablehlo::AndOp::create(
      builder, loc, pred, stablehlo::NotOp::create(builder, loc, pred, lhs),
      stablehlo::OrOp::create(builder, loc, pred, rhs, less));
  stablehlo::ReturnOp::create(builder, loc, first);
}

/// How a sort is split.
struct TopK {
  int64_t dim = 0, shards = 1;
  /// Rows of a shard, and number of candidates among them.
  int64_t rows = 0, first = 0;
  /// The last shard has padding rows.
  bool isUneven = false;
};

/// None if the sort stays. The candidates must be smaller than the alternative,
/// which sends at least each device's shard (to sort along another dimension).
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
    if (!ReshardCache::isRematerializable(input))
      otherwise += double(top.rows) * elementBytes(input.getType());
  }
  if (now >= otherwise)
    return std::nullopt;
  return top;
}

namespace {

/// Builds the ops that replace the sort.
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
  /// The inputs in even shards. If they were uneven, marks of the padding rows
  /// come first.
  SmallVector<Value> evenInputs();
  /// The first rows of each shard, concatenated.
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
  Value yes = buildScalar(builder, loc, builder.getBoolAttr(true));
  ops.push_back(yes.getDefiningOp());
  inputs.push_back(padRows(builder, no, dim, top.rows * top.shards, yes, layout,
                           meshes, ops));
  for (Value input : sort.getInputs()) {
    Value zero = buildScalar(
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
  Layout splitLayout = layout, gatheredLayout = layout;
  splitLayout.sharding.dims.insert(splitLayout.sharding.dims.begin() + dim + 1,
                                   {{}, true, {}});
  gatheredLayout.sharding.dims[dim] = {{}, true, {}};
  if (gatheredLayout.isReplicated())
    gatheredLayout.mesh = -1;

  SmallVector<Value> inputs = evenInputs();
  for (Value &input : inputs)
    input = reshaped(input, split, splitLayout);
  auto inShards = sorted(inputs, dim + 1, splitLayout);
  auto last =
      sorted(candidates(inShards, split, splitLayout), dim, gatheredLayout);
  // Every device has the first rows, so that moving parts of them gains
  // nothing.
  for (Operation *slice : sort->getUsers())
    setResultLayouts(slice, Layouts{gatheredLayout}, meshes);
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
