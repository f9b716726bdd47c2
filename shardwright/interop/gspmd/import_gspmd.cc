//===- import_gspmd.cc - convert mhlo.sharding to sdy ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/import_gspmd.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/gspmd/gspmd_shardings.h"
#include "shardwright/interop/gspmd/manual_regions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace shardwright {

bool hasGspmdShardings(ModuleOp module) {
  if (!module.getOps<sdy::MeshOp>().empty())
    return false;
  return module
      .walk([](Operation *op) {
        if (auto func = dyn_cast<func::FuncOp>(op)) {
          for (unsigned i = 0; i < func.getNumArguments(); ++i)
            if (func.getArgAttr(i, kMhloSharding))
              return WalkResult::interrupt();
          for (unsigned i = 0; i < func.getNumResults(); ++i)
            if (func.getResultAttr(i, kMhloSharding))
              return WalkResult::interrupt();
        }
        return op->hasAttr(kMhloSharding) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

/// @Sharding: a constraint, or membership in a group.
LogicalResult importShardingCall(stablehlo::CustomCallOp call,
                                 const GspmdShardings &shardings) {
  if (call->getNumOperands() != 1 || call->getNumResults() != 1)
    return call.emitError()
           << "custom call @Sharding has " << call->getNumOperands()
           << " operands and " << call->getNumResults()
           << " results, expected one of each";
  Value input = call->getOperand(0), result = call->getResult(0);
  const HloSharding *sharding = shardings.of(call);
  if (!sharding)
    return call.emitError() << "custom call @Sharding without a mhlo.sharding";
  OpBuilder builder(call);
  bool isTensor = isa<RankedTensorType>(input.getType());
  if (sharding->shardGroup && sharding->shardGroup->isAs && isTensor)
    sdy::ShardingGroupOp::create(builder, call.getLoc(), input,
                                 sharding->shardGroup->id);
  // `unknown` is no constraint, and inside a manual region neither is `manual`.
  bool constrains = isTensor &&
                    sharding->kind() != HloSharding::Kind::Unknown &&
                    sharding->kind() != HloSharding::Kind::Manual;
  if (constrains) {
    auto named = shardings.named(*sharding, result.getType(), call.getLoc());
    auto open = unspecifiedDims(call);
    if (failed(named) || failed(open))
      return failure();
    for (int64_t dim : *open)
      if (dim < named->sharding.rank())
        named->sharding.dims[dim].isClosed = false;
    // Scalars in manual regions have constraints without effect.
    bool placesNothing = named->sharding.rank() == 0 &&
                         call->getParentOfType<sdy::ManualComputationOp>();
    if (!placesNothing)
      input = sdy::ShardingConstraintOp::create(builder, call.getLoc(), input,
                                                shardings.attr(*named));
  }
  result.replaceAllUsesWith(input);
  call.erase();
  return success();
}

/// Converts the `mhlo.sharding` of any other op to sdy.sharding, with one entry
/// per result.
class OpShardings {
public:
  explicit OpShardings(const GspmdShardings &shardings)
      : shardings(shardings) {}

  LogicalResult import(Operation *op) {
    // Cache by attributes and type, which many ops share.
    DictionaryAttr attrs = op->getRawDictionaryAttrs();
    Attribute key;
    if (op->getNumResults() == 1) {
      key = TypeAttr::get(op->getResult(0).getType());
      if (DictionaryAttr same = known.lookup({attrs, key})) {
        op->setAttrs(same);
        return success();
      }
    }
    if (failed(rewrite(op)))
      return failure();
    if (key)
      known[{attrs, key}] = op->getRawDictionaryAttrs();
    return success();
  }

private:
  LogicalResult rewrite(Operation *op);

  const GspmdShardings &shardings;
  llvm::DenseMap<std::pair<Attribute, Attribute>, DictionaryAttr> known;
};

LogicalResult OpShardings::rewrite(Operation *op) {
  const HloSharding *sharding = shardings.of(op);
  op->removeDiscardableAttr(kMhloSharding);
  if (!sharding)
    return success();
  unsigned results = op->getNumResults();
  SmallVector<sdy::TensorShardingAttr> attrs;
  bool says = false;
  auto add = [&](const HloSharding &one, Type type) -> LogicalResult {
    says |= one.kind() != HloSharding::Kind::Unknown &&
            one.kind() != HloSharding::Kind::Manual;
    auto attr = shardings.attr(one, type, op->getLoc());
    if (failed(attr))
      return failure();
    attrs.push_back(*attr);
    return success();
  };
  Type none = NoneType::get(op->getContext());
  if (!sharding->isTuple()) {
    for (unsigned i = 0; i < std::max(results, 1u); ++i)
      if (failed(add(*sharding,
                     results ? op->getResult(i).getType() : Type(none))))
        return failure();
  } else {
    if (sharding->elements().size() != results)
      return op->emitError()
             << "mhlo.sharding has " << sharding->elements().size()
             << " elements, the op " << results << " results";
    for (auto [element, result] :
         llvm::zip(sharding->elements(), op->getResults()))
      if (failed(add(element, result.getType())))
        return failure();
  }
  if (says && !attrs.empty())
    op->setAttr(sdy::kShardingAttr,
                sdy::TensorShardingPerValueAttr::get(op->getContext(), attrs));
  return success();
}

LogicalResult importSignature(func::FuncOp func,
                              const GspmdShardings &shardings) {
  sdy::BorderAttributes border(func);
  for (unsigned i = 0; i < border.numArguments(); ++i) {
    const HloSharding *sharding =
        shardings.of(border.argument(i, kMhloSharding));
    if (!sharding)
      continue;
    Value arg = func.getArgument(i);
    border.setArgument(i, kMhloSharding, nullptr);
    if (sharding->kind() == HloSharding::Kind::Manual)
      continue;
    auto attr = shardings.attr(*sharding, arg.getType(), arg.getLoc());
    if (failed(attr))
      return failure();
    border.setArgument(i, sdy::kShardingAttr, *attr);
  }
  for (unsigned i = 0; i < border.numResults(); ++i) {
    const HloSharding *sharding = shardings.of(border.result(i, kMhloSharding));
    if (!sharding)
      continue;
    border.setResult(i, kMhloSharding, nullptr);
    if (sharding->kind() == HloSharding::Kind::Manual)
      continue;
    auto attr =
        shardings.attr(*sharding, func.getResultTypes()[i], func.getLoc());
    if (failed(attr))
      return failure();
    border.setResult(i, sdy::kShardingAttr, *attr);
  }
  border.write();
  return success();
}

/// Erases unused functions, such as bodies of inlined manual regions.
void eraseUnusedFunctions(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (func.isPrivate() && users.useEmpty(func)) {
        func.erase();
        changed = true;
      }
  }
}

/// The functions, and the ops with a `mhlo.sharding`, at this time.
SmallVector<Operation *> carriers(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getDiscardableAttr(kMhloSharding) || isa<func::FuncOp>(op))
      ops.push_back(op);
  });
  return ops;
}

} // namespace

