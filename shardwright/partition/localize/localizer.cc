//===- localizer.cc - make a function local -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/localizer.h"
#include "shardwright/dialect/sdy/device_groups.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/layout/sharding_reader.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/prepare/pad_borders.h"
#include "shardwright/partition/support/tensor_types.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

const InternedLayout &Localizer::layoutOf(Value value) const {
  auto it = placed.find(value);
  if (it != placed.end())
    return *it->second.layout;
  return *meshes.replicated(dimsOf(value.getType()).size());
}

AxisRefs Localizer::axesOf(Value value, int64_t dim) const {
  auto it = placed.find(value);
  if (it == placed.end())
    return {};
  return it->second.layout->sharding.dims[dim].axes;
}

int64_t Localizer::fullSize(Value value, int64_t dim) const {
  auto it = placed.find(value);
  return dimsOf(it == placed.end() ? value.getType() : it->second.type)[dim];
}

Type Localizer::localType(Type type, const Layout &layout) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || layout.mesh < 0)
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [n, dim] : llvm::zip(shape, layout.sharding.dims))
    n = shardSize(n, dim.shards());
  return tensor.clone(ArrayRef<int64_t>(shape));
}

Type Localizer::localType(Type type, const InternedLayout &layout) {
  if (layout.mesh < 0)
    return type;
  Type &local = localTypes[{type, &layout}];
  if (!local)
    local = localType(type, static_cast<const Layout &>(layout));
  return local;
}

LogicalResult Localizer::replace(Operation *op, Value value) {
  inherit(value, op->getResult(0));
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

void Localizer::inherit(Value value, Value from) {
  auto it = placed.find(from);
  if (it == placed.end())
    placed.erase(value);
  else
    placed[value] = Placed(it->second);
}

stablehlo::ChannelHandleAttr Localizer::nextHandle() {
  return stablehlo::ChannelHandleAttr::get(func.getContext(), nextChannel++, 1);
}

Attribute Localizer::partitionGroups(int32_t mesh, AxisRefs axes) {
  if (Attribute groups = form->groups(mesh, axes))
    return groups;
  return sdy::deviceGroupsAttr(func.getContext(), meshes.mesh(mesh), axes);
}

Attribute Localizer::deviceGroupsOf(int32_t mesh, AxisRefs axes) {
  for (const auto &[itsMesh, itsAxes, groups] : groupsOf)
    if (itsMesh == mesh && AxisRefs(itsAxes) == axes)
      return groups;
  Attribute made = makeDeviceGroups(mesh, axes);
  groupsOf.emplace_back(mesh, AxisList(axes), made);
  return made;
}

Attribute Localizer::makeDeviceGroups(int32_t mesh, AxisRefs axes) {
  if (Attribute groups = form->groups(mesh, axes))
    return groups;
  return sdy::deviceGroupsAttr(func.getContext(), meshes.mesh(mesh), axes,
                               replicas);
}

Value Localizer::broadcastScalar(OpBuilder &builder, Location loc, Value scalar,
                                 RankedTensorType type) {
  if (getElementTypeOrSelf(scalar) != type.getElementType())
    scalar = stablehlo::ConvertOp::create(
        builder, loc, RankedTensorType::get({}, type.getElementType()), scalar);
  if (type.getRank() == 0)
    return scalar;
  return stablehlo::BroadcastInDimOp::create(builder, loc, type, scalar,
                                             ArrayRef<int64_t>());
}

Value Localizer::zeros(OpBuilder &builder, Location loc,
                       RankedTensorType type) {
  return buildZero(builder, loc, type);
}

Value Localizer::neutral(OpBuilder &builder, Location loc,
                         RankedTensorType type, ReducerKind kind) {
  if (kind == ReducerKind::Add)
    return buildZero(builder, loc, type, /*negative=*/true);
  return stablehlo::ConstantOp::create(
      builder, loc,
      splatOf(type, identityElement(kind, type.getElementType())));
}

bool Localizer::place(Value value, LayoutRef layout) {
  // From here on, partial sums are ordinary local values.
  if (!layout->sharding.unreduced.empty()) {
    Layout local = *layout;
    local.sharding.unreduced.clear();
    layout = meshes.intern(local);
  }
  if (layout->isReplicated())
    return false;
  placed[value] = {layout, value.getType()};
  return true;
}

void Localizer::setLayout(Value value, const Layout &layout) {
  if (auto it = placed.find(value); it != placed.end())
    it->second.layout = meshes.intern(layout);
}

ArrayRef<OpWindow> Localizer::getWindowsOf(Operation *op) const {
  auto it = windowsOf.find(op);
  return it == windowsOf.end() ? ArrayRef<OpWindow>()
                               : ArrayRef<OpWindow>(it->second);
}

void Localizer::inheritPart(Value value, Value from) {
  inherit(value, from);
  form->inherit(value, from);
}

void Localizer::collectLayouts(llvm::function_ref<void(Operation *)> visit) {
  auto noteEven = [&](Value value, sdy::TensorShardingAttr sharding) {
    place(value, meshes.intern(meshes.toEvenLayout(sharding, value.getType())));
  };
  for (BlockArgument arg : func.getArguments())
    noteEven(arg, sdy::getSharding(arg));
  hasLayouts = true;
  ShardingReader shardings;
  OpNameMap<bool> mayHaveWindows;
  auto read = [&](Operation *op) {
    visit(op);
    bool isSharded = false;
    for (OpResult result : op->getResults())
      if (sdy::TensorShardingAttr sharding = shardings.of(result))
        isSharded |=
            place(result, &meshes.toLayout(sharding, result.getType()));
    // A convolution may have windows even if only its kernel is sharded.
    if (mayHaveWindows.get(op->getName(), [&] { return hasWindows(op); }) &&
        (isSharded || isa<stablehlo::ConvolutionOp>(op))) {
      SmallVector<OpWindow, 2> windows = getWindows(op);
      // Windows along dimensions that are not sharded move no rows.
      llvm::erase_if(windows, [&](const OpWindow &window) {
        return window.kernelDim < 0 &&
               axesOf(op->getResult(0), window.resultDim).empty();
      });
      if (!windows.empty())
        setWindowsOf(op, windows);
    }
    form->read(op);
    if (op->getNumRegions() == 0)
      return;
    if (isa<stablehlo::WhileOp>(op)) {
      for (Region &region : op->getRegions())
        for (auto [arg, result] :
             llvm::zip(region.getArguments(), op->getResults()))
          inherit(arg, result);
    } else if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      for (BlockArgument arg : manual.getBody().getArguments())
        noteEven(arg,
                 manual.getInShardingWithoutManualAxes(arg.getArgNumber()));
    }
  };
  func->walk<WalkOrder::PreOrder>(read);
}

