//===- unreduced_axes.cc - make reductions explicit -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;
using namespace shardwright;
using sdy::TensorShardingAttr;

Value shardwright::reduceDroppedAxes(OpBuilder &builder, Location loc,
                                     Value value, TensorShardingAttr target) {
  TensorShardingAttr source = sdy::getSharding(value);
  if (!source || source.getUnreducedAxes().empty())
    return value;
  sdy::MeshAttr meshAttr = sdy::getMeshAttr(
      builder.getInsertionBlock()->getParentOp(), source.getMeshOrRef());
  if (!meshAttr)
    return value;
  Mesh mesh = sdy::meshFromAttr(meshAttr);
  TensorSharding s = sdy::shardingFromAttr(source, mesh);
  AxisList wanted;
  if (target && target.getReductionOp() == source.getReductionOp())
    wanted = sdy::axesFromAttr(target.getUnreducedAxes(), mesh);
  AxisList dropped = withoutAxes(s.unreduced, wanted);
  if (dropped.empty())
    return value;
  s.unreduced = withoutAxes(s.unreduced, dropped);
  return sdy::AllReduceOp::create(
      builder, loc, value.getType(), value,
      sdy::axisListToAttr(builder.getContext(), dropped, mesh),
      source.getReductionOp(),
      sdy::shardingToAttr(builder.getContext(), s, mesh,
                          source.getMeshOrRef()));
}

/// The axes that `have` loses at its end to become `want`, perhaps starting
/// with a trailing sub-axis; none if `want` is not a prefix of it.
static std::optional<AxisList> removedAtEnd(AxisRefs have, AxisRefs want) {
  if (listPrefix(want, have) == ListPrefix::None)
    return std::nullopt;
  AxisList removed(have.drop_front(want.size()));
  if (want.empty() || want.back() == have[want.size() - 1])
    return removed;
  removed.insert(removed.begin(),
                 *suffixWithoutOverlap(have[want.size() - 1], want.back()));
  return removed;
}

bool shardwright::gainsUnreducedAxes(TensorShardingAttr source,
                                     TensorShardingAttr target, Operation *op) {
  // As in Shardy, a value without a sharding stays: to make it unreduced, the
  // operand would need a sharding that states the axes on which it is
  // replicated.
  if (!source || !target || target.getUnreducedAxes().empty())
    return false;
  if (source.getUnreducedAxes().empty())
    return true;
  sdy::MeshAttr meshAttr = sdy::getMeshAttr(op, target.getMeshOrRef());
  if (!meshAttr)
    return false;
  Mesh mesh = sdy::meshFromAttr(meshAttr);
  return !withoutAxes(sdy::axesFromAttr(target.getUnreducedAxes(), mesh),
                      sdy::axesFromAttr(source.getUnreducedAxes(), mesh))
              .empty();
}

FailureOr<Value> shardwright::gainUnreducedAxes(OpBuilder &builder,
                                                Operation *op, Value value,
                                                TensorShardingAttr target) {
  MLIRContext *context = builder.getContext();
  Attribute meshOrRef = target.getMeshOrRef();
  sdy::MeshAttr meshAttr = sdy::getMeshAttr(op, meshOrRef);
  TensorShardingAttr source = sdy::getSharding(value);
  if (!meshAttr || (source && sdy::getMeshAttr(op, source) != meshAttr))
    return op->emitError("cannot make a value unreduced on another mesh than "
                         "the one that it is on");
  Mesh mesh = sdy::meshFromAttr(meshAttr);
  TensorSharding wanted = sdy::shardingFromAttr(target, mesh);
  TensorSharding s = source ? sdy::shardingFromAttr(source, mesh)
                            : TensorSharding::closed(wanted.rank());
  if (s.rank() != wanted.rank())
    return op->emitError("cannot make a value unreduced whose sharding has "
                         "another rank than the target");
  if (!withoutAxes(s.unreduced, wanted.unreduced).empty())
    return op->emitError("cannot reshard from ")
           << source << " to " << target
           << ": each has unreduced axes that the other lacks";
  if (!s.unreduced.empty() && s.unreduced.kind != wanted.unreduced.kind)
    return op->emitError("cannot reshard from ")
           << source << " to " << target
           << ": the kinds of their unreduced axes differ";
  AxisList gained = withoutAxes(wanted.unreduced, s.unreduced);

  // Axes that move from a dimension to the unreduced axes stay in the dimension
  // for now.
  bool needsReshard = false, anySharded = false;
  SmallVector<AxisList> shardedToUnreduced(s.rank());
  AxisList fromDims;
  TensorSharding before = s;
  before.unreduced.kind = wanted.unreduced.kind;
  for (int64_t d = 0; d < s.rank(); ++d) {
    AxisRefs have = s.dims[d].axes, want = wanted.dims[d].axes;
    if (have == want)
      continue;
    if (std::optional<AxisList> removed = removedAtEnd(have, want);
        removed && llvm::all_of(*removed, [&](AxisRef x) {
          return llvm::any_of(gained,
                              [&](AxisRef g) { return contains(g, x); });
        })) {
      fromDims.append(*removed);
      shardedToUnreduced[d] = std::move(*removed);
      anySharded = true;
      continue;
    }
    before.dims[d].axes.assign(want.begin(), want.end());
    needsReshard = true;
  }
  auto attr = [&](const TensorSharding &sharding) {
    return sdy::shardingToAttr(context, sharding.closedLike(), mesh, meshOrRef);
  };
  if (needsReshard)
    value = sdy::ReshardOp::create(builder, op->getLoc(), value.getType(),
                                   value, attr(before));
  AxisList fromReplicated = withoutAxes(gained, fromDims);
  if (!fromReplicated.empty()) {
    before.unreduced.append(fromReplicated);
    sortAndMerge(before.unreduced);
    value = sdy::ReplicatedToUnreducedOp::create(
        builder, op->getLoc(), value.getType(), value,
        sdy::axisListToAttr(context, fromReplicated, mesh), attr(before));
  }
  if (anySharded)
    value = sdy::ShardedToUnreducedOp::create(
        builder, op->getLoc(), value.getType(), value,
        sdy::axisListsToAttr(context, shardedToUnreduced, mesh), target);
  return value;
}
