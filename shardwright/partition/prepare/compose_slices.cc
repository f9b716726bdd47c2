//===- compose_slices.cc - slices of pads and concatenations --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stencils pad a value and add slices of the result that have the original
// size:
//
//   slice(pad(x, 1, 1), [2:10])   ->  pad(x, -1, 1)
//   pad(pad(x, 0, 1), -1, 0)      ->  pad(x, -1, 1)
//   slice(concat(x[7:8], x, x[0:1]), [2:10])  ->  concat(x[1:8], x[0:1])
//
// Along a sharded dimension the padded value would have shards of another size:
// its rows would move to these shards, and from there to the shards of the
// slices. Applies only if all users of the padded value are slices (or pads,
// which cut the value or add to it).
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/prepare/compose_slices.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardwright {
namespace {

bool isSharded(Value value, int64_t dim) {
  sdy::TensorShardingAttr sharding = sdy::getSharding(value);
  return sharding && dim < sharding.getRank() &&
         !sharding.getDimSharding(dim).getAxes().empty();
}

/// True for a slice of contiguous rows.
bool isUnitSlice(Operation *op) {
  auto slice = dyn_cast_or_null<stablehlo::SliceOp>(op);
  return slice &&
         llvm::all_of(slice.getStrides(), [](int64_t s) { return s == 1; });
}

/// The users of the value, if all of them are such slices.
SmallVector<stablehlo::SliceOp> slicesOf(Value value) {
  SmallVector<stablehlo::SliceOp> slices;
  for (Operation *user : value.getUsers()) {
    if (!isUnitSlice(user))
      return {};
    slices.push_back(cast<stablehlo::SliceOp>(user));
  }
  return slices;
}

/// True if the value or the result of a user is sharded along the dimension.
template <typename Op>
bool isShardedThere(Value value, ArrayRef<Op> users, int64_t dim) {
  return isSharded(value, dim) || llvm::any_of(users, [&](Operation *user) {
           return isSharded(user->getResult(0), dim);
         });
}

bool isEqual(Value lhs, Value rhs) {
  Attribute a, b;
  return lhs == rhs || (matchPattern(lhs, m_Constant(&a)) &&
                        matchPattern(rhs, m_Constant(&b)) && a == b);
}

/// The padding of the pad that combines both and keeps the rows of `inner`;
/// null if there is none.
Value paddingOfBoth(stablehlo::PadOp inner, stablehlo::PadOp outer) {
  bool needsInner = false, needsOuter = false;
  auto visit = [&](ArrayRef<int64_t> of, ArrayRef<int64_t> by) {
    for (auto [first, then] : llvm::zip(of, by)) {
      // The outer pad cannot restore rows that `inner` cuts off.
      if (first < 0 && then > 0)
        return false;
      needsInner |= first > 0 && first + then > 0;
      needsOuter |= then > 0;
    }
    return true;
  };
  if (llvm::any_of(outer.getInteriorPadding(), [](int64_t n) { return n; }) ||
      !visit(inner.getEdgePaddingLow(), outer.getEdgePaddingLow()) ||
      !visit(inner.getEdgePaddingHigh(), outer.getEdgePaddingHigh()))
    return nullptr;
  if (!needsOuter)
    return inner.getPaddingValue();
  if (!needsInner || isEqual(inner.getPaddingValue(), outer.getPaddingValue()))
    return outer.getPaddingValue();
  return nullptr;
}

/// The uses of the result, also through reshards: arguments of inlined calls
/// have a sharding of their own.
SmallVector<OpOperand *> usesOf(Operation *op,
                                SmallVectorImpl<Operation *> &reshards) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getUses())
    if (isa<sdy::ReshardOp>(use.getOwner())) {
      llvm::append_range(uses, usesOf(use.getOwner(), reshards));
      reshards.push_back(use.getOwner());
    } else {
      uses.push_back(&use);
    }
  return uses;
}