FailureOr<Localizer::Left> Localizer::run() {
  if (func.isDeclaration())
    return Left();
  if (!func.getBody().hasOneBlock())
    return func.emitError(
        "function has several blocks; only structured control "
        "flow can be partitioned");
  if (!hasLayouts)
    collectLayouts([](Operation *) {});
  Block &body = func.getBody().front();
  for (BlockArgument arg : func.getArguments())
    arg.setType(localType(arg.getType(), layoutOf(arg)));
  if (failed(visitBlock(body)))
    return failure();

  Operation *terminator = body.getTerminator();
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    Layout layout =
        meshes.toEvenLayout(sdy::getFuncResultSharding(func, i), type);
    if (terminator->getOperand(i).getType() != localType(type, layout))
      return terminator->emitError("returns value ")
             << i << " as " << terminator->getOperand(i).getType()
             << " where the sharding of the result gives "
             << localType(type, layout) << "; run " << form->passBeforeReturns()
             << " first";
  }
  func.setType(FunctionType::get(func.getContext(), body.getArgumentTypes(),
                                 terminator->getOperandTypes()));
  if (form->keepsShardings())
    return Left();
  // Set all attributes at once, because each single change copies the list.
  auto unsharded = [&](DictionaryAttr attributes) {
    NamedAttrList list;
    if (attributes)
      list.append(attributes.getValue());
    list.erase(sdy::kShardingAttr);
    list.erase(kUnpaddedShapeAttrName);
    return list;
  };
  SmallVector<DictionaryAttr> arguments, results;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    NamedAttrList list = unsharded(func.getArgAttrDict(i));
    // A result of another local shape cannot reuse the argument's buffer.
    if (auto alias =
            dyn_cast_or_null<IntegerAttr>(list.get("tf.aliasing_output"))) {
      int64_t result = alias.getInt();
      if (result < 0 || result >= int64_t(func.getNumResults()) ||
          func.getResultTypes()[result] != func.getArgument(i).getType()) {
        list.erase("tf.aliasing_output");
        list.set("jax.buffer_donor", BoolAttr::get(func.getContext(), true));
      }
    }
    arguments.push_back(list.getDictionary(func.getContext()));
  }
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    results.push_back(
        unsharded(func.getResultAttrDict(i)).getDictionary(func.getContext()));
  func.setAllArgAttrs(arguments);
  func.setAllResultAttrs(results);
  func->removeAttr(sdy::kOriginalFuncNameAttr);
  func->removeAttr(sdy::kFuncManualAxesAttr);

  if (finishOne(func).wasInterrupted())
    return failure();
  for (Operation *permute : replacedPermutes) {
    takenPermutes.erase(permute);
    permute->erase();
  }
  if (!takenPermutes.empty())
    return refuse(*takenPermutes.begin());
  return std::move(left);
}

