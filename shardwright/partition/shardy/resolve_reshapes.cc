//===- resolve_reshapes.cc - reshapes of sharded dimensions ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing moves where each shard has the same elements on both sides; uneven
// splits and merges of dimensions fetch rows; the other dimensions become
// replicated.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/permutation_resolver.h"

#include "shardwright/mesh/uneven.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

namespace {

/// A minimal set of dimensions of both sides with equal numbers of elements.
struct Group {
  SmallVector<int64_t> in, out;
};

SmallVector<Group> groupsOf(ArrayRef<int64_t> in, ArrayRef<int64_t> out) {
  SmallVector<Group> groups;
  size_t i = 0, o = 0;
  while (i < in.size() || o < out.size()) {
    Group group;
    int64_t a = 1, b = 1;
    do {
      bool takeIn = i < in.size() && (a <= b || o == out.size());
      if (takeIn) {
        a *= in[i];
        group.in.push_back(i++);
      } else {
        b *= out[o];
        group.out.push_back(o++);
      }
    } while ((a != b || group.in.empty() || group.out.empty()) &&
             (i < in.size() || o < out.size()));
    groups.push_back(std::move(group));
  }
  return groups;
}

} // namespace

/// The axes of these dimensions, as if they were merged into one.
AxisList Resolver::axesOf(TensorShardingAttr sharding, ArrayRef<int64_t> dims) {
  AxisList axes;
  if (sharding)
    for (int64_t d : dims)
      appendMerged(axes,
                   meshes.toAxes(meshes.idOf(sharding.getMeshOrRef()),
                                 sharding.getDimShardings()[d].getAxes()));
  return axes;
}

Resolver::ReshapeMoves Resolver::readReshape(stablehlo::ReshapeOp op) {
  Value operand = op.getOperand(), result = op.getResult();
  TensorShardingAttr inSharding = shardingOf(operand),
                     outSharding = shardingOf(result);
  ArrayRef<int64_t> in = dimsOf(operand.getType()),
                    out = dimsOf(result.getType());
  ReshapeMoves moves;
  moves.moving = {llvm::SmallBitVector(in.size()),
                  llvm::SmallBitVector(out.size())};
  moves.wideIn.assign(in.begin(), in.end());
  moves.wideOut.assign(out.begin(), out.end());
  moves.fetches = useHalo;
  for (const Group &group : groupsOf(in, out)) {
    bool isEven = true;
    int64_t wide[2] = {0, 0}, sharded[2] = {0, 0}, first[2] = {-1, -1};
    for (int side : {0, 1})
      for (int64_t d : side ? group.out : group.in) {
        Value value = side ? result : operand;
        int64_t size = (side ? out : in)[d], n = shards(value, d);
        isEven &= size % n == 0;
        wide[side] += size != 1;
        sharded[side] += n > 1;
        if (size != 1 && first[side] < 0)
          first[side] = d;
      }
    // Even shards hold the same elements if the axes are the same.
    bool isSame =
        axesOf(inSharding, group.in) == axesOf(outSharding, group.out);
    if (isSame && (isEven || (wide[0] <= 1 && wide[1] <= 1)))
      continue;
    moves.any = true;
    moves.fetches &= isSame;
    for (int64_t d : group.in)
      if (shards(operand, d) > 1)
        moves.moving[0].set(d);
    for (int64_t d : group.out)
      if (shards(result, d) > 1)
        moves.moving[1].set(d);
    // One dimension on one side and several on the other, of which only the
    // first is sharded: shards are runs of rows on both sides.
    int64_t n = first[0] < 0 ? 1 : shards(operand, first[0]);
    bool isRun = (wide[0] == 1 || wide[1] == 1) && sharded[0] == 1 &&
                 sharded[1] == 1 && n > 1 && n == shards(result, first[1]) &&
                 isSame &&
                 inSharding.getDimShardings()[first[0]].getAxes() ==
                     outSharding.getDimShardings()[first[1]].getAxes();
    if (!isRun) {
      moves.fetches = false;
      continue;
    }
    int64_t many = wide[0] == 1 ? 1 : 0;
    ArrayRef<int64_t> shape = many ? out : in;
    int64_t rest = 1;
    for (int64_t d : many ? group.out : group.in)
      if (d != first[many])
        rest *= shape[d];
    int64_t rows = n * shardSize(shape[first[many]], n);
    (many ? moves.wideOut : moves.wideIn)[first[many]] = rows;
    (many ? moves.wideIn : moves.wideOut)[first[1 - many]] = rows * rest;
  }
  return moves;
}

FailureOr<bool> Resolver::fetchForReshape(stablehlo::ReshapeOp op,
                                          const ReshapeMoves &moves) {
  Value operand = op.getOperand(), result = op.getResult();
  TensorShardingAttr inSharding = shardingOf(operand),
                     outSharding = shardingOf(result);
  auto outType = cast<RankedTensorType>(result.getType());
  ArrayRef<int64_t> out = outType.getShape();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value wide = resizeAtEnd(builder, loc, operand, inSharding, moves.wideIn);
  auto reshape = stablehlo::ReshapeOp::create(
      builder, loc, outType.clone(ArrayRef<int64_t>(moves.wideOut)), wide);
  sdy::setShardings(reshape, {outSharding});
  Value narrow =
      resizeAtEnd(builder, loc, reshape.getResult(), outSharding, out);
  SmallVector<Operation *> made;
  if (wide != operand)
    made.push_back(wide.getDefiningOp());
  if (narrow != reshape.getResult())
    made.push_back(narrow.getDefiningOp());
  bool possible = llvm::all_of(made, [&](Operation *o) {
    for (size_t d = 0; d < size_t(dimsOf(o->getResult(0).getType()).size());
         ++d)
      if (int64_t n = shards(o->getResult(0), d);
          n > 1 && !needsNoRows(o, d, n))
        return mayFetch(o);
    return true;
  });
  if (possible) {
    result.replaceAllUsesWith(narrow);
    op.erase();
    for (Operation *o : made)
      if (failed(visit(o)))
        return failure();
    return true;
  }
  if (narrow != reshape.getResult())
    narrow.getDefiningOp()->erase();
  reshape.erase();
  if (wide != operand)
    wide.getDefiningOp()->erase();
  return false;
}

LogicalResult Resolver::visitReshape(stablehlo::ReshapeOp op) {
  TensorShardingAttr inSharding = shardingOf(op.getOperand()),
                     outSharding = shardingOf(op.getResult());
  auto inType = dyn_cast<RankedTensorType>(op.getOperand().getType());
  auto outType = dyn_cast<RankedTensorType>(op.getResult().getType());
  if ((!inSharding && !outSharding) || !inType || !outType ||
      !inType.hasStaticShape() || !outType.hasStaticShape())
    return success();
  // Tensors without elements have no rule.
  if (inType.getNumElements() == 0) {
    auto all = [&](TensorShardingAttr sharding) {
      return llvm::SmallBitVector(sharding ? sharding.getRank() : 0, true);
    };
    replicate(op, {all(inSharding), all(outSharding)});
    return success();
  }
  ReshapeMoves moves = readReshape(op);
  if (!moves.any)
    return success();
  if (moves.fetches) {
    FailureOr<bool> isDone = fetchForReshape(op, moves);
    if (failed(isDone) || *isDone)
      return success(succeeded(isDone));
  }
  replicate(op, moves.moving);
  return success();
}

} // namespace shardwright
