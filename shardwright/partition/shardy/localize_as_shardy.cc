//===- localize_as_shardy.cc - what Shardy makes local in its own way -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of the Localizer for `sdy-convert-global-to-local`. What Shardy's pass
// would silently compute wrong is refused, or done right.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/reduce_parts.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/combine.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/shardy/op_agreement.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// What cannot be local
//===----------------------------------------------------------------------===//

LogicalResult Localizer::refuseExchange(Operation *op, int64_t dim) {
  if (isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp,
          stablehlo::DynamicUpdateSliceOp>(op))
    return op->emitOpError("dimension ")
           << dim
           << " is sharded but the slice is not a full slice and requires "
              "device communication.";
  if (isa<stablehlo::ConcatenateOp>(op))
    return op->emitOpError("dimension ")
           << dim << " is sharded but the concatenation is on this dimension.";
  return op->emitOpError("dimension ")
         << dim
         << " is sharded but needs rows of other devices; run "
            "sdy-resolve-permutation-factors first";
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Localizer::visitNamed(sdy::NamedComputationOp op) {
  Block &body = op.getBody().front();
  for (BlockArgument arg : body.getArguments())
    arg.setType(localType(arg.getType(), layoutOf(arg)));
  if (failed(visitBlock(body)))
    return failure();
  return setLocalResultTypes(op);
}

/// The callee is made local by itself, by the shardings of its signature.
LogicalResult Localizer::visitCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return setLocalResultTypes(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    const Layout &layout = meshes.toLayout(
        sdy::getFuncResultSharding(callee, i), result.getType());
    if (!layout.isEquivalent(layoutOf(result)))
      return op.emitOpError("result ")
             << i << " is sharded otherwise than the callee's; run "
             << "sdy-insert-func-call-reshards first";
  }
  return setLocalResultTypes(op);
}

/// Every device draws the numbers of the whole program and takes its part.
LogicalResult Localizer::visitRandom(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Layout layout = layoutOf(result);
    if (layout.mesh < 0)
      continue;
    SmallVector<AxisList, 4> axes;
    for (const DimSharding &dim : layout.sharding.dims)
      axes.push_back(dim.axes);
    Value part = localSlice(builder, op->getLoc(), result, layout.mesh, axes);
    result.replaceUsesWithIf(part, [&](OpOperand &use) {
      return use.getOwner() != part.getDefiningOp();
    });
    inherit(part, result);
    placed.erase(result);
  }
  return success();
}

/// A device that has the shard of the other end reverses it.
LogicalResult Localizer::visitReverse(stablehlo::ReverseOp op) {
  Value input = op.getOperand();
  Layout from = layoutOf(input), to = layoutOf(op.getResult());
  for (int64_t d : op.getDimensions()) {
    AxisRefs in = axesOf(input, d), out = axesOf(op.getResult(), d);
    int64_t shards = totalSize(in);
    if (shards != totalSize(out))
      return refuseExchange(op, d);
    if (shards == 1)
      continue;
    const Mesh &a = meshes.mesh(from.mesh), &b = meshes.mesh(to.mesh);
    for (int64_t device = 0; device < a.numDevices(); ++device)
      if (a.shardIndex(a.linearIndex(device), in) +
              b.shardIndex(b.linearIndex(device), out) !=
          shards - 1)
        return refuseExchange(op, d);
  }
  return setLocalResultTypes(op);
}

