//===- export_gspmd_pass.cc - sw-export-gspmd -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/export_gspmd.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace shardwright {
namespace {

struct ExportGspmdPass : PassWrapper<ExportGspmdPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExportGspmdPass)
  ExportGspmdPass() = default;
  ExportGspmdPass(const ExportGspmdPass &other) : PassWrapper(other) {}
  explicit ExportGspmdPass(const ExportGspmdOptions &options) {
    propagated = options.propagated;
    deviceLists = options.deviceLists;
  }

  StringRef getArgument() const override { return "sw-export-gspmd"; }
  StringRef getDescription() const override {
    return "turns sdy into mhlo.sharding and the sharding custom calls";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<stablehlo::StablehloDialect, func::FuncDialect>();
  }
  void runOnOperation() override {
    if (failed(exportGspmd(getOperation(), {deviceLists, propagated})))
      signalPassFailure();
  }

  Option<bool> deviceLists{
      *this, "device-lists",
      llvm::cl::desc("write V1 shardings, which list devices"),
      llvm::cl::init(false)};
  Option<bool> propagated{
      *this, "propagated",
      llvm::cl::desc(
          "values without a sharding are replicated, as after propagation"),
      llvm::cl::init(false)};
};

} // namespace

void registerExportGspmdPasses() {
  PassRegistration<ExportGspmdPass>();
  PassPipelineRegistration<>(
      "xla-sdy-stablehlo-export-pipeline",
      "turns sdy, after propagation, into mhlo.sharding and GSPMD's calls",
      [](OpPassManager &pm) {
        ExportGspmdOptions options;
        options.propagated = true;
        pm.addPass(std::make_unique<ExportGspmdPass>(options));
      });
}

} // namespace shardwright
