//===- localize_collectives.cc - sdy collectives over device groups -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/device_groups.h"
#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/layout/manual_axes.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/reducer_ops.h"
#include "shardwright/partition/reshard/permute_pairs.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The axes of each dimension in a collective's parameter.
SmallVector<AxisList, 4> listsOf(MeshTable &meshes, int32_t mesh,
                                 sdy::ListOfAxisRefListsAttr attr) {
  SmallVector<AxisList, 4> lists;
  for (sdy::AxisRefListAttr list : attr.getValue())
    lists.push_back(meshes.toAxes(mesh, list.getValue()));
  return lists;
}

/// Splits dimension d into (parts[d], rest) where parts[d] > 1, and merges the
/// parts into one leading dimension.
Value partsToFront(OpBuilder &b, Location loc, Value value,
                   ArrayRef<int64_t> parts) {
  SmallVector<int64_t> split, front, rest, merged;
  int64_t n = 1;
  for (auto [size, part] : llvm::zip(tensorOf(value).getShape(), parts)) {
    if (part > 1) {
      front.push_back(split.size());
      split.push_back(part);
      n *= part;
    }
    rest.push_back(split.size());
    split.push_back(size / part);
    merged.push_back(size / part);
  }
  value = buildReshape(b, loc, value, split);
  front.append(rest);
  value = buildTranspose(b, loc, value, front);
  merged.insert(merged.begin(), n);
  return buildReshape(b, loc, value, merged);
}

} // namespace

/// Pads each dimension to a multiple of `parts[d]`.
Value Localizer::padToParts(OpBuilder &builder, Location loc, Value value,
                            ArrayRef<int64_t> parts) {
  SmallVector<int64_t> shape(tensorOf(value).getShape());
  for (auto [size, n] : llvm::zip(shape, parts))
    size = n * shardSize(size, n);
  return resized(builder, loc, value, shape);
}

Value Localizer::localSlice(OpBuilder &builder, Location loc, Value value,
                            int32_t mesh, ArrayRef<AxisList> axes) {
  SmallVector<int64_t> parts;
  for (const AxisList &list : axes)
    parts.push_back(totalSize(list));
  value = padToParts(builder, loc, value, parts);
  auto type = tensorOf(value);
  SmallVector<int64_t> sizes(type.getShape());
  SmallVector<Value> starts;
  for (auto [size, list, n] : llvm::zip(sizes, axes, parts)) {
    size /= n;
    starts.push_back(list.empty() ? indices.constant(0)
                                  : indices.offset(mesh, list, size));
  }
  return stablehlo::DynamicSliceOp::create(
      builder, loc, type.clone(ArrayRef<int64_t>(sizes)), value, starts, sizes);
}

Value Localizer::gathered(OpBuilder &builder, Location loc, Value value,
                          int64_t dim, int32_t mesh, AxisRefs axes) {
  SmallVector<int64_t> shape(tensorOf(value).getShape());
  shape[dim] *= totalSize(axes);
  auto gather = stablehlo::AllGatherOp::create(
      builder, loc, TypeRange(tensorOf(value).clone(ArrayRef<int64_t>(shape))),
      ValueRange(value), dim, deviceGroupsOf(mesh, axes), nextHandle(),
      /*use_global_device_ids=*/true);
  return gather->getResult(0);
}