/// Shards that start at different places between rows: each device pads its own
/// rows as far as any of them needs it and cuts its part of that out, if these
/// are all the rows that its part of the result has.
LogicalResult Localizer::visitPad(stablehlo::PadOp op) {
  Value operand = op.getOperand(), result = op.getResult();
  SmallVector<int64_t> low(op.getEdgePaddingLow()),
      high(op.getEdgePaddingHigh());
  SmallVector<int64_t> shape = localShape(result);
  int32_t mesh = layoutOf(result).mesh;
  // Where this device's part starts in dimension `first`, as scale * its shard
  // index + offset.
  struct Cut {
    int64_t dim, scale, offset;
  };
  SmallVector<Cut, 2> cuts;
  SmallVector<OpWindow, 2> others;
  for (const OpWindow &window : windowsOf.lookup(op)) {
    int64_t d = window.resultDim;
    AxisRefs axes = axesOf(result, d);
    int64_t shards = totalSize(axes), size = wholeSize(operand, d);
    if (shards == 1 || AxisList(axesOf(operand, d)) != AxisList(axes) ||
        size == 0 || window.map.ofShards(shards)) {
      others.push_back(window);
      continue;
    }
    int64_t in = dimsOf(operand.getType())[d], out = shape[d];
    int64_t step = op.getInteriorPadding()[d] + 1, extent = (in - 1) * step + 1;
    for (int64_t t = 0; t < shards; ++t) {
      // The first row that is not before the part, and the last one in it.
      int64_t first =
          std::max<int64_t>(llvm::divideCeilSigned(t * out - low[d], step), 0);
      int64_t last = std::min(
          llvm::divideFloorSigned((t + 1) * out - 1 - low[d], step), size - 1);
      if (first <= last && (first / in != t || last / in != t))
        return refuseExchange(op, d);
    }
    // The shard's first row is at `low + t * scale` of the part.
    int64_t scale = in * step - out, before = low[d];
    int64_t most = before + std::max<int64_t>(scale * (shards - 1), 0);
    int64_t least = before + std::min<int64_t>(scale * (shards - 1), 0);
    cuts.push_back({d, -scale, most - before});
    low[d] = most;
    high[d] = out - least - extent;
    shape[d] = low[d] + extent + high[d];
  }
  if (cuts.empty())
    return localizePad(op);

  op.setEdgePaddingLow(low);
  op.setEdgePaddingHigh(high);
  windowsOf[op] = std::move(others);
  if (failed(localizePad(op)))
    return failure();
  auto local = typeOf(result);
  result.setType(local.clone(ArrayRef<int64_t>(shape)));
  OpBuilder builder(op.getContext());
  builder.setInsertionPointAfter(op);
  SmallVector<Value> starts(shape.size(), indices.constant(0));
  for (const Cut &cut : cuts) {
    Value start = indices.offset(mesh, axesOf(result, cut.dim), cut.scale);
    if (cut.offset != 0)
      start = stablehlo::AddOp::create(builder, op.getLoc(), start,
                                       indices.constant(cut.offset));
    starts[cut.dim] = start;
  }
  auto part = stablehlo::DynamicSliceOp::create(
      builder, op.getLoc(), local, result, starts, local.getShape());
  result.replaceAllUsesExcept(part, part);
  inherit(part, result);
  return success();
}

/// Windows must tile each sharded dimension.
LogicalResult
Localizer::visitSelectAndScatter(stablehlo::SelectAndScatterOp op) {
  Value operand = op.getOperand(), source = op.getSource();
  for (int64_t d = 0; d < typeOf(operand).getRank(); ++d) {
    int64_t shards = totalSize(axesOf(operand, d));
    if (shards == 1 && axesOf(source, d).empty())
      continue;
    int64_t window =
        op.getWindowDimensions() ? (*op.getWindowDimensions())[d] : 1;
    int64_t stride = op.getWindowStrides() ? (*op.getWindowStrides())[d] : 1;
    bool isPadded =
        op.getPadding() && (op.getPadding()->getValues<int64_t>()[2 * d] != 0 ||
                            op.getPadding()->getValues<int64_t>()[2 * d + 1]);
    if (isPadded || window > stride ||
        AxisList(axesOf(operand, d)) != AxisList(axesOf(source, d)) ||
        wholeSize(operand, d) != stride * wholeSize(source, d))
      return refuseExchange(op, d);
  }
  return setLocalResultTypes(op);
}