LogicalResult importGspmd(ModuleOp module, ArrayRef<MeshAxis> axes,
                          int64_t devices) {
  // The program does not use the dialect yet.
  module.getContext()->loadDialect<sdy::SdyDialect>();
  GspmdShardings shardings(module);
  if (failed(shardings.collect()) ||
      failed(shardings.makeMeshes(axes, devices)))
    return failure();
  SmallVector<Operation *> ops;
  if (shardings.hasManualRegions()) {
    if (failed(importManualRegions(module, shardings)))
      return failure();
    eraseUnusedFunctions(module);
    ops = carriers(module);
  } else {
    ops = llvm::to_vector(shardings.carriers());
  }
  OpShardings opShardings(shardings);
  for (Operation *op : ops) {
    auto call = dyn_cast<stablehlo::CustomCallOp>(op);
    auto func = dyn_cast<func::FuncOp>(op);
    LogicalResult done = call && call.getCallTargetName() == "Sharding"
                             ? importShardingCall(call, shardings)
                         : func ? importSignature(func, shardings)
                                : opShardings.import(op);
    if (failed(done))
      return failure();
  }
  return success();
}

namespace {

struct ImportGspmdPass : PassWrapper<ImportGspmdPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ImportGspmdPass)
  ImportGspmdPass() = default;
  ImportGspmdPass(const ImportGspmdPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "sw-import-gspmd"; }
  StringRef getDescription() const override {
    return "turns mhlo.sharding and the sharding custom calls into sdy";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<sdy::SdyDialect>();
  }
  void runOnOperation() override {
    if (hasGspmdShardings(getOperation()) &&
        failed(importGspmd(getOperation(), {}, devices)))
      signalPassFailure();
  }

  Option<int64_t> devices{*this, "devices",
                          llvm::cl::desc("number of devices when no sharding "
                                         "tells it"),
                          llvm::cl::init(0)};
};

} // namespace

void registerGspmdPasses() {
  PassRegistration<ImportGspmdPass>();
  PassPipelineRegistration<>(
      "xla-sdy-stablehlo-import-pipeline",
      "turns mhlo.sharding and the sharding custom calls into sdy",
      [](OpPassManager &pm) {
        pm.addPass(std::make_unique<ImportGspmdPass>());
      });
}

} // namespace shardwright