Value Localizer::localGather(sdy::AllGatherOp op) {
  OpBuilder builder(op);
  Value value = op.getTensor();
  int32_t mesh = meshes.idOf(op.getOutSharding().getMeshOrRef());
  auto lists = listsOf(meshes, mesh, op.getGatheringAxes());
  if (Value made = form->gather(builder, op, mesh, lists))
    return resized(builder, op.getLoc(), made, localShape(op.getResult()));
  Location loc = op.getLoc();
  AxisList axes;
  SmallVector<int64_t> dims, parts;
  for (auto [d, list] : llvm::enumerate(lists))
    if (!list.empty()) {
      dims.push_back(d);
      parts.push_back(totalSize(list));
      axes.append(list.begin(), list.end());
    }
  auto gather = [&](Value v, int64_t d) {
    return gathered(builder, loc, v, d, mesh, axes);
  };
  SmallVector<int64_t> whole = localShape(op.getResult());
  if (dims.empty())
    return resized(builder, loc, value, whole);
  if (dims.size() == 1)
    return resized(builder, loc, gather(value, dims[0]), whole);
  // For several dimensions: gather the parts as one leading dimension, then
  // move each part in front of its dimension.
  SmallVector<int64_t> local(tensorOf(value).getShape()), lead(local),
      open(parts), permutation, all(local);
  lead.insert(lead.begin(), 1);
  open.append(local);
  value = gather(buildReshape(builder, loc, value, lead), 0);
  value = buildReshape(builder, loc, value, open);
  for (int64_t d = 0, k = 0; d < int64_t(local.size()); ++d) {
    if (k < int64_t(dims.size()) && dims[k] == d) {
      permutation.push_back(k);
      all[d] *= parts[k++];
    }
    permutation.push_back(int64_t(parts.size()) + d);
  }
  value = buildTranspose(builder, loc, value, permutation);
  return resized(builder, loc, buildReshape(builder, loc, value, all), whole);
}

Value Localizer::localAllReduce(sdy::AllReduceOp op) {
  OpBuilder builder(op);
  int32_t mesh = meshes.idOf(op.getOutSharding().getMeshOrRef());
  AxisList axes = meshes.toAxes(mesh, op.getReductionAxes().getValue());
  auto reduce = stablehlo::AllReduceOp::create(
      builder, op.getLoc(), TypeRange(op.getTensor().getType()),
      ValueRange(op.getTensor()), deviceGroupsOf(mesh, axes), nextHandle(),
      /*use_global_device_ids=*/true);
  buildReducerBody(reduce.getComputation(), op.getLoc(), *form->reducerOf(op),
                   tensorOf(op.getTensor()).getElementType());
  return reduce->getResult(0);
}

Value Localizer::localReduceScatter(sdy::ReduceScatterOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value = op.getTensor();
  int32_t mesh = meshes.idOf(op.getOutSharding().getMeshOrRef());
  auto lists = listsOf(meshes, mesh, op.getReduceScatterAxes());
  AxisList axes;
  SmallVector<int64_t> parts, shape;
  int64_t dims = 0, dim = 0;
  for (const AxisList &list : lists)
    parts.push_back(totalSize(list));
  value = padToParts(builder, loc, value, parts);
  for (auto [d, list] : llvm::enumerate(lists)) {
    axes.append(list.begin(), list.end());
    shape.push_back(tensorOf(value).getDimSize(d) / parts[d]);
    if (!list.empty()) {
      ++dims;
      dim = d;
    }
  }
  if (dims > 1)
    if (Value made = form->scatter(op))
      return made;
  // For several dimensions: scatter the parts as one leading dimension.
  SmallVector<int64_t> scattered = shape;
  if (dims > 1) {
    value = partsToFront(builder, loc, value, parts);
    dim = 0;
    scattered.insert(scattered.begin(), 1);
  }
  auto reduce = stablehlo::ReduceScatterOp::create(
      builder, loc, tensorOf(value).clone(ArrayRef<int64_t>(scattered)), value,
      dim, deviceGroupsOf(mesh, axes), nextHandle(),
      /*use_global_device_ids=*/true);
  buildReducerBody(reduce.getComputation(), loc, *form->reducerOf(op),
                   tensorOf(value).getElementType());
  return buildReshape(builder, loc, reduce->getResult(0), shape);
}

/// Cuts `axes` where a sub-axis among `others` begins or ends.
static AxisList cutWhereOthersEnd(AxisRefs axes, AxisRefs others) {
  AxisList out;
  for (AxisRef ref : axes) {
    SmallVector<int64_t> cuts;
    for (AxisRef other : others)
      if (other.axis == ref.axis)
        cuts.append({other.preSize, other.nextPreSize()});
    llvm::sort(cuts);
    for (int64_t cut : cuts)
      if (cut > ref.preSize && cut < ref.nextPreSize() &&
          cut % ref.preSize == 0 && ref.nextPreSize() % cut == 0) {
        int64_t end = ref.nextPreSize();
        out.push_back({ref.axis, ref.preSize, cut / ref.preSize});
        ref = {ref.axis, cut, end / cut};
      }
    out.push_back(ref);
  }
  return out;
}