LogicalResult Localizer::visitBlock(Block &block) {
  if (form->keepsShardings()) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (failed(visit(&op)))
        return failure();
    return success();
  }
  // A visit erases only the visited op, and inserts ops right beside it or at
  // the start of the function.
  Operation *terminator = block.getTerminator(), *before = nullptr;
  for (Operation *op = &block.front(); op != terminator;) {
    Operation *next = op->getNextNode();
    finished = {};
    if (failed(visit(op)) ||
        failed(
            finish(before ? std::next(Block::iterator(before)) : block.begin(),
                   Block::iterator(next))))
      return failure();
    before = next->getPrevNode();
    op = next;
  }
  finished = {};
  // The terminator of a manual computation is erased with the op.
  if (!isa<sdy::ReturnOp>(terminator) &&
      failed(finish(Block::iterator(terminator), block.end())))
    return failure();
  return success();
}

LogicalResult Localizer::setLocalResultTypes(Operation *op) {
  for (Value result : op->getResults())
    result.setType(localType(result.getType(), layoutOf(result)));
  return success();
}

LogicalResult Localizer::visit(Operation *op) {
  if (std::optional<LogicalResult> done = form->visit(op))
    return *done;
  if (DictionaryAttr attributes = op->getRawDictionaryAttrs();
      !attributes.empty())
    if (IntegerAttr device = known(attributes).device)
      return localizeOnDevice(op, device.getInt());
  if (localByType.contains(op->getName()))
    return setLocalResultTypes(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<sdy::AllGatherOp, sdy::AllSliceOp, sdy::AllToAllOp,
            sdy::CollectivePermuteOp, sdy::AllReduceOp, sdy::ReduceScatterOp,
            sdy::ReplicatedToUnreducedOp, sdy::ShardedToUnreducedOp>(
          [&](auto collective) { return localizeCollective(collective); })
      .Case([&](sdy::ReshardOp reshard) -> LogicalResult {
        if (reshard->hasAttr(kExchangeAttrName))
          return localizeExchange(reshard);
        // A reshard of a replicated value from one mesh to another.
        if (!layoutOf(reshard.getInput())
                 .isEquivalent(layoutOf(reshard.getResult())))
          return reshard.emitOpError(
              "changes the layout; run sw-insert-collectives first");
        return replace(op, reshard.getInput());
      })
      .Case<stablehlo::ConstantOp, sdy::ConstantOp>([&](auto constant) {
        return localizeConstant(constant, constant.getValue());
      })
      .Case([&](stablehlo::IotaOp iota) { return localizeIota(iota); })
      .Case([&](stablehlo::SliceOp slice) { return localizeSlice(slice); })
      .Case([&](stablehlo::PadOp pad) { return localizePad(pad); })
      .Case([&](stablehlo::ReverseOp op) { return localizeReverse(op); })
      .Case(
          [&](stablehlo::ConcatenateOp op) { return localizeConcatenate(op); })
      .Case([&](stablehlo::ReduceWindowOp op) {
        return localizeReduceWindow(op);
      })
      .Case([&](stablehlo::DynamicSliceOp slice) {
        return localizeDynamicSlice(slice);
      })
      .Case([&](stablehlo::DynamicUpdateSliceOp update) {
        return localizeDynamicUpdateSlice(update);
      })
      .Case([&](stablehlo::ConvolutionOp conv) {
        return localizeConvolution(conv);
      })
      .Case([&](stablehlo::SelectAndScatterOp op) {
        return localizeSelectAndScatter(op);
      })
      .Case([&](stablehlo::ReduceOp reduce) { return localizeReduce(reduce); })
      .Case([&](stablehlo::DotGeneralOp dot) {
        auto dims = dot.getDotDimensionNumbers();
        return localizeDot(dot, dims.getLhsContractingDimensions(),
                           dims.getRhsContractingDimensions());
      })
      .Case([&](stablehlo::DotOp dot) {
        int64_t last = int64_t(dimsOf(dot.getLhs().getType()).size()) - 1;
        return localizeDot(dot, last, int64_t(0));
      })
      .Case([&](stablehlo::GatherOp gather) { return localizeGather(gather); })
      .Case([&](stablehlo::ScatterOp scatter) {
        return localizeScatter(scatter);
      })
      .Case([&](stablehlo::CustomCallOp call) {
        return localizeCustomCall(call);
      })
      .Case([&](stablehlo::WhileOp loop) { return visitWhile(loop); })
      .Case<stablehlo::CaseOp, stablehlo::IfOp>(
          [&](Operation *branch) { return visitBranches(branch); })
      .Case(
          [&](sdy::ManualComputationOp manual) { return visitManual(manual); })
      .Default([&](Operation *) {
        localByType.insert(op->getName());
        return setLocalResultTypes(op);
      });
}

LogicalResult Localizer::visitWhile(stablehlo::WhileOp op) {
  for (Region &region : op->getRegions()) {
    for (BlockArgument arg : region.getArguments())
      arg.setType(localType(arg.getType(), layoutOf(arg)));
    if (failed(visitBlock(region.front())))
      return failure();
  }
  finished = {op, false};
  return setLocalResultTypes(op);
}

LogicalResult Localizer::visitBranches(Operation *op) {
  for (Region &region : op->getRegions())
    if (failed(visitBlock(region.front())))
      return failure();
  finished = {op, false};
  return setLocalResultTypes(op);
}

/// The body's values are sharded along the manual axes already, so the body is
/// inlined into the surrounding block.
LogicalResult Localizer::visitManual(sdy::ManualComputationOp op) {
  Block &body = op.getBody().front();
  for (BlockArgument arg : body.getArguments())
    arg.setType(localType(arg.getType(), layoutOf(arg)));
  if (failed(visitBlock(body)))
    return failure();
  for (auto [arg, operand] : llvm::zip(body.getArguments(), op.getOperands())) {
    if (arg.getType() != operand.getType())
      return op->emitOpError("has operand ")
             << arg.getArgNumber() << " of local type " << operand.getType()
             << " where its body expects " << arg.getType()
             << "; run sw-insert-collectives first";
    arg.replaceAllUsesWith(operand);
  }
  Operation *terminator = body.getTerminator();
  SmallVector<Value> returned(terminator->getOperands());
  Operation *parent = op;
  OpBuilder builder(op);
  llvm::DenseSet<Value> taken;
  llvm::DenseSet<Operation *> inner;
  for (Operation &o : llvm::make_early_inc_range(body.without_terminator())) {
    inner.insert(&o);
    o.moveBefore(parent);
  }
  for (auto [result, value] : llvm::zip(op->getResults(), returned)) {
    // Outside, the value has the layout of the result. A value that already has
    // another layout outside needs a copy.
    bool own = inner.contains(value.getDefiningOp());
    if ((!own || !taken.insert(value).second) &&
        isa<RankedTensorType>(value.getType()))
      value = stablehlo::ReshapeOp::create(builder, op.getLoc(),
                                           value.getType(), value);
    inherit(value, result);
    result.replaceAllUsesWith(value);
  }
  op->erase();
  finished = {nullptr, true};
  return success();
}

} // namespace shardwright
