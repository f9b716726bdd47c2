//===- passes.cc - passes of the partitioner ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/partition.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/cost/machine_option.h"
#include "shardwright/partition/layout/plan_observer.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"

#include <algorithm>

namespace shardwright {

#define GEN_PASS_DEF_INSERTCOLLECTIVESPASS
#define GEN_PASS_DEF_LOCALIZEPASS
#define GEN_PASS_DEF_PARTITIONPASS
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardwright/partition/passes.h.inc"

namespace {

/// Emits a remark for each value that becomes replicated: where and for which
/// op. The `shardwright` command adds the annotation that avoids it.
struct GatherRemarks : PlanObserver {
  mlir::Location onPlan(mlir::Operation *op, int32_t,
                        llvm::ArrayRef<WeighedWay>, MeshTable &) override {
    return op->getLoc();
  }
  mlir::Location onSumResolution(mlir::OpResult result, const Layout &,
                                 const SumResolution &, const Layout &,
                                 MeshTable &) override {
    return result.getLoc();
  }
  mlir::Location onMove(const PlannedMove &move, MeshTable &meshes) override {
    if (move.to->isReplicated() && move.from->mesh >= 0) {
      double bytes = elementBytes(move.value.getType());
      for (int64_t size : dimsOf(move.value.getType()))
        bytes *= double(size);
      mlir::remark::missed(
          move.user->getLoc(),
          mlir::remark::RemarkOpts::name("Gathered").category("partition"))
          << mlir::remark::metric("Bytes", int64_t(bytes))
          << mlir::remark::reason(
                 "a value in {0} is gathered to full size for {1}",
                 str(move.from->sharding, meshes.mesh(move.from->mesh)),
                 move.user->getName().getStringRef().str());
    }
    return move.user->getLoc();
  }
};

/// Emits remarks if remarks are enabled.
mlir::LogicalResult insertWithRemarks(mlir::ModuleOp module,
                                      PartitionOptions options) {
  GatherRemarks remarks;
  if (module.getContext()->getRemarkEngine())
    options.observer = &remarks;
  return insertCollectives(module, options);
}

/// The options of a planning pass; fails if its machine file cannot be read.
template <typename PassT>
mlir::FailureOr<PartitionOptions> optionsOf(PassT &pass,
                                            mlir::ModuleOp module) {
  PartitionOptions options;
  options.costs.alpha = pass.alpha;
  options.costs.touch = pass.touch;
  options.costs.flop = pass.flop;
  options.effort = Effort(std::clamp<int>(pass.effort, 0, 2));
  auto machine = readMachineOption(module, pass.machine);
  if (mlir::failed(machine))
    return mlir::failure();
  options.machine = std::move(*machine);
  return options;
}

/// The target that the option `target` of a pass names; emits a diagnostic.
mlir::FailureOr<Target> targetOption(mlir::ModuleOp module,
                                     llvm::StringRef name) {
  if (std::optional<Target> target = targetFromName(name))
    return *target;
  return module.emitError()
         << "target is '" << name << "', expected cpu, gpu or tpu";
}

struct InsertCollectivesPass
    : impl::InsertCollectivesPassBase<InsertCollectivesPass> {
  using Base::Base;
  template <typename PassT>
  friend mlir::FailureOr<PartitionOptions> optionsOf(PassT &, mlir::ModuleOp);
  void runOnOperation() override {
    auto options = optionsOf(*this, getOperation());
    if (mlir::failed(options) ||
        mlir::failed(insertWithRemarks(getOperation(), *options)))
      signalPassFailure();
  }
};

struct LocalizePass : impl::LocalizePassBase<LocalizePass> {
  using Base::Base;
  void runOnOperation() override {
    auto found = readMachineOption(getOperation(), machine);
    auto compiler = targetOption(getOperation(), target);
    if (mlir::failed(found) || mlir::failed(compiler) ||
        mlir::failed(localize(getOperation(), found->value_or(MachineModel()),
                              *compiler)))
      signalPassFailure();
  }
};

struct PartitionPass : impl::PartitionPassBase<PartitionPass> {
  using Base::Base;
  template <typename PassT>
  friend mlir::FailureOr<PartitionOptions> optionsOf(PassT &, mlir::ModuleOp);
  void runOnOperation() override {
    auto options = optionsOf(*this, getOperation());
    auto compiler = targetOption(getOperation(), target);
    if (mlir::failed(options) || mlir::failed(compiler))
      return signalPassFailure();
    options->target = *compiler;
    if (mlir::failed(insertWithRemarks(getOperation(), *options)) ||
        mlir::failed(localize(getOperation(),
                              options->machine.value_or(MachineModel()),
                              options->target)))
      signalPassFailure();
  }
};

} // namespace

void buildPartitionPipeline(mlir::OpPassManager &pm) {
  pm.addPass(createInsertCollectivesPass());
  pm.addPass(createLocalizePass());
}

void registerPartitionPasses() { registerPartitionTablePasses(); }

} // namespace shardwright