/// If the operand is a permute that only this op uses and that only changes the
/// order of the moved axes: their order before the permute; otherwise empty.
AxisList Localizer::reorderedBefore(sdy::AllToAllOp op) {
  auto permute = op.getTensor().getDefiningOp<sdy::CollectivePermuteOp>();
  if (!form->mergesPermutes() || !permute || !permute->hasOneUse() ||
      op.getParams().getValue().size() != 1)
    return {};
  auto param = op.getParams().getValue()[0];
  int64_t source = param.getSrcDim();
  Layout before = layoutOf(permute.getTensor());
  int32_t mesh = meshes.idOf(permute.getOutSharding().getMeshOrRef());
  if (before.mesh != mesh)
    return {};
  auto dims = permute.getOutSharding().getDimShardings();
  AxisList moved = meshes.toAxes(mesh, param.getAxes());
  for (int64_t d = 0; d < int64_t(dims.size()); ++d)
    if (d != source &&
        meshes.toAxes(mesh, dims[d].getAxes()) != before.sharding.dims[d].axes)
      return {};
  // Undo the merging of adjacent sub-axes: the moved axes must match the last
  // refs of the source dimension.
  AxisList all = cutWhereOthersEnd(before.sharding.dims[source].axes, moved);
  moved = cutWhereOthersEnd(moved, all);
  if (all.size() < moved.size())
    return {};
  AxisList had(AxisRefs(all).take_back(moved.size()));
  AxisList front;
  appendMerged(front, AxisRefs(all).drop_back(moved.size()));
  appendMerged(front, moved);
  if (front != meshes.toAxes(mesh, dims[source].getAxes()) ||
      !std::is_permutation(had.begin(), had.end(), moved.begin(), moved.end()))
    return {};
  return had;
}

Value Localizer::localAllToAll(sdy::AllToAllOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value = op.getTensor();
  int32_t mesh = meshes.idOf(op.getOutSharding().getMeshOrRef());
  auto params = op.getParams().getValue();
  SmallVector<int64_t> expected = localShape(op.getResult());
  auto exchange = [&](Value v, int64_t split, int64_t concat, int64_t n,
                      AxisRefs axes) {
    SmallVector<int64_t> shape(tensorOf(v).getShape());
    shape[split] /= n;
    shape[concat] *= n;
    auto exchanged = stablehlo::AllToAllOp::create(
        builder, loc, TypeRange(tensorOf(v).clone(ArrayRef<int64_t>(shape))),
        ValueRange(v), split, concat, n, partitionGroups(mesh, axes),
        nextHandle());
    return exchanged->getResult(0);
  };
  if (params.size() == 1) {
    AxisList axes = meshes.toAxes(mesh, params[0].getAxes());
    int64_t source = params[0].getSrcDim(), target = params[0].getTgtDim();
    AxisList had = reorderedBefore(op);
    if (!had.empty())
      value = value.getDefiningOp()->getOperand(0);
    SmallVector<int64_t> parts(tensorOf(value).getRank(), 1);
    parts[target] = totalSize(axes);
    value = padToParts(builder, loc, value, parts);
    Value exchanged = exchange(value, target, source, totalSize(axes), axes);
    if (had.empty())
      return resized(builder, loc, exchanged, expected);
    // The parts of the source dimension arrive in the order of `axes`; restore
    // the order that the senders had.
    SmallVector<int64_t> whole(tensorOf(exchanged).getShape()), open,
        permutation;
    for (auto [d, size] : llvm::enumerate(whole)) {
      if (int64_t(d) != source) {
        permutation.push_back(open.size());
        open.push_back(size);
        continue;
      }
      int64_t first = open.size(), n = 1;
      axes = cutWhereOthersEnd(axes, had);
      for (AxisRef a : axes) {
        open.push_back(a.size);
        n *= a.size;
      }
      for (AxisRef a : had)
        permutation.push_back(first + (llvm::find(axes, a) - axes.begin()));
      permutation.push_back(open.size());
      open.push_back(size / n);
    }
    exchanged = buildReshape(builder, loc, exchanged, open);
    exchanged = buildTranspose(builder, loc, exchanged, permutation);
    exchanged = buildReshape(builder, loc, exchanged, whole);
    return resized(builder, loc, exchanged, expected);
  }
  // Moves between distinct dimensions become one exchange: the parts of the
  // target dimensions lead, in the order of these dimensions.
  SmallVector<sdy::AllToAllParamAttr> moves(params);
  llvm::sort(moves,
             [](auto a, auto b) { return a.getTgtDim() < b.getTgtDim(); });
  AxisList axes;
  SmallVector<int64_t> parts(tensorOf(value).getRank(), 1), sizes;
  for (auto move : moves) {
    AxisList list = meshes.toAxes(mesh, move.getAxes());
    sizes.push_back(totalSize(list));
    parts[move.getTgtDim()] = sizes.back();
    axes.append(list.begin(), list.end());
  }
  value = padToParts(builder, loc, value, parts);
  value = partsToFront(builder, loc, value, parts);
  value = exchange(value, 0, 0, totalSize(axes), axes);
  // The leading dimension now counts the senders: move each part in front of
  // its source dimension.
  SmallVector<int64_t> rest(tensorOf(value).getShape().drop_front());
  SmallVector<int64_t> open(sizes), permutation, shape(rest);
  open.append(rest);
  value = buildReshape(builder, loc, value, open);
  for (auto [d, size] : llvm::enumerate(rest)) {
    for (auto [i, move] : llvm::enumerate(moves))
      if (move.getSrcDim() == int64_t(d)) {
        permutation.push_back(i);
        shape[d] *= sizes[i];
      }
    permutation.push_back(sizes.size() + d);
  }
  value = buildTranspose(builder, loc, value, permutation);
  value = buildReshape(builder, loc, value, shape);
  return resized(builder, loc, value, expected);
}

