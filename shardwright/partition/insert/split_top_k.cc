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

SmallVector<Operation *> splitTopK(stablehlo::SortOp sort, const Layout &layout,
                                   const MeshTable &meshes) {
  auto type = dyn_cast<RankedTensorType>(sort.getInputs()[0].getType());
  if (layout.mesh < 0 || !type || !type.hasStaticShape() ||
      !sort.getComparator().hasOneBlock())
    return {sort};
  int64_t dim = sort.getDimension();
  dim += dim < 0 ? type.getRank() : 0;
  int64_t shards = layout.sharding.dims[dim].shards();
  int64_t size = type.getDimSize(dim);
  std::optional<int64_t> first = usedRows(sort, dim);
  if (!first || shards == 1 || shards > size)
    return {sort};
  int64_t rows = shardSize(size, shards);
  bool uneven = rows * shards != size;
  // The candidates must be less than what would travel otherwise: each device's
  // shard at the least (to be sorted along another dimension).
  double now = uneven ? double(*first) : 0, otherwise = 0;
  for (Value input : sort.getInputs()) {
    now += double(*first) * elementBytes(input.getType());
    if (uneven &&
        !identityElement(ReducerKind::Add, getElementTypeOrSelf(input)))
      return {sort};
    if (!ValueVersions::isFree(input))
      otherwise += double(rows) * elementBytes(input.getType());
  }
  if (now >= otherwise)
    return {sort};

  OpBuilder builder(sort);
  Location loc = sort.getLoc();
  SmallVector<Operation *> ops;
  auto keep = [&](Operation *op, const Layout &at) {
    setResultLayouts(op, Layouts(op->getNumResults(), at), meshes);
    ops.push_back(op);
    return op->getResult(0);
  };
  auto reshaped = [&](Value value, ArrayRef<int64_t> shape, const Layout &at) {
    return keep(stablehlo::ReshapeOp::create(
                    builder, loc,
                    cast<RankedTensorType>(value.getType()).clone(shape),
                    value),
                at);
  };
  SmallVector<int64_t> split(type.getShape()), joined(split);
  split[dim] = rows;
  split.insert(split.begin() + dim, shards);
  joined[dim] = shards * *first;
  Layout splitLayout = layout, wholeLayout = layout;
  splitLayout.sharding.dims.insert(splitLayout.sharding.dims.begin() + dim + 1,
                                   {{}, true, {}});
  wholeLayout.sharding.dims[dim] = {{}, true, {}};
  if (wholeLayout.isReplicated())
    wholeLayout.mesh = -1;

  SmallVector<Value> inputs;
  if (uneven) {
    // Rows beyond the end are marked.
    auto flags = type.clone(builder.getI1Type());
    Value no =
        keep(stablehlo::ConstantOp::create(
                 builder, loc, flags, DenseElementsAttr::get(flags, false)),
             layout);
    Value yes = constantScalar(builder, loc, builder.getBoolAttr(true));
    ops.push_back(yes.getDefiningOp());
    inputs.push_back(
        padRows(builder, no, dim, rows * shards, yes, layout, meshes, ops));
  }
  for (Value input : sort.getInputs()) {
    Value zero;
    if (uneven) {
      auto element = getElementTypeOrSelf(input);
      zero = constantScalar(builder, loc,
                            identityElement(ReducerKind::Add, element));
      ops.push_back(zero.getDefiningOp());
      input = padRows(builder, input, dim, rows * shards, zero, layout, meshes,
                      ops);
    }
    inputs.push_back(input);
  }
  auto sorted = [&](ArrayRef<Value> values, int64_t d, const Layout &at) {
    auto made =
        stablehlo::SortOp::create(builder, loc, TypeRange(ValueRange(values)),
                                  ValueRange(values), d, sort.getIsStable());
    cloneComparator(sort, made, uneven);
    keep(made, at);
    return made;
  };
  for (Value &input : inputs)
    input = reshaped(input, split, splitLayout);
  auto inShards = sorted(inputs, dim + 1, splitLayout);
  SmallVector<Value> candidates;
  for (Value value : inShards.getResults()) {
    SmallVector<int64_t> start(split.size(), 0), limit(split),
        one(split.size(), 1);
    limit[dim + 1] = *first;
    Value cut =
        keep(stablehlo::SliceOp::create(
                 builder, loc,
                 cast<RankedTensorType>(value.getType()).clone(ArrayRef(limit)),
                 value, start, limit, one),
             splitLayout);
    candidates.push_back(reshaped(cut, joined, layout));
  }
  auto last = sorted(candidates, dim, wholeLayout);
  for (auto [i, old] : llvm::enumerate(sort.getResults()))
    old.replaceAllUsesWith(last->getResult(i + uneven));
  sort.erase();
  return ops;
}

} // namespace shardwright
