//===- shardy_form.cc - Shardy's local forms ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/local/shardy_form.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/reducer_ops.h"
#include "shardwright/partition/shardy/op_agreement.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/mesh_users.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Ops without a local form
//===----------------------------------------------------------------------===//

StringRef ShardyForm::passBeforeReturns() const {
  return "sdy-insert-explicit-reshards";
}

StringRef ShardyForm::passBeforeCollectives() const {
  return "sdy-reshard-to-collectives";
}

LogicalResult ShardyForm::checkRows(Operation *op, int64_t dim,
                                    const RowWindow &rows, int64_t size,
                                    int64_t shards) {
  if (planExchange(rows, size, shards).exchanges.empty())
    return success();
  return refuseExchange(op, dim);
}

LogicalResult ShardyForm::checkInserted(stablehlo::ScatterOp op, int64_t dim) {
  return op.emitOpError("sharding operand dimension ")
         << dim
         << " that is not indexed but in inserted window dimension is not "
            "supported.";
}

LogicalResult ShardyForm::refuseExchange(Operation *op, int64_t dim) {
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

LogicalResult ShardyForm::visitNamed(sdy::NamedComputationOp op) {
  Block &body = op.getBody().front();
  for (BlockArgument arg : body.getArguments())
    arg.setType(local.localType(arg.getType(), local.layoutOf(arg)));
  if (failed(local.visitBlock(body)))
    return failure();
  return local.setLocalResultTypes(op);
}

/// The callee is made local separately, by the shardings of its signature.
LogicalResult ShardyForm::visitCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return local.setLocalResultTypes(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    const Layout &layout = meshes.toLayout(
        sdy::getFuncResultSharding(callee, i), result.getType());
    if (!layout.isEquivalent(local.layoutOf(result)))
      return op.emitOpError("result ")
             << i << " has another sharding than the callee's; run "
             << "sdy-insert-func-call-reshards first";
  }
  return local.setLocalResultTypes(op);
}

/// Every device draws the numbers of the global program and slices its part.
LogicalResult ShardyForm::visitRandom(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Layout layout = local.layoutOf(result);
    if (layout.mesh < 0)
      continue;
    SmallVector<AxisList, 4> axes;
    for (const DimSharding &dim : layout.sharding.dims)
      axes.push_back(dim.axes);
    Value part =
        local.localSlice(builder, op->getLoc(), result, layout.mesh, axes);
    result.replaceUsesWithIf(part, [&](OpOperand &use) {
      return use.getOwner() != part.getDefiningOp();
    });
    local.inherit(part, result);
    local.forget(result);
  }
  return success();
}