std::optional<LogicalResult> Localizer::visitAsShardy(Operation *op) {
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op))
    if (layoutOf(reshard.getInput())
            .isEquivalent(layoutOf(reshard.getResult())))
      return replace(op, reshard.getInput());
  // From all devices to a mesh with other axes.
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op);
      reshard && layoutOf(reshard.getInput()).isReplicated()) {
    const KnownLayout &to = layoutOf(reshard.getResult());
    OpBuilder builder(op);
    SmallVector<AxisList, 4> lists;
    for (const DimSharding &dim : to.sharding.dims)
      lists.push_back(dim.axes);
    return replace(op, localSlice(builder, op->getLoc(), reshard.getInput(),
                                  to.mesh, lists));
  }
  if (isa<sdy::PropagationBarrierOp>(op))
    return replace(op, op->getOperand(0));
  if (isa<sdy::ShardingGroupOp>(op)) {
    op->erase();
    return success();
  }
  if (isa<sdy::ReshardOp, sdy::ShardingConstraintOp, sdy::DataFlowEdgeOp,
          sdy::FuncDataFlowEdgeOp>(op))
    return op->emitError("failed to legalize operation '")
           << op->getName() << "' that was explicitly marked illegal";
  // What was made whole needs no reduction any more.
  if (auto collective = dyn_cast<sdy::CollectiveOpInterface>(op);
      collective && isa<sdy::AllReduceOp, sdy::ReduceScatterOp>(op) &&
      madeWhole.contains(collective.getTensor())) {
    auto scatter = dyn_cast<sdy::ReduceScatterOp>(op);
    if (!scatter)
      return replace(op, collective.getTensor());
    OpBuilder builder(op);
    int32_t mesh = meshes.idOf(collective.getOutSharding().getMeshOrRef());
    SmallVector<AxisList, 4> lists;
    for (sdy::AxisRefListAttr list : scatter.getReduceScatterAxes().getValue())
      lists.push_back(meshes.toAxes(mesh, list.getValue()));
    return replace(op, localSlice(builder, op->getLoc(), collective.getTensor(),
                                  mesh, lists));
  }
  if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) &&
      !isa<sdy::NamedComputationOp>(op))
    return std::nullopt;

  AxisList partial = partialOf.lookup(op);
  bool isSharded = !partial.empty() ||
                   llvm::any_of(op->getOperands(),
                                [&](Value v) { return placed.contains(v); }) ||
                   llvm::any_of(op->getResults(),
                                [&](Value v) { return placed.contains(v); });
  if (!isSharded && !isa<func::CallOp, sdy::NamedComputationOp>(op))
    return std::nullopt;
  if (hasShapeOperand(op))
    return op->emitOpError("takes its shape from a value, which is that of the "
                           "whole program; reshard its operands and results "
                           "to replicated first");
  if (!partial.empty() && failed(checkCompleted(op, partial)))
    return failure();
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](sdy::NamedComputationOp named) { return visitNamed(named); })
      .Case([&](func::CallOp call) { return visitCall(call); })
      .Case<stablehlo::RngOp, stablehlo::RngBitGeneratorOp>(
          [&](Operation *random) { return visitRandom(random); })
      .Case([&](stablehlo::ReverseOp reverse) { return visitReverse(reverse); })
      .Case([&](stablehlo::PadOp pad) { return visitPad(pad); })
      .Case([&](stablehlo::SelectAndScatterOp scatter) {
        return visitSelectAndScatter(scatter);
      })
      .Case([&](stablehlo::GetDimensionSizeOp size) {
        OpBuilder builder(size);
        auto type = typeOf(size.getResult());
        int64_t whole = wholeSize(size.getOperand(), size.getDimension());
        return replace(
            size, stablehlo::ConstantOp::create(
                      builder, size.getLoc(), type,
                      DenseElementsAttr::get(
                          type, builder.getI32IntegerAttr(whole).getValue())));
      })
      .Case<stablehlo::SliceOp, stablehlo::DynamicSliceOp>(
          [&](Operation *slice) -> std::optional<LogicalResult> {
            Value operand = slice->getOperand(0), result = slice->getResult(0);
            for (int64_t d = 0; d < typeOf(operand).getRank(); ++d)
              if (AxisList(axesOf(operand, d)) != AxisList(axesOf(result, d)) ||
                  (isa<stablehlo::DynamicSliceOp>(slice) &&
                   !axesOf(operand, d).empty() &&
                   wholeSize(operand, d) != dimsOf(result.getType())[d]))
                return refuseExchange(slice, d);
            return std::nullopt;
          })
      // An update on every device is written by the owners of its rows; parts
      // of one would have to be sent there.
      .Case([&](stablehlo::DynamicUpdateSliceOp update)
                -> std::optional<LogicalResult> {
        Value operand = update.getOperand(), rows = update.getUpdate();
        for (int64_t d = 0; d < typeOf(operand).getRank(); ++d)
          if (!axesOf(rows, d).empty() &&
              (AxisList(axesOf(rows, d)) != AxisList(axesOf(operand, d)) ||
               wholeSize(rows, d) != wholeSize(operand, d)))
            return refuseExchange(update, d);
        return std::nullopt;
      })
      .Case(
          [&](stablehlo::ConcatenateOp concat) -> std::optional<LogicalResult> {
            Value result = concat.getResult();
            for (int64_t d = 0; d < typeOf(result).getRank(); ++d)
              for (Value input : concat.getInputs())
                if (AxisList(axesOf(input, d)) != AxisList(axesOf(result, d)))
                  return concat.emitOpError("dimension ")
                         << d
                         << " is not sharded alike in all operands and the "
                         << "result.";
            if (!axesOf(result, concat.getDimension()).empty())
              return refuseExchange(concat, concat.getDimension());
            return std::nullopt;
          })
      .Case([&](stablehlo::ReduceOp reduce) -> std::optional<LogicalResult> {
        if (partial.empty())
          return std::nullopt;
        return visitPartialReduce(reduce, partial);
      })
      .Case([&](stablehlo::ScatterOp scatter) -> std::optional<LogicalResult> {
        std::optional<ReducerKind> kind = getCombiner(scatter);
        if (!partial.empty() &&
            (!kind ||
             !llvm::all_of(scatter.getInputs().getTypes(), [&](Type type) {
               return bool(identityElement(*kind, getElementTypeOrSelf(type)));
             })))
          return visitPartialScatter(scatter);
        if (!partial.empty())
          for (Value result : scatter->getResults())
            partialKind[result] = *kind;
        return std::nullopt;
      })
      .Default([&](Operation *other) -> std::optional<LogicalResult> {
        if (ruleless.contains(other))
          return other->emitOpError(
              "has no sharding rule, but sharded operands or results; reshard "
              "them to replicated first");
        return std::nullopt;
      });
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