/// Replaces the slices and pads of `pad` by pads of its operand. True if it
/// did.
bool compose(stablehlo::PadOp pad) {
  if (!isShardable(pad.getType()) || !isShardable(pad.getOperand().getType()) ||
      pad->use_empty())
    return false;
  ArrayRef<int64_t> low = pad.getEdgePaddingLow(),
                    high = pad.getEdgePaddingHigh(),
                    interior = pad.getInteriorPadding();
  SmallVector<Operation *> users, reshards;
  for (OpOperand *given : usesOf(pad, reshards)) {
    OpOperand &use = *given;
    Operation *user = use.getOwner();
    auto outer = dyn_cast<stablehlo::PadOp>(user);
    if (!isUnitSlice(user) &&
        !(outer && use.getOperandNumber() == 0 && paddingOfBoth(pad, outer)))
      return false;
    users.push_back(user);
  }
  bool gains = false;
  for (size_t d = 0; d < low.size(); ++d) {
    if (interior[d] != 0)
      return false;
    gains |= (low[d] != 0 || high[d] != 0) &&
             isShardedThere<Operation *>(pad.getResult(), users, d);
  }
  if (!gains)
    return false;
  ArrayRef<int64_t> in = dimsOf(pad.getOperand().getType());
  for (Operation *user : users) {
    auto outer = dyn_cast<stablehlo::PadOp>(user);
    Value padding = outer ? paddingOfBoth(pad, outer) : pad.getPaddingValue();
    Type type = user->getResult(0).getType();
    SmallVector<int64_t> before(low), after;
    bool isWhole = true;
    for (auto [d, out] : llvm::enumerate(dimsOf(type))) {
      before[d] += outer ? outer.getEdgePaddingLow()[d]
                         : -cast<stablehlo::SliceOp>(user).getStartIndices()[d];
      after.push_back(out - before[d] - in[d]);
      isWhole &= before[d] == 0 && after[d] == 0;
    }
    Value taken = pad.getOperand();
    if (!isWhole) {
      OpBuilder builder(user);
      taken = stablehlo::PadOp::create(builder, user->getLoc(), type,
                                       pad.getOperand(), padding, before, after,
                                       interior);
      if (auto sharding = sdy::getSharding(user->getResult(0)))
        sdy::setSharding(taken, sharding);
    }
    user->getResult(0).replaceAllUsesWith(taken);
    user->erase();
  }
  for (Operation *reshard : reshards)
    reshard->erase();
  pad.erase();
  return true;
}

/// The operand of which `value` is a slice of contiguous rows, with `starts`
/// and `limits` moved to it; otherwise the value itself.
Value sourceOf(Value value, MutableArrayRef<int64_t> starts,
               MutableArrayRef<int64_t> limits) {
  if (!isUnitSlice(value.getDefiningOp()))
    return value;
  auto slice = value.getDefiningOp<stablehlo::SliceOp>();
  for (auto [start, limit, before] :
       llvm::zip(starts, limits, slice.getStartIndices())) {
    start += before;
    limit += before;
  }
  return slice.getOperand();
}

bool compose(stablehlo::ConcatenateOp concat) {
  int64_t dim = concat.getDimension();
  if (!isShardable(concat.getType()) || concat->use_empty() ||
      !llvm::all_of(concat.getInputs().getTypes(), isShardable))
    return false;
  SmallVector<stablehlo::SliceOp> slices = slicesOf(concat.getResult());
  // A slice of other dimensions would slice every part.
  if (slices.empty() ||
      !isShardedThere<stablehlo::SliceOp>(concat.getResult(), slices, dim) ||
      llvm::all_of(slices, [&](stablehlo::SliceOp slice) {
        return dimsOf(slice.getType())[dim] == dimsOf(concat.getType())[dim];
      }))
    return false;
  for (stablehlo::SliceOp slice : slices) {
    OpBuilder builder(slice);
    auto shardLikeSlice = [&](Value value) {
      if (auto sharding = sdy::getSharding(slice->getResult(0)))
        sdy::setSharding(value, sharding);
      return value;
    };
    SmallVector<Value> parts;
    int64_t at = 0, from = slice.getStartIndices()[dim],
            to = slice.getLimitIndices()[dim];
    for (Value input : concat.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      int64_t rows = type.getDimSize(dim);
      int64_t begin = std::max(from, at), end = std::min(to, at + rows);
      if (begin < end) {
        SmallVector<int64_t> starts(slice.getStartIndices()),
            limits(slice.getLimitIndices()), shape(dimsOf(slice.getType()));
        starts[dim] = begin - at;
        limits[dim] = end - at;
        shape[dim] = end - begin;
        if (ArrayRef(shape) == type.getShape()) {
          parts.push_back(input);
        } else {
          Value source = sourceOf(input, starts, limits);
          parts.push_back(shardLikeSlice(stablehlo::SliceOp::create(
              builder, slice.getLoc(), type.clone(ArrayRef<int64_t>(shape)),
              source, starts, limits, slice.getStrides())));
        }
      }
      at += rows;
    }
    if (parts.empty())
      continue;
    Value taken = parts.front();
    if (parts.size() > 1)
      taken = shardLikeSlice(stablehlo::ConcatenateOp::create(
          builder, slice.getLoc(), slice.getType(), parts, dim));
    slice->getResult(0).replaceAllUsesWith(taken);
    slice.erase();
  }
  if (concat->use_empty())
    concat.erase();
  return true;
}

} // namespace

void composeSlices(ModuleOp module, SmallVectorImpl<Operation *> &joins) {
  // Users first: an op may slice the result of an earlier one.
  bool changed = false;
  for (Operation *op : llvm::reverse(joins)) {
    if (auto pad = dyn_cast<stablehlo::PadOp>(op))
      changed |= compose(pad);
    else
      changed |= compose(cast<stablehlo::ConcatenateOp>(op));
  }
  if (!changed)
    return;
  joins.clear();
  module.walk([&](Operation *op) {
    if (isa<stablehlo::PadOp, stablehlo::ConcatenateOp>(op))
      joins.push_back(op);
  });
}

} // namespace shardwright