Value Localizer::localPermute(sdy::CollectivePermuteOp op) {
  OpBuilder builder(op);
  Value value = op.getTensor();
  int32_t to = meshes.idOf(op.getOutSharding().getMeshOrRef());
  Layout from = layoutOf(value);
  if (from.mesh < 0)
    return value;
  // `value` has its local type; only the axes are used from here on.
  TensorSharding out = TensorSharding::closed(from.sharding.rank());
  for (auto [dim, attr] :
       llvm::zip(out.dims, op.getOutSharding().getDimShardings()))
    dim.axes = meshes.toAxes(to, attr.getAxes());
  // Partial sums do not cross meshes.
  out.unreduced = meshes.toAxes(to, op.getOutSharding().getUnreducedAxes());
  from.sharding.unreduced = out.unreduced;
  const Mesh &fromMesh = meshes.mesh(from.mesh), &toMesh = meshes.mesh(to);
  TensorSharding source = withManualAxes(from.sharding,
                                         manualAxesAround(op, fromMesh)),
                 target = withManualAxes(out, manualAxesAround(op, toMesh));
  DenseIntElementsAttr pairs = sdy::permutePairsAttr(
      op->getContext(), fromMesh, source, toMesh, target,
      [&] { return permutePairs(fromMesh, source, toMesh, target); });
  if (!pairs)
    return value;
  return stablehlo::CollectivePermuteOp::create(
      builder, op.getLoc(), value.getType(), value, pairs, nextHandle());
}

/// The kind of the partial values that the op produces.
static ReducerKind producedBy(sdy::CollectiveOpInterface op) {
  return reducerOf(sdy::kindFromAttr(op.getOutSharding().getReductionOp()));
}

Value Localizer::localToUnreduced(sdy::ReplicatedToUnreducedOp op) {
  // The maximum of equal values is the value.
  if (producedBy(op) != ReducerKind::Add)
    return op.getTensor();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int32_t mesh = meshes.idOf(op.getOutSharding().getMeshOrRef());
  AxisList axes = meshes.toAxes(mesh, op.getAxes().getValue());
  Value first =
      buildCompare(builder, loc, indices.index(mesh, axes), indices.constant(0),
                   stablehlo::ComparisonDirection::EQ);
  auto type = tensorOf(op.getTensor());
  return stablehlo::SelectOp::create(builder, loc, type, first, op.getTensor(),
                                     neutral(builder, loc, type));
}

