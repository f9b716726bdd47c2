//===- insert_explicit_reshards.cc - make shardings of each op compatible -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/find_unreduced.h"
#include "shardwright/partition/shardy/common_factor_axes.h"
#include "shardwright/partition/shardy/data_flow_edges.h"
#include "shardwright/partition/shardy/dot_result.h"
#include "shardwright/partition/shardy/make_agree.h"
#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/single_device.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/rule_interface.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_INSERTEXPLICITRESHARDS
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

/// Looks through propagation barriers, which do not change the value.
TensorShardingAttr effectiveSharding(Value value) {
  while (auto barrier = value.getDefiningOp<sdy::PropagationBarrierOp>())
    value = barrier.getInput();
  return sdy::getSharding(value);
}

int64_t numElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() ? shaped.getNumElements() : 0;
}

/// True if some axis, or a part of it, shards the result and both operands of
/// the dot: otherwise computeDotAsOperands() does nothing, because it needs
/// contracted axes that the result has too.
bool shareAnAxis(Operation *dot) {
  TensorShardingAttr result = sdy::getSharding(dot->getResult(0)),
                     lhs = effectiveSharding(dot->getOperand(0)),
                     rhs = effectiveSharding(dot->getOperand(1));
  auto has = [](TensorShardingAttr sharding, StringRef name) {
    return sharding &&
           llvm::any_of(
               sharding.getDimShardings(), [&](sdy::DimensionShardingAttr dim) {
                 return llvm::any_of(dim.getAxes(), [&](sdy::AxisRefAttr axis) {
                   return axis.getName() == name;
                 });
               });
  };
  if (!result)
    return false;
  for (sdy::DimensionShardingAttr dim : result.getDimShardings())
    for (sdy::AxisRefAttr axis : dim.getAxes())
      if (has(lhs, axis.getName()) && has(rhs, axis.getName()))
        return true;
  return false;
}

/// True if the minimal version handles single devices too (since jaxlib 0.11)
/// and the program may have some.
bool resolvesDevices(ModuleOp module, bool hasInlinedMeshes,
                     bool insertReductions, ShardyVersion shardy) {
  return insertReductions && shardy >= ShardyVersion::Jaxlib0_12_0 &&
         (hasInlinedMeshes || hasSingleDeviceMesh(module));
}

class Inserter {
public:
  /// `calls` null: look callees up in the module, one by one.
  Inserter(func::FuncOp func, bool full, ModuleOp module,
           const CallsByFunction *calls, bool insertReductions,
           bool markPartial, bool handlesDevices, ShardyVersion shardy)
      : func(func), full(full), module(module), calls(calls),
        insertReductions(insertReductions), markPartial(markPartial),
        handlesDevices(handlesDevices), shardy(shardy) {}

  /// The ops that this pass must visit in functions without unreduced axes,
  /// which are the most.
  static constexpr auto matters =
      isNamed<func::CallOp, stablehlo::ConcatenateOp, stablehlo::DotOp,
              stablehlo::DotGeneralOp>;

  LogicalResult runOn(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if (failed(visit(op)))
        return failure();
    return success();
  }

  LogicalResult run(const OpIndex &index) {
    if (handlesDevices && failed(refuseSingleDeviceBorders()))
      return failure();
    bool all = full || handlesDevices || hasUnreducedAxes(func);
    OpIndex::Ops ops;
    if (all)
      func.getBody().walk([&](Operation *op) {
        if (!op->hasTrait<OpTrait::IsTerminator>())
          ops.push_back(op);
      });
    else
      ops = index.inFunction(func, matters);
    for (Operation *op : ops)
      if (failed(visit(op)))
        return failure();
    if (func.isExternal() || !all)
      return success();
    for (Block &block : func.getBody()) {
      auto ret = dyn_cast<func::ReturnOp>(block.getTerminator());
      if (!ret)
        continue;
      OpBuilder builder(ret);
      for (OpOperand &use : ret->getOpOperands())
        if (failed(reshardUse(
                builder, use,
                sdy::getFuncResultSharding(func, use.getOperandNumber()),
                full)))
          return failure();
    }
    return success();
  }

private:
  LogicalResult refuseSingleDeviceBorders();
  LogicalResult visit(Operation *op);
  LogicalResult visitDataFlow(sdy::ShardableDataFlowOpInterface op);
  LogicalResult visitCall(func::CallOp call);
  LogicalResult visitReshard(sdy::ReshardOp op);
  LogicalResult reduceOperands(Operation *op);
  LogicalResult reshardUse(OpBuilder &builder, OpOperand &use,
                           TensorShardingAttr target, bool full);
  LogicalResult visitRule(Operation *op, const FactorLayout &layout);
  bool isFullFor(Operation *op) const;

