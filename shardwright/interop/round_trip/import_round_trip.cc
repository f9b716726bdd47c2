//===- import_round_trip.cc - frontend attributes to sdy ------------------===//
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
#include "shardwright/interop/gspmd/manual_regions.h"
#include "shardwright/interop/round_trip/frontend_attributes.h"
#include "shardwright/interop/round_trip/import_manual_calls.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace shardwright {

bool hasRoundTripMeshes(ModuleOp module) {
  auto attributes = module->getAttrOfType<DictionaryAttr>(kFrontendAttributes);
  return attributes && (attributes.contains(kXlaMeshes) ||
                        attributes.contains(kXlaTupleArgs) ||
                        attributes.contains(kXlaTupleResults));
}

bool hasRoundTripShardings(ModuleOp module) {
  if (hasRoundTripMeshes(module))
    return true;
  auto isSdy = [](stablehlo::CustomCallOp call) {
    return call.getCallTargetName().starts_with(kXlaCallPrefix)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return module.walk(isSdy).wasInterrupted();
}

namespace {

using sdy::TensorShardingAttr;
using sdy::TensorShardingPerValueAttr;

class RoundTripImporter {
public:
  RoundTripImporter(ModuleOp module, bool keepOpShardings)
      : module(module), keepOpShardings(keepOpShardings) {}

  /// Imports meshes, and shardings and rules of arguments, results and ops.
  LogicalResult attributes();
  /// Imports @Sharding, groups and barriers.
  LogicalResult customCalls();
  LogicalResult groupsAndBarriers();

private:
  LogicalResult meshes();
  LogicalResult signature(func::FuncOp func);
  LogicalResult tupled(func::FuncOp func);
  LogicalResult opAttributes(Operation *op);
  LogicalResult resultSharding(stablehlo::CustomCallOp call);
  LogicalResult customCall(stablehlo::CustomCallOp call);

  ModuleOp module;
  bool keepOpShardings;
};

LogicalResult RoundTripImporter::meshes() {
  FailureOr<DictionaryAttr> attr = takeAs<DictionaryAttr>(module, kXlaMeshes);
  if (failed(attr))
    return failure();
  if (!*attr)
    return success();
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  for (NamedAttribute entry : *attr) {
    auto mesh = dyn_cast<sdy::MeshAttr>(entry.getValue());
    if (!mesh)
      return module.emitError()
             << kXlaMeshes << ": " << entry.getName() << " is "
             << entry.getValue() << ", expected a mesh";
    if (module.lookupSymbol(entry.getName()))
      return module.emitError() << kXlaMeshes << ": the module has a symbol @"
                                << entry.getName().strref() << " already";
    sdy::MeshOp::create(builder, module.getLoc(), entry.getName(), mesh);
  }
  return success();
}

LogicalResult RoundTripImporter::signature(func::FuncOp func) {
  sdy::BorderAttributes border(func);
  for (unsigned i = 0; i < border.numArguments(); ++i) {
    border.setArgument(i, kMhloSharding, nullptr);
    FailureOr<Attribute> attr = takeArgFrontendAttribute(
        border, i, kXlaSharding, func.getArgument(i).getLoc());
    if (failed(attr))
      return failure();
    if (!*attr)
      continue;
    auto sharding = dyn_cast<TensorShardingAttr>(*attr);
    if (!sharding)
      return func.emitError() << kXlaSharding << " of argument " << i << " is "
                              << *attr << ", expected a sharding";
    border.setArgument(i, sdy::kShardingAttr, sharding);
  }
  for (unsigned i = 0; i < border.numResults(); ++i)
    border.setResult(i, kMhloSharding, nullptr);
  border.write();
  return success();
}

/// Reads the shardings of all arguments or results from one module attribute.
LogicalResult RoundTripImporter::tupled(func::FuncOp func) {
  auto read = [&](StringRef name, unsigned count, auto set) -> LogicalResult {
    FailureOr<TensorShardingPerValueAttr> all =
        takeAs<TensorShardingPerValueAttr>(module, name);
    if (failed(all) || !*all)
      return success(succeeded(all));
    if (all->size() != count)
      return module.emitError() << name << " has " << all->size()
                                << " shardings, @main " << count << " values";
    for (unsigned i = 0; i < count; ++i)
      set(i, all->getSharding(i));
    return success();
  };
  sdy::BorderAttributes border(func);
  if (failed(read(kXlaTupleArgs, border.numArguments(),
                  [&](unsigned i, TensorShardingAttr sharding) {
                    border.setArgument(i, sdy::kShardingAttr, sharding);
                  })) ||
      failed(read(kXlaTupleResults, border.numResults(),
                  [&](unsigned i, TensorShardingAttr sharding) {
                    border.setResult(i, sdy::kShardingAttr, sharding);
                  })))
    return failure();
  border.write();
  return success();
}

/// True if propagation cannot infer the op's sharding again.
bool keepsSharding(Operation *op) {
  if (isa<stablehlo::SendOp, stablehlo::RecvOp, stablehlo::AfterAllOp>(op))
    return true;
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && llvm::is_contained(
                     {"Sharding", "xla.sdy.FuncResultSharding",
                      "xla_python_cpu_callback", "xla_ffi_python_cpu_callback",
                      "xla_python_gpu_callback", "xla_ffi_python_gpu_callback"},
                     call.getCallTargetName());
}

LogicalResult RoundTripImporter::opAttributes(Operation *op) {
  if (!isa<stablehlo::InfeedOp, stablehlo::OutfeedOp>(op))
    op->removeDiscardableAttr(kMhloSharding);
  auto shardings = takeAs<TensorShardingPerValueAttr>(op, kXlaSharding);
  if (failed(shardings))
    return failure();
  bool fits =
      *shardings && shardings->size() == std::max(op->getNumResults(), 1u);
  if (*shardings && (keepsSharding(op) || (keepOpShardings && fits)))
    op->setAttr(sdy::kShardingAttr, *shardings);
  auto rule = takeAs<sdy::OpShardingRuleAttr>(op, kXlaShardingRule);
  if (failed(rule))
    return failure();
  if (*rule)
    op->setAttr(sdy::kShardingRuleAttr, *rule);
  return success();
}

TensorShardingAttr opened(TensorShardingAttr sharding) {
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    dims.push_back(
        sdy::DimensionShardingAttr::get(sharding.getContext(), dim.getAxes(),
                                        /*isClosed=*/false, dim.getPriority()));
  return sharding.withDimShardings(dims);
}

LogicalResult RoundTripImporter::resultSharding(stablehlo::CustomCallOp call) {
  auto shardings =
      call->getAttrOfType<TensorShardingPerValueAttr>(sdy::kShardingAttr);
  if (!shardings || shardings.size() != 1 || call->getNumOperands() != 1 ||
      call->getNumResults() != 1)
    return call.emitError()
           << "expected one operand, one result and one sharding";
  auto func = call->getParentOfType<func::FuncOp>();
  TensorShardingAttr sharding = shardings.getSharding(0);
  Value operand = call->getOperand(0), result = call->getResult(0);
  bool hasOthers = false;
  SmallVector<Value> work{result.use_empty() ? operand : result};
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *owner = use.getOwner();
      auto combine = dyn_cast<stablehlo::CustomCallOp>(owner);
      if (func && isa<func::ReturnOp>(owner))
        func.setResultAttr(use.getOperandNumber(), sdy::kShardingAttr,
                           sharding);
      else if (combine && combine.getCallTargetName() == "X64Combine")
        work.append(combine->result_begin(), combine->result_end());
      else
        hasOthers |= use.get() == result;
    }
  // A pass of XLA may have added other users of the result.
  if (hasOthers) {
    OpBuilder builder(call);
    operand = sdy::ShardingConstraintOp::create(builder, call.getLoc(), operand,
                                                opened(sharding));
  }
  result.replaceAllUsesWith(operand);
  call.erase();
  return success();
}

LogicalResult RoundTripImporter::attributes() {
  module.getContext()->loadDialect<sdy::SdyDialect>();
  if (failed(meshes()))
    return failure();
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    if (failed(signature(func)))
      return failure();
  if (func::FuncOp main = sdy::getMainFunc(module))
    if (failed(tupled(main)))
      return failure();
  SmallVector<stablehlo::CustomCallOp> results;
  WalkResult walk = module.walk([&](Operation *op) {
    if (isa<ModuleOp, func::FuncOp, sdy::MeshOp>(op))
      return WalkResult::advance();
    if (failed(opAttributes(op)))
      return WalkResult::interrupt();
    if (auto call = dyn_cast<stablehlo::CustomCallOp>(op);
        call && call.getCallTargetName() == "xla.sdy.FuncResultSharding")
      results.push_back(call);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (stablehlo::CustomCallOp call : results)
    if (failed(resultSharding(call)))
      return failure();
  return success();
}

/// Takes a number from the frontend attributes of an op; none if the op has no
/// such attribute, or its value does not fit in 64 bits.
FailureOr<std::optional<int64_t>> takeNumber(Operation *op, StringRef name) {
  auto attr = takeAs<IntegerAttr>(op, name);
  if (failed(attr))
    return failure();
  return *attr ? attr->getValue().trySExtValue() : std::nullopt;
}

LogicalResult RoundTripImporter::customCall(stablehlo::CustomCallOp call) {
  StringRef target = call.getCallTargetName();
  OpBuilder builder(call);
  if (target == "Sharding") {
    if (call->getNumResults() != 1 || call->getNumOperands() != 1)
      return call.emitError()
             << "expected CustomCallOp with exactly one result";
    auto shardings =
        call->getAttrOfType<TensorShardingPerValueAttr>(sdy::kShardingAttr);
    if (!shardings || shardings.size() != 1)
      return call.emitError()
             << "expected CustomCallOp with a sharding attribute";
    TensorShardingAttr sharding = shardings.getSharding(0);
    FailureOr<SmallVector<int64_t>> open = unspecifiedDims(call);
    if (failed(open))
      return failure();
    SmallVector<sdy::DimensionShardingAttr> dims(
        sharding.getDimShardings().begin(), sharding.getDimShardings().end());
    for (int64_t dim : *open)
      if (dim < int64_t(dims.size()))
        dims[dim] = sdy::DimensionShardingAttr::get(
            call.getContext(), dims[dim].getAxes(), /*isClosed=*/false,
            dims[dim].getPriority());
    auto constraint = sdy::ShardingConstraintOp::create(
        builder, call.getLoc(), call->getOperand(0),
        sharding.withDimShardings(dims));
    for (NamedAttribute attr : call->getDiscardableAttrs())
      if (attr.getName() != sdy::kShardingAttr)
        constraint->setDiscardableAttr(attr.getName(), attr.getValue());
    call->getResult(0).replaceAllUsesWith(constraint.getResult());
    call.erase();
  } else if (target == kXlaShardingGroup) {
    auto id = takeNumber(call, kXlaGroupId);
    if (failed(id))
      return failure();
    if (!*id || call->getNumOperands() != 1)
      return call.emitError()
             << "expected CustomCallOp with a sharding group id.";
    if (!call->use_empty())
      return call.emitError()
             << "xla.sdy.ShardingGroup CustomCallOp should have no uses.";
    if (!isa<RankedTensorType>(call->getOperand(0).getType()))
      return call.emitError() << "expected a tensor in a sharding group";
    sdy::ShardingGroupOp::create(builder, call.getLoc(), call->getOperand(0),
                                 **id);
    call.erase();
  } else if (target == kXlaPropagationBarrier) {
    auto direction = takeNumber(call, kXlaAllowedDirection);
    if (failed(direction))
      return failure();
    auto known = *direction && llvm::isUInt<32>(**direction)
                     ? sdy::symbolizePropagationDirection(**direction)
                     : std::nullopt;
    if (!known || call->getNumOperands() != 1 || call->getNumResults() != 1 ||
        !isa<RankedTensorType>(call->getOperand(0).getType()))
      return call.emitError() << "expected PropagationBarrier CustomCall Op "
                                 "with a propagation direction.";
    auto barrier = sdy::PropagationBarrierOp::create(
        builder, call.getLoc(), call->getResult(0).getType(),
        call->getOperand(0), *known);
    call->getResult(0).replaceAllUsesWith(barrier.getResult());
    call.erase();
  }
  return success();
}

LogicalResult RoundTripImporter::groupsAndBarriers() {
  module.getContext()->loadDialect<sdy::SdyDialect>();
  SmallVector<stablehlo::CustomCallOp> calls;
  module.walk([&](stablehlo::CustomCallOp call) {
    if (llvm::is_contained({kXlaShardingGroup, kXlaPropagationBarrier},
                           call.getCallTargetName()))
      calls.push_back(call);
  });
  for (stablehlo::CustomCallOp call : calls)
    if (failed(customCall(call)))
      return failure();
  return success();
}

LogicalResult RoundTripImporter::customCalls() {
  SmallVector<stablehlo::CustomCallOp> calls;
  module.walk([&](stablehlo::CustomCallOp call) { calls.push_back(call); });
  for (stablehlo::CustomCallOp call : calls)
    if (failed(customCall(call)))
      return failure();
  return success();
}

/// HLO calls return tuples where StableHLO has several results.
void flattenTuples(ModuleOp module) {
  SmallVector<stablehlo::CustomCallOp> calls;
  module.walk([&](stablehlo::CustomCallOp call) {
    if (call.getCallTargetName().starts_with(kXlaCallPrefix) &&
        call->getNumResults() == 1 &&
        isa<TupleType>(call->getResult(0).getType()) &&
        llvm::all_of(call->getUsers(), [](Operation *user) {
          return isa<stablehlo::GetTupleElementOp>(user);
        }))
      calls.push_back(call);
  });
  for (stablehlo::CustomCallOp call : calls) {
    OpBuilder builder(call);
    OperationState state(call.getLoc(), call->getName());
    state.addOperands(call->getOperands());
    state.addTypes(cast<TupleType>(call->getResult(0).getType()).getTypes());
    for (NamedAttribute attr : call->getAttrs())
      if (!llvm::is_contained(
              {"result_layouts", "operand_layouts", "xla_shape"},
              attr.getName().strref()))
        state.addAttribute(attr.getName(), attr.getValue());
    Operation *flat = builder.create(state);
    for (Operation *user : llvm::make_early_inc_range(call->getUsers())) {
      auto element = cast<stablehlo::GetTupleElementOp>(user);
      element->getResult(0).replaceAllUsesWith(
          flat->getResult(element.getIndex()));
      element->erase();
    }
    call.erase();
  }
  // Erase tuples that are unused or only taken apart.
  SmallVector<stablehlo::TupleOp> tuples;
  module.walk([&](stablehlo::TupleOp tuple) { tuples.push_back(tuple); });
  for (stablehlo::TupleOp tuple : llvm::reverse(tuples)) {
    for (Operation *user : llvm::make_early_inc_range(tuple->getUsers()))
      if (auto element = dyn_cast<stablehlo::GetTupleElementOp>(user)) {
        element->getResult(0).replaceAllUsesWith(
            tuple->getOperand(element.getIndex()));
        element->erase();
      }
    if (tuple->use_empty())
      tuple->erase();
  }
}

} // namespace

LogicalResult importRoundTrip(ModuleOp module, bool keepOpShardings) {
  flattenTuples(module);
  RoundTripImporter importer(module, keepOpShardings);
  return success(succeeded(importer.attributes()) &&
                 succeeded(importManualCalls(module)) &&
                 succeeded(importer.customCalls()));
}

LogicalResult importRoundTripGroups(ModuleOp module) {
  flattenTuples(module);
  return RoundTripImporter(module, /*keepOpShardings=*/false)
      .groupsAndBarriers();
}

namespace {

/// The complete import, or only the attributes, by XLA's name.
struct ImportRoundTripPass
    : PassWrapper<ImportRoundTripPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ImportRoundTripPass)
  StringRef getArgument() const override {
    return "xla-sdy-round-trip-import-shardy-attrs";
  }
  StringRef getDescription() const override {
    return "turns xla.sdy frontend attributes into sdy attributes and meshes";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<sdy::SdyDialect>();
  }
  void runOnOperation() override {
    if (failed(RoundTripImporter(getOperation(), /*keepOpShardings=*/false)
                   .attributes()))
      signalPassFailure();
  }
};

struct RoundTripPass : PassWrapper<RoundTripPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RoundTripPass)
  explicit RoundTripPass(bool isImport = true) : isImport(isImport) {}
  StringRef getName() const override {
    return isImport ? "ImportRoundTrip" : "ExportRoundTrip";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<sdy::SdyDialect, stablehlo::StablehloDialect,
                    func::FuncDialect>();
  }
  void runOnOperation() override {
    if (failed(isImport ? importRoundTrip(getOperation())
                        : exportRoundTrip(getOperation())))
      signalPassFailure();
  }
  bool isImport;
};

} // namespace

void registerRoundTripPasses() {
  PassRegistration<ImportRoundTripPass>();
  PassPipelineRegistration<>(
      "xla-sdy-round-trip-import-pipeline",
      "turns xla.sdy frontend attributes and custom calls into sdy",
      [](OpPassManager &pm) {
        pm.addPass(std::make_unique<RoundTripPass>(true));
      });
  PassPipelineRegistration<>(
      "xla-sdy-round-trip-export-pipeline",
      "turns sdy into xla.sdy frontend attributes and custom calls",
      [](OpPassManager &pm) {
        pm.addPass(std::make_unique<RoundTripPass>(false));
      });
}

} // namespace shardwright
