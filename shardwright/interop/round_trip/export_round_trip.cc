//===- export_round_trip.cc - sdy to frontend attributes ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/round_trip/round_trip.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/gspmd/gspmd_shardings.h"
#include "shardwright/interop/gspmd/mhlo_sharding_text.h"
#include "shardwright/interop/gspmd/outline_manual_body.h"
#include "shardwright/interop/round_trip/frontend_attributes.h"
#include "shardwright/propagate/passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

using sdy::TensorShardingAttr;

class RoundTripExporter {
public:
  explicit RoundTripExporter(ModuleOp module)
      : module(module),
        texts(module, /*deviceLists=*/false, /*isBesideSdy=*/true),
        symbols(module) {}

  LogicalResult run();

private:
  LogicalResult signature(func::FuncOp func);
  LogicalResult results(func::FuncOp func);
  LogicalResult block(Block &block);
  LogicalResult visit(Operation &op);
  LogicalResult opSharding(Operation &op);
  void manualComputation(sdy::ManualComputationOp op);
  stablehlo::CustomCallOp call(OpBuilder &builder, Location where,
                               StringRef target, ValueRange operands,
                               TypeRange types, bool hasSideEffect);
  sdy::TensorShardingPerValueAttr perValue(TensorShardingAttr sharding) {
    return sdy::TensorShardingPerValueAttr::get(module.getContext(), sharding);
  }

  ModuleOp module;
  MhloShardingText texts;
  SymbolTable symbols;
};

stablehlo::CustomCallOp
RoundTripExporter::call(OpBuilder &builder, Location where, StringRef target,
                        ValueRange operands, TypeRange types,
                        bool hasSideEffect) {
  SmallVector<NamedAttribute> attrs{
      builder.getNamedAttr("call_target_name", builder.getStringAttr(target))};
  if (hasSideEffect)
    attrs.push_back(
        builder.getNamedAttr("has_side_effect", builder.getBoolAttr(true)));
  return stablehlo::CustomCallOp::create(builder, where, types, operands,
                                         attrs);
}

LogicalResult RoundTripExporter::signature(func::FuncOp func) {
  sdy::BorderAttributes border(func);
  for (unsigned i = 0; i < border.numArguments(); ++i) {
    auto sharding =
        border.argumentAs<TensorShardingAttr>(i, sdy::kShardingAttr);
    if (!sharding)
      continue;
    FailureOr<StringAttr> text =
        texts.of(sharding, {}, func.getArgument(i).getLoc());
    if (failed(text))
      return failure();
    border.setArgument(i, kFrontendAttributes,
                       withFrontendAttribute(border.argumentAs<DictionaryAttr>(
                                                 i, kFrontendAttributes),
                                             kXlaSharding, sharding));
    border.setArgument(i, kMhloSharding, *text);
    border.setArgument(i, sdy::kShardingAttr, nullptr);
  }
  border.write();
  return success();
}

/// XLA has no attributes on results, so they are stored on a call before the
/// return.
LogicalResult RoundTripExporter::results(func::FuncOp func) {
  sdy::BorderAttributes border(func);
  for (unsigned i = 0; i < border.numResults(); ++i) {
    auto sharding = border.resultAs<TensorShardingAttr>(i, sdy::kShardingAttr);
    if (!sharding)
      continue;
    FailureOr<StringAttr> text = texts.of(sharding, {}, func.getLoc());
    if (failed(text))
      return failure();
    border.setResult(i, kMhloSharding, *text);
    border.setResult(i, sdy::kShardingAttr, nullptr);
    if (func.isDeclaration())
      continue;
    Operation *ret = func.getBody().front().getTerminator();
    OpBuilder builder(ret);
    Value value = ret->getOperand(i);
    auto holder = call(builder, value.getLoc(), "xla.sdy.FuncResultSharding",
                       value, value.getType(), /*hasSideEffect=*/true);
    setFrontendAttribute(holder, kXlaSharding, perValue(sharding));
    ret->setOperand(i, holder->getResult(0));
  }
  border.write();
  return success();
}

LogicalResult RoundTripExporter::block(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (failed(this->block(nested)))
          return failure();
    if (failed(visit(op)))
      return failure();
  }
  return success();
}

LogicalResult RoundTripExporter::opSharding(Operation &op) {
  if (Attribute rule = op.getDiscardableAttr(sdy::kShardingRuleAttr))
    setFrontendAttribute(&op, kXlaShardingRule, rule);
  if (auto shardings =
          op.getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttr);
      shardings && !shardings.empty()) {
    FailureOr<StringAttr> text =
        texts.of(shardings.getShardings(), {}, op.getLoc());
    if (failed(text))
      return failure();
    setFrontendAttribute(&op, kXlaSharding, shardings);
    op.setDiscardableAttr(kMhloSharding, *text);
  }
  for (NamedAttribute attr : llvm::to_vector(op.getDiscardableAttrs()))
    if (attr.getName().strref().starts_with("sdy."))
      op.removeDiscardableAttr(attr.getName());
  return success();
}