  func::FuncOp calleeOf(func::CallOp call) const {
    if (!calls)
      return ModuleOp(module).lookupSymbol<func::FuncOp>(call.getCallee());
    return calls->calleeOf(call);
  }

  func::FuncOp func;
  bool full;
  ModuleOp module;
  const CallsByFunction *calls;
  /// If false, values may change their unreduced axes without a reduction.
  bool insertReductions;
  /// Results that an all_reduce completes state their axes as unreduced.
  bool markPartial;
  /// Ops with a result on a single device get reshards to it and back.
  bool handlesDevices;
  ShardyVersion shardy;
};

/// Fails if an argument or result of the function is on a single device.
LogicalResult Inserter::refuseSingleDeviceBorders() {
  auto refuse = [&](StringRef what, unsigned i, TensorShardingAttr s) {
    return isOnSingleDevice(module, s)
               ? func.emitError("function ")
                     << what << " " << i
                     << " cannot have a single-device (maximal) sharding "
                        "attribute"
               : success();
  };
  for (BlockArgument arg : func.getArguments())
    if (failed(refuse("argument", arg.getArgNumber(), sdy::getSharding(arg))))
      return failure();
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    if (failed(refuse("result", i, sdy::getFuncResultSharding(func, i))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Uses that must match a given sharding
//===----------------------------------------------------------------------===//

LogicalResult Inserter::reshardUse(OpBuilder &builder, OpOperand &use,
                                   TensorShardingAttr target, bool full) {
  Operation *user = use.getOwner();
  Value value = use.get();
  if (insertReductions)
    value = reduceDroppedAxes(builder, value.getLoc(), value, target);
  if (insertReductions &&
      gainsUnreducedAxes(sdy::getSharding(value), target, user)) {
    FailureOr<Value> gained = gainUnreducedAxes(builder, user, value, target);
    if (failed(gained))
      return failure();
    value = *gained;
  }
  TensorShardingAttr source = sdy::getSharding(value);
  if (full && (source || target)) {
    bool equivalent = source && target ? source.isEquivalent(target)
                                       : isReplicated(source ? source : target);
    if (!equivalent) {
      if (!target)
        target = closedReplicated(value, source.getMeshOrRef());
      value = sdy::ReshardOp::create(builder, value.getLoc(), value.getType(),
                                     value, target);
    }
  }
  use.set(value);
  return success();
}

LogicalResult Inserter::visitDataFlow(sdy::ShardableDataFlowOpInterface op) {
  return forEachEdgeSource(op,
                           [&](OpOperand &source, TensorShardingAttr target) {
                             if (!isa<ShapedType>(source.get().getType()))
                               return success();
                             OpBuilder builder(op.getContext());
                             builder.setInsertionPointAfterValue(source.get());
                             return reshardUse(builder, source, target, full);
                           });
}

LogicalResult Inserter::visitCall(func::CallOp call) {
  func::FuncOp callee = calleeOf(call);
  if (!callee || callee.getNumArguments() != call->getNumOperands())
    return success();
  SmallVector<TensorShardingAttr> targets;
  Attribute mesh;
  auto consider = [&](TensorShardingAttr s) {
    if (!s || mesh)
      return;
    sdy::MeshAttr attr = sdy::getMeshAttr(module, s.getMeshOrRef());
    if (attr && !attr.isMaximal())
      mesh = s.getMeshOrRef();
  };
  for (unsigned i = 0, e = callee.getNumArguments(); i < e; ++i) {
    targets.push_back(
        callee.getArgAttrOfType<TensorShardingAttr>(i, sdy::kShardingAttr));
    consider(targets.back());
  }
  bool calleeHasMesh = bool(mesh);
  for (Value operand : call.getOperands())
    consider(sdy::getSharding(operand));
  if (!mesh)
    return success();
  OpBuilder builder(call);
  for (OpOperand &operand : call->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    builder.setInsertionPointAfterValue(operand.get());
    TensorShardingAttr target = targets[operand.getOperandNumber()];
    if (!calleeHasMesh)
      target = closedReplicated(operand.get(), mesh);
    else if (!target)
      target = sdy::TensorShardingPerValueAttr::getFullyOpen(
                   call.getContext(), operand.get().getType(), mesh)
                   .getSharding(0);
    if (target == sdy::getSharding(operand.get()))
      continue;
    if (failed(reshardUse(builder, operand, target, /*full=*/true)))
      return failure();
  }
  return success();
}

LogicalResult Inserter::visitReshard(sdy::ReshardOp op) {
  OpBuilder builder(op);
  FailureOr<Value> gained =
      gainUnreducedAxes(builder, op, op.getInput(), op.getShardingAttr());
  if (failed(gained))
    return failure();
  op.replaceAllUsesWith(*gained);
  op.erase();
  return success();
}

/// Reduces operands along the unreduced axes that the result does not have.
LogicalResult Inserter::reduceOperands(Operation *op) {
  bool anyUnreduced = llvm::any_of(op->getOperands(), [](Value operand) {
    TensorShardingAttr s = sdy::getSharding(operand);
    return s && !s.getUnreducedAxes().empty();
  });
  if (!anyUnreduced)
    return success();
  if (op->getNumResults() == 0)
    return op->emitError("uses a value with unreduced axes, but has no result "
                         "to say what becomes of them");
  TensorShardingAttr first = sdy::getSharding(op->getResult(0));
  auto unreduced = [](TensorShardingAttr s) {
    return s ? s.getUnreducedAxes() : ArrayRef<sdy::AxisRefAttr>();
  };
  for (Value result : op->getResults())
    if (unreduced(sdy::getSharding(result)) != unreduced(first))
      return op->emitError("uses a value with unreduced axes, but its results "
                           "have different unreduced axes");
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(reduceDroppedAxes(builder, op->getLoc(), operand.get(), first));
  return success();
}

//===----------------------------------------------------------------------===//
// Ops with a rule
//===----------------------------------------------------------------------===//

bool Inserter::isFullFor(Operation *op) const {
  if (full)
    return true;
  auto concat = dyn_cast<stablehlo::ConcatenateOp>(op);
  if (!concat)
    return false;
  TensorShardingAttr result = sdy::getSharding(concat.getResult());
  return llvm::any_of(concat->getOperands(), [&](Value operand) {
    return sdy::getSharding(operand) != result;
  });
}

LogicalResult Inserter::visitRule(Operation *op, const FactorLayout &layout) {
  SmallVector<TensorShardingAttr> shardings;
  for (Value operand : op->getOperands())
    shardings.push_back(effectiveSharding(operand));
  for (Value result : op->getResults())
    shardings.push_back(sdy::getSharding(result));
  Attribute meshOrRef = chooseMesh(module, shardings);
  if (!meshOrRef)
    return success();
  Mesh mesh = sdy::meshFromAttr(sdy::getMeshAttr(module, meshOrRef));

  OpFactors factors;
  factors.layout = &layout;
  factors.mesh = &mesh;
  factors.isReshape = isa<stablehlo::ReshapeOp>(op);
  for (auto [t, s] : llvm::enumerate(shardings)) {
    TensorSharding value;
    if (s)
      value = sdy::shardingFromAttr(s, mesh);
    if (!s || value.rank() != layout.tensors[t].rank())
      value = TensorSharding::closed(layout.tensors[t].rank());
    factors.tensors.emplace_back().assign(layout.tensors[t], layout.rule,
                                          &value);
    Value v = int64_t(t) < op->getNumOperands()
                  ? op->getOperand(t)
                  : op->getResult(t - op->getNumOperands());
    factors.elements.push_back(numElements(v.getType()));
  }

  if (isFullFor(op)) {
    makeAgree(op, factors, shardings, meshOrRef, markPartial);
    return success();
  }
  if (isa<stablehlo::DotOp, stablehlo::DotGeneralOp>(op))
    computeDotAsOperands(op, factors, meshOrRef);
  TensorShardingAttr first = sdy::getSharding(op->getResult(0));
  if (!insertReductions || !first || first.getUnreducedAxes().empty())
    return success();
  AxisList reduced;
  for (int64_t f = 0, e = layout.numFactors(); f < e; ++f) {
    if (layout.rule.factors[f].kind != FactorKind::Reduction)
      continue;
    const FactorSharding *agreed = nullptr;
    for (int64_t t = 0; t < layout.numOperands(); ++t) {
      const FactorSharding *s = factors.find(t, f);
      if (s && agreed && s->axes != agreed->axes)
        return op->emitError("has an unreduced result, but its operands "
                             "disagree on the axes of a reduced dimension");
      if (s)
        agreed = s;
    }
    if (agreed)
      reduced.append(agreed->axes);
  }
  allReduceResults(op, std::move(reduced), mesh, meshOrRef,
                   /*markPartial=*/false);
  return success();
}

static bool touchesPartialSums(Operation *op) {
  auto isPartial = [](Value value) {
    TensorShardingAttr sharding = sdy::getSharding(value);
    return sharding && !sharding.getUnreducedAxes().empty();
  };
  return llvm::any_of(op->getOperands(), isPartial) ||
         llvm::any_of(op->getResults(), isPartial);
}

LogicalResult Inserter::visit(Operation *op) {
  if (auto flow = dyn_cast<sdy::ShardableDataFlowOpInterface>(op);
      flow && !getPropagationTraits(op).lacksDataFlowIn(shardy))
    return visitDataFlow(flow);
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op))
    if (insertReductions &&
        gainsUnreducedAxes(sdy::getSharding(reshard.getInput()),
                           reshard.getShardingAttr(), op))
      return visitReshard(reshard);
  if (isa<sdy::CollectiveOpInterface>(op))
    return success();
  if (insertReductions && failed(reduceOperands(op)))
    return failure();
  if (handlesDevices && hasSingleDeviceResult(module, op))
    return reshardForSingleDevice(module, op);
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return success();
  if (!insertReductions && touchesPartialSums(op))
    return success();
  // Skip ops that do not need their rule.
  bool unreduced = false;
  if (TensorShardingAttr first = sdy::getSharding(op->getResult(0)))
    unreduced = insertReductions && !first.getUnreducedAxes().empty();
  if (!unreduced && !isFullFor(op) &&
      !(isa<stablehlo::DotOp, stablehlo::DotGeneralOp>(op) && shareAnAxis(op)))
    return success();
  std::optional<ShardingRule> rule = getShardingRule(op, kExecutionRules);
  if (!rule || rule->isCustom)
    return success();
  std::optional<FactorLayout> layout = FactorLayout::create(std::move(*rule));
  return layout ? visitRule(op, *layout) : success();
}

struct InsertExplicitReshardsPass
    : impl::InsertExplicitReshardsBase<InsertExplicitReshardsPass> {
  using InsertExplicitReshardsBase::InsertExplicitReshardsBase;

  void runOnOperation() override {
    OpIndex index(getOperation());
    auto module = getOperation()->getParentOfType<ModuleOp>();
    bool devices =
        enableFullVersion || resolvesDevices(module, /*hasInlinedMeshes=*/true,
                                             /*insertReductions=*/true, shardy);
    if (failed(Inserter(getOperation(), enableFullVersion, module,
                        /*calls=*/nullptr, /*insertReductions=*/true,
                        markPartialResults, devices, shardy)
                   .run(index)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult
insertExplicitReshards(ModuleOp module, const ModuleContents &contents,
                       const OpIndex &index, const CallsByFunction &calls,
                       bool full, bool insertReductions, ShardyVersion shardy) {
  bool devices = full || resolvesDevices(module, contents.inlinedMeshes,
                                         insertReductions, shardy);
  if (devices || (contents.unreduced && insertReductions)) {
    for (auto func : module.getOps<func::FuncOp>())
      if (failed(Inserter(func, full, module, &calls, /*insertReductions=*/true,
                          /*markPartial=*/false, devices, shardy)
                     .run(index)))
        return failure();
    return success();
  }
  OpIndex::Ops ops;
  for (auto [func, begin, end] : index.byFunction(Inserter::matters, ops))
    if (begin != end &&
        failed(Inserter(func, full, module, &calls, insertReductions,
                        /*markPartial=*/false, /*handlesDevices=*/false, shardy)
                   .runOn(ArrayRef(ops).slice(begin, end - begin))))
      return failure();
  return success();
}

} // namespace shardwright