/// The device that holds the shard of the mirrored position reverses it.
LogicalResult ShardyForm::visitReverse(stablehlo::ReverseOp op) {
  Value input = op.getOperand();
  Layout from = local.layoutOf(input), to = local.layoutOf(op.getResult());
  for (int64_t d : op.getDimensions()) {
    AxisRefs in = local.axesOf(input, d), out = local.axesOf(op.getResult(), d);
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
  return local.setLocalResultTypes(op);
}

/// Handles shards that start at different offsets between the rows: each device
/// pads its own rows as far as any device needs it, and slices its part of the
/// result out, if its rows are all that this part needs.
LogicalResult ShardyForm::visitPad(stablehlo::PadOp op) {
  Value operand = op.getOperand(), result = op.getResult();
  SmallVector<int64_t> low(op.getEdgePaddingLow()),
      high(op.getEdgePaddingHigh());
  SmallVector<int64_t> shape = local.localShape(result);
  int32_t mesh = local.layoutOf(result).mesh;
  // Start of this device's part in dimension `dim`: scale * its shard index +
  // offset.
  struct Cut {
    int64_t dim, scale, offset;
  };
  SmallVector<Cut, 2> cuts;
  SmallVector<OpWindow, 2> others;
  for (const OpWindow &window : local.getWindowsOf(op)) {
    int64_t d = window.resultDim;
    AxisRefs axes = local.axesOf(result, d);
    int64_t shards = totalSize(axes), size = local.fullSize(operand, d);
    if (shards == 1 || AxisList(local.axesOf(operand, d)) != AxisList(axes) ||
        size == 0 || window.map.ofShards(shards)) {
      others.push_back(window);
      continue;
    }
    int64_t in = dimsOf(operand.getType())[d], out = shape[d];
    int64_t step = op.getInteriorPadding()[d] + 1, extent = (in - 1) * step + 1;
    for (int64_t t = 0; t < shards; ++t) {
      // The first and the last operand row inside of the part.
      int64_t first =
          std::max<int64_t>(llvm::divideCeilSigned(t * out - low[d], step), 0);
      int64_t last = std::min(
          llvm::divideFloorSigned((t + 1) * out - 1 - low[d], step), size - 1);
      if (first <= last && (first / in != t || last / in != t))
        return refuseExchange(op, d);
    }
    // The shard's first row is at `low + t * scale` in the part.
    int64_t scale = in * step - out, before = low[d];
    int64_t most = before + std::max<int64_t>(scale * (shards - 1), 0);
    int64_t least = before + std::min<int64_t>(scale * (shards - 1), 0);
    cuts.push_back({d, -scale, most - before});
    low[d] = most;
    high[d] = out - least - extent;
    shape[d] = low[d] + extent + high[d];
  }
  if (cuts.empty())
    return local.localizePad(op);

  op.setEdgePaddingLow(low);
  op.setEdgePaddingHigh(high);
  local.setWindowsOf(op, others);
  if (failed(local.localizePad(op)))
    return failure();
  auto localType = typeOf(result);
  result.setType(localType.clone(ArrayRef<int64_t>(shape)));
  OpBuilder builder(op.getContext());
  builder.setInsertionPointAfter(op);
  SmallVector<Value> starts(shape.size(), indices.constant(0));
  for (const Cut &cut : cuts) {
    Value start =
        indices.offset(mesh, local.axesOf(result, cut.dim), cut.scale);
    if (cut.offset != 0)
      start = stablehlo::AddOp::create(builder, op.getLoc(), start,
                                       indices.constant(cut.offset));
    starts[cut.dim] = start;
  }
  auto part = stablehlo::DynamicSliceOp::create(
      builder, op.getLoc(), localType, result, starts, localType.getShape());
  result.replaceAllUsesExcept(part, part);
  local.inherit(part, result);
  return success();
}

/// Fails unless windows tile each sharded dimension.
LogicalResult
ShardyForm::visitSelectAndScatter(stablehlo::SelectAndScatterOp op) {
  Value operand = op.getOperand(), source = op.getSource();
  for (int64_t d = 0; d < typeOf(operand).getRank(); ++d) {
    int64_t shards = totalSize(local.axesOf(operand, d));
    if (shards == 1 && local.axesOf(source, d).empty())
      continue;
    int64_t window =
        op.getWindowDimensions() ? (*op.getWindowDimensions())[d] : 1;
    int64_t stride = op.getWindowStrides() ? (*op.getWindowStrides())[d] : 1;
    bool isPadded =
        op.getPadding() && (op.getPadding()->getValues<int64_t>()[2 * d] != 0 ||
                            op.getPadding()->getValues<int64_t>()[2 * d + 1]);
    if (isPadded || window > stride ||
        AxisList(local.axesOf(operand, d)) !=
            AxisList(local.axesOf(source, d)) ||
        local.fullSize(operand, d) != stride * local.fullSize(source, d))
      return refuseExchange(op, d);
  }
  return local.setLocalResultTypes(op);
}

LogicalResult ShardyForm::visitDimensionSize(stablehlo::GetDimensionSizeOp op) {
  OpBuilder builder(op);
  auto type = typeOf(op.getResult());
  int64_t size = local.fullSize(op.getOperand(), op.getDimension());
  return local.replace(
      op, stablehlo::ConstantOp::create(
              builder, op.getLoc(), type,
              DenseElementsAttr::get(
                  type, builder.getI32IntegerAttr(size).getValue())));
}

/// Fails for slices of part of a sharded dimension.
std::optional<LogicalResult> ShardyForm::visitSlice(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  for (int64_t d = 0; d < typeOf(operand).getRank(); ++d)
    if (AxisList(local.axesOf(operand, d)) !=
            AxisList(local.axesOf(result, d)) ||
        (isa<stablehlo::DynamicSliceOp>(op) &&
         !local.axesOf(operand, d).empty() &&
         local.fullSize(operand, d) != dimsOf(result.getType())[d]))
      return refuseExchange(op, d);
  return std::nullopt;
}

/// The owners of the rows write a replicated update; a sharded update would
/// have to move.
std::optional<LogicalResult>
ShardyForm::visitUpdate(stablehlo::DynamicUpdateSliceOp op) {
  Value operand = op.getOperand(), rows = op.getUpdate();
  for (int64_t d = 0; d < typeOf(operand).getRank(); ++d)
    if (!local.axesOf(rows, d).empty() &&
        (AxisList(local.axesOf(rows, d)) !=
             AxisList(local.axesOf(operand, d)) ||
         local.fullSize(rows, d) != local.fullSize(operand, d)))
      return refuseExchange(op, d);
  return std::nullopt;
}

std::optional<LogicalResult>
ShardyForm::visitConcatenate(stablehlo::ConcatenateOp op) {
  Value result = op.getResult();
  for (int64_t d = 0; d < typeOf(result).getRank(); ++d)
    for (Value input : op.getInputs())
      if (AxisList(local.axesOf(input, d)) != AxisList(local.axesOf(result, d)))
        return op.emitOpError("dimension ")
               << d << " is not sharded alike in all operands and the "
               << "result.";
  if (!local.axesOf(result, op.getDimension()).empty())
    return refuseExchange(op, op.getDimension());
  return std::nullopt;
}

std::optional<LogicalResult> ShardyForm::visitScatter(stablehlo::ScatterOp op,
                                                      AxisRefs partial) {
  if (partial.empty())
    return std::nullopt;
  std::optional<ReducerKind> kind = getCombiner(op);
  if (!kind || !llvm::all_of(op.getInputs().getTypes(), [&](Type type) {
        return bool(identityElement(*kind, getElementTypeOrSelf(type)));
      }))
    return visitPartialScatter(op);
  for (Value result : op->getResults())
    partialKind[result] = *kind;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops of sdy
//===----------------------------------------------------------------------===//

LogicalResult ShardyForm::visitReshard(sdy::ReshardOp op) {
  if (local.layoutOf(op.getInput())
          .isEquivalent(local.layoutOf(op.getResult())))
    return local.replace(op, op.getInput());
  if (!local.layoutOf(op.getInput()).isReplicated())
    return op->emitError("failed to legalize operation '")
           << op->getName() << "' that was explicitly marked illegal";
  // From the replicated layout to a mesh with other axes.
  const InternedLayout &to = local.layoutOf(op.getResult());
  OpBuilder builder(op);
  SmallVector<AxisList, 4> lists;
  for (const DimSharding &dim : to.sharding.dims)
    lists.push_back(dim.axes);
  return local.replace(op, local.localSlice(builder, op->getLoc(),
                                            op.getInput(), to.mesh, lists));
}

LogicalResult ShardyForm::visitCompleted(sdy::CollectiveOpInterface op) {
  auto scatter = dyn_cast<sdy::ReduceScatterOp>(op.getOperation());
  if (!scatter)
    return local.replace(op, op.getTensor());
  OpBuilder builder(op);
  int32_t mesh = meshes.idOf(op.getOutSharding().getMeshOrRef());
  SmallVector<AxisList, 4> lists;
  for (sdy::AxisRefListAttr list : scatter.getReduceScatterAxes().getValue())
    lists.push_back(meshes.toAxes(mesh, list.getValue()));
  return local.replace(
      op, local.localSlice(builder, op->getLoc(), op.getTensor(), mesh, lists));
}

std::optional<LogicalResult> ShardyForm::visitSdy(Operation *op) {
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op))
    return visitReshard(reshard);
  if (isa<sdy::PropagationBarrierOp>(op))
    return local.replace(op, op->getOperand(0));
  if (isa<sdy::ShardingGroupOp>(op)) {
    op->erase();
    return success();
  }
  if (isa<sdy::ShardingConstraintOp, sdy::DataFlowEdgeOp,
          sdy::FuncDataFlowEdgeOp>(op))
    return op->emitError("failed to legalize operation '")
           << op->getName() << "' that was explicitly marked illegal";
  if (auto collective = dyn_cast<sdy::CollectiveOpInterface>(op);
      collective && isa<sdy::AllReduceOp, sdy::ReduceScatterOp>(op) &&
      reducedValues.contains(collective.getTensor()))
    return visitCompleted(collective);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

std::optional<LogicalResult> ShardyForm::visit(Operation *op) {
  if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) &&
      !isa<sdy::NamedComputationOp>(op))
    return visitSdy(op);

  AxisList partial = partialOf.lookup(op);
  auto isSharded = [&](Value v) { return local.isSharded(v); };
  if (partial.empty() && llvm::none_of(op->getOperands(), isSharded) &&
      llvm::none_of(op->getResults(), isSharded) &&
      !isa<func::CallOp, sdy::NamedComputationOp>(op))
    return std::nullopt;
  if (takesShapeAsOperand(op))
    return op->emitOpError("takes its shape from an operand, which holds the "
                           "global shape; reshard its operands and results "
                           "to replicated first");
  if (!partial.empty() && failed(checkCompleted(op, partial)))
    return failure();
  return visitByName(op, partial);
}