LogicalResult RoundTripExporter::visit(Operation &op) {
  OpBuilder builder(&op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](sdy::ManualComputationOp computation) {
        manualComputation(computation);
        return success();
      })
      .Case([&](sdy::ConstantOp constant) {
        auto copy = stablehlo::ConstantOp::create(builder, op.getLoc(),
                                                  constant.getValue());
        copy->setDiscardableAttrs(op.getDiscardableAttrDictionary());
        op.replaceAllUsesWith(copy->getResults());
        op.erase();
        return opSharding(*copy.getOperation());
      })
      .Case([&](sdy::ShardingConstraintOp constraint) -> LogicalResult {
        Value input = constraint.getInput();
        FailureOr<StringAttr> text =
            texts.of(constraint.getSharding(), {}, op.getLoc());
        if (failed(text))
          return failure();
        // Without the side effect, XLA could drop the partial sum, which would
        // change the value.
        bool isPartial = !constraint.getSharding().getUnreducedAxes().empty();
        auto made = call(builder, op.getLoc(), "Sharding", input,
                         input.getType(), /*hasSideEffect=*/isPartial);
        made->setDiscardableAttrs(op.getDiscardableAttrDictionary());
        setFrontendAttribute(made, kXlaSharding,
                             perValue(constraint.getSharding()));
        made->setDiscardableAttr(kMhloSharding, *text);
        op.replaceAllUsesWith(made->getResults());
        op.erase();
        return success();
      })
      .Case([&](sdy::ShardingGroupOp group) {
        auto made = call(builder, op.getLoc(), kXlaShardingGroup,
                         group.getInput(), {}, /*hasSideEffect=*/true);
        setFrontendAttribute(made, kXlaGroupId, group.getGroupIdAttr());
        op.erase();
        return success();
      })
      .Case([&](sdy::PropagationBarrierOp barrier) {
        auto made = call(builder, op.getLoc(), kXlaPropagationBarrier,
                         barrier.getInput(), op.getResultTypes(),
                         /*hasSideEffect=*/true);
        setFrontendAttribute(
            made, kXlaAllowedDirection,
            builder.getI32IntegerAttr(int32_t(barrier.getAllowedDirection())));
        op.replaceAllUsesWith(made->getResults());
        op.erase();
        return success();
      })
      .Case<sdy::ReturnOp>([](auto) { return success(); })
      .Default([&](Operation *) -> LogicalResult {
        if (isa_and_nonnull<sdy::SdyDialect>(op.getDialect()))
          return op.emitError()
                 << "has no form in frontend attributes; export the module as "
                    "it is before propagation";
        return opSharding(op);
      });
}

void RoundTripExporter::manualComputation(sdy::ManualComputationOp op) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  func::FuncOp func = outlineManualBody(op, symbols, kManualBody);

  SmallVector<Value> locals;
  if (op->getNumOperands() != 0) {
    auto enter = call(builder, loc, "xla.sdy.GlobalToLocalShape",
                      op.getTensors(), func.getArgumentTypes(), true);
    setFrontendAttribute(enter, kXlaInShardings, op.getInShardings());
    setFrontendAttribute(enter, kXlaManualAxes, op.getManualAxesAttr());
    locals = llvm::to_vector(ValueRange(enter->getResults()));
  }
  auto callBody = func::CallOp::create(builder, loc, func, locals);
  setFrontendAttribute(callBody, "inlineable", builder.getStringAttr("false"));
  if (op->getNumResults() != 0) {
    auto leave = call(builder, loc, "xla.sdy.LocalToGlobalShape",
                      callBody.getResults(), op.getResultTypes(), true);
    setFrontendAttribute(leave, kXlaManualAxes, op.getManualAxesAttr());
    setFrontendAttribute(leave, kXlaOutShardings, op.getOutShardings());
    op->replaceAllUsesWith(leave->getResults());
  }
  op.erase();
}

LogicalResult RoundTripExporter::run() {
  for (func::FuncOp func : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (failed(signature(func)))
      return failure();
    for (Block &block : func.getBody())
      if (failed(this->block(block)))
        return failure();
    if (failed(results(func)))
      return failure();
    for (NamedAttribute attr : llvm::to_vector(func->getDiscardableAttrs()))
      if (attr.getName().strref().starts_with("sdy."))
        func->removeDiscardableAttr(attr.getName());
  }
  NamedAttrList meshes;
  for (sdy::MeshOp mesh :
       llvm::make_early_inc_range(module.getOps<sdy::MeshOp>())) {
    meshes.append(mesh.getSymNameAttr(), mesh.getMeshAttr());
    mesh.erase();
  }
  if (!meshes.empty())
    setFrontendAttribute(module, kXlaMeshes,
                         meshes.getDictionary(module.getContext()));
  return success();
}

} // namespace

LogicalResult exportRoundTrip(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName(),
                 PassManager::Nesting::Explicit);
  pm.addPass(createLiftInlinedMeshes());
  pm.addPass(createExportNamedComputations());
  if (failed(pm.run(module)))
    return failure();
  return RoundTripExporter(module).run();
}

} // namespace shardwright