/// The local shard at its offset among neutral elements.
Value Localizer::localToUnreduced(sdy::ShardedToUnreducedOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int32_t mesh = meshes.idOf(op.getOutSharding().getMeshOrRef());
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> starts;
  for (auto [d, list] : llvm::enumerate(op.getAxes().getValue())) {
    AxisList axes = meshes.toAxes(mesh, list.getValue());
    starts.push_back(axes.empty() ? indices.constant(0)
                                  : indices.offset(mesh, axes, shape[d]));
    shape[d] *= totalSize(axes);
  }
  auto wide = type.clone(ArrayRef<int64_t>(shape));
  return stablehlo::DynamicUpdateSliceOp::create(
      builder, loc, wide, neutral(builder, loc, wide, producedBy(op)),
      op.getTensor(), starts);
}

LogicalResult Localizer::localizeCollective(Operation *op) {
  auto collective = cast<sdy::CollectiveOpInterface>(op);
  if (meshes.idOf(collective.getOutSharding().getMeshOrRef()) < 0)
    return replace(op, collective.getTensor());
  if (!form->reducerOf(op))
    return op->emitOpError("has an unknown ")
           << kReducerAttrName << " "
           << op->getDiscardableAttr(kReducerAttrName);
  // The operand must have the layout that the collective expects, and a ranked
  // type.
  if (!isa<RankedTensorType>(collective.getTensor().getType()))
    return op->emitOpError("has no ranked tensor to move");
  // Tensors without elements move nothing; their layouts drop the axes of empty
  // dimensions, so the code below would not apply.
  if (auto type = cast<RankedTensorType>(op->getResult(0).getType());
      type.hasStaticShape() && type.getNumElements() == 0) {
    OpBuilder builder(op);
    Type local = localType(type, layoutOf(op->getResult(0)));
    return replace(op,
                   zeros(builder, op->getLoc(), cast<RankedTensorType>(local)));
  }
  // An all-to-all that absorbs this permute takes the permute's operand.
  if (isa<sdy::CollectivePermuteOp>(op) && op->hasOneUse())
    if (auto next = dyn_cast<sdy::AllToAllOp>(*op->getUsers().begin()))
      if (!reorderedBefore(next).empty()) {
        takenPermutes.insert(op);
        return setLocalResultTypes(op);
      }
  Operation *reorder = nullptr;
  if (auto exchange = dyn_cast<sdy::AllToAllOp>(op))
    if (!reorderedBefore(exchange).empty())
      reorder = exchange.getTensor().getDefiningOp();
  Value value =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](sdy::AllGatherOp o) { return localGather(o); })
          .Case([&](sdy::AllSliceOp o) {
            OpBuilder builder(o);
            int32_t mesh = meshes.idOf(o.getOutSharding().getMeshOrRef());
            return localSlice(builder, o.getLoc(), o.getTensor(), mesh,
                              listsOf(meshes, mesh, o.getSlicingAxes()));
          })
          .Case([&](sdy::AllToAllOp o) { return localAllToAll(o); })
          .Case([&](sdy::CollectivePermuteOp o) { return localPermute(o); })
          .Case([&](sdy::AllReduceOp o) { return localAllReduce(o); })
          .Case([&](sdy::ReduceScatterOp o) { return localReduceScatter(o); })
          .Case<sdy::ReplicatedToUnreducedOp, sdy::ShardedToUnreducedOp>(
              [&](auto o) { return localToUnreduced(o); });
  Type expected =
      localType(op->getResult(0).getType(), layoutOf(op->getResult(0)));
  if (value.getType() != expected)
    return op->emitOpError("has a local result of type ")
           << value.getType() << " where its sharding gives " << expected
           << "; run " << form->passBeforeCollectives() << " first";
  LogicalResult done = replace(op, value);
  if (reorder) {
    reorder->dropAllReferences();
    replacedPermutes.push_back(reorder);
  }
  return done;
}

} // namespace shardwright