std::optional<LogicalResult> ShardyForm::visitByName(Operation *op,
                                                     AxisRefs partial) {
  return llvm::TypeSwitch<Operation *, Visited>(op)
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
        return visitDimensionSize(size);
      })
      .Case<stablehlo::SliceOp, stablehlo::DynamicSliceOp>(
          [&](Operation *slice) { return visitSlice(slice); })
      .Case([&](stablehlo::DynamicUpdateSliceOp update) {
        return visitUpdate(update);
      })
      .Case([&](stablehlo::ConcatenateOp concat) {
        return visitConcatenate(concat);
      })
      .Case([&](stablehlo::ReduceOp reduce) -> Visited {
        if (partial.empty())
          return std::nullopt;
        return visitPartialReduce(reduce, partial);
      })
      .Case([&](stablehlo::ScatterOp scatter) {
        return visitScatter(scatter, partial);
      })
      .Default([&](Operation *other) -> Visited {
        if (readsWhole.contains(other))
          return other->emitOpError(
              "requires device communication along a dimension of which each "
              "device reads all elements; run sdy-resolve-permutation-factors "
              "first");
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

Attribute ShardyForm::groups(int32_t mesh, AxisRefs axes) {
  if (!options.meshAxesGroups)
    return nullptr;
  Attribute ref =
      meshes.toAttr({mesh, TensorSharding::closed(0)}).getMeshOrRef();
  if (auto inlined = dyn_cast<sdy::MeshAttr>(ref))
    ref = toStablehloMesh(inlined);
  MLIRContext *context = local.getFunc().getContext();
  SmallVector<stablehlo::AxisRefAttr> refs;
  const Mesh &m = meshes.mesh(mesh);
  for (AxisRef axis : axes) {
    stablehlo::SubAxisInfoAttr subAxis;
    if (axis.size != m.axisSize(axis.axis))
      subAxis =
          stablehlo::SubAxisInfoAttr::get(context, axis.preSize, axis.size);
    refs.push_back(stablehlo::AxisRefAttr::get(
        context, m.axes()[axis.axis].name, subAxis));
  }
  return stablehlo::ReplicaGroupMeshAxesAttr::get(context, ref, refs);
}

Value ShardyForm::gather(OpBuilder &builder, sdy::AllGatherOp op, int32_t mesh,
                         ArrayRef<AxisList> axes) {
  if (!options.perDimAllGather)
    return nullptr;
  Value value = op.getTensor();
  for (int64_t d = int64_t(axes.size()) - 1; d >= 0; --d)
    if (!axes[d].empty())
      value = local.gathered(builder, op.getLoc(), value, d, mesh, axes[d]);
  return value;
}

/// Shardy's form: an all_reduce, of which each device slices its shard.
Value ShardyForm::scatter(sdy::ReduceScatterOp op) {
  if (options.combineReduceScatter)
    return nullptr;
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
      ValueRange(op.getTensor()), local.deviceGroupsOf(mesh, all),
      local.nextHandle(),
      /*use_global_device_ids=*/true);
  buildReducerBody(reduce.getComputation(), loc, *reducerOf(op),
                   typeOf(op.getTensor()).getElementType());
  return local.localSlice(builder, loc, reduce->getResult(0), mesh, lists);
}

} // namespace shardwright