Attribute Localizer::axisGroups(int32_t mesh, AxisRefs axes) {
  if (!forms.meshAxesGroups)
    return nullptr;
  auto ref = dyn_cast<FlatSymbolRefAttr>(
      meshes.toAttr({mesh, TensorSharding::closed(0)}).getMeshOrRef());
  SmallVector<stablehlo::AxisRefAttr> refs;
  const Mesh &m = meshes.mesh(mesh);
  for (AxisRef axis : axes) {
    if (axis.size != m.axisSize(axis.axis))
      return nullptr;
    refs.push_back(stablehlo::AxisRefAttr::get(func.getContext(),
                                               m.axes()[axis.axis].name, {}));
  }
  return ref ? stablehlo::ReplicaGroupMeshAxesAttr::get(func.getContext(), ref,
                                                        refs)
             : Attribute();
}

Value Localizer::gathered(OpBuilder &builder, Location loc, Value value,
                          int64_t dim, int32_t mesh, AxisRefs axes) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[dim] *= totalSize(axes);
  auto gather = stablehlo::AllGatherOp::create(
      builder, loc, TypeRange(typeOf(value).clone(ArrayRef<int64_t>(shape))),
      ValueRange(value), dim, deviceGroupsOf(mesh, axes), nextHandle(),
      /*use_global_device_ids=*/true);
  return gather->getResult(0);
}

/// Shardy's form: all of the sum, of which each device keeps its part.
Value Localizer::scatterApart(sdy::ReduceScatterOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int32_t mesh = meshes.idOf(op.getOutSharding().getMeshOrRef());
  SmallVector<AxisList, 4> lists;
  AxisList all;
  for (sdy::AxisRefListAttr list : op.getReduceScatterAxes().getValue()) {
    lists.push_back(meshes.toAxes(mesh, list.getValue()));
    all.append(lists.back());
  }
  auto reduce = stablehlo::AllReduceOp::create(
      builder, loc, TypeRange(op.getTensor().getType()),
      ValueRange(op.getTensor()), deviceGroupsOf(mesh, all), nextHandle(),
      /*use_global_device_ids=*/true);
  buildReducerBody(reduce.getComputation(), loc, *reducerOf(op),
                   typeOf(op.getTensor()).getElementType());
  return localSlice(builder, loc, reduce->getResult(0), mesh, lists);
}

} // namespace shardwright
