//===- passes.cc - passes that overlap communication ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/overlap.h"
#include "shardwright/partition/overlap/peak_memory.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/cost/machine_option.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwright {

#define GEN_PASS_DEF_OVERLAPCOLLECTIVESPASS
#define GEN_PASS_DEF_PRINTPEAKMEMORYPASS
#define GEN_PASS_DEF_RINGDOTSPASS
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardwright/partition/overlap/passes.h.inc"

namespace {

/// Parses a mesh such as `x=2,y=4`.
mlir::FailureOr<Mesh> meshOf(mlir::ModuleOp module, llvm::StringRef text) {
  llvm::SmallVector<MeshAxis, 4> axes;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [name, size] = part.split('=');
    int64_t n = 0;
    if (name.empty() || size.getAsInteger(10, n) || n < 1)
      return module.emitError("mesh: expected AXIS=SIZE as in x=2,y=4, found '")
             << part << "'";
    axes.push_back({name.str(), n});
  }
  if (Mesh::numDevicesOverflows(axes))
    return module.emitError("mesh: the product of the axis sizes overflows");
  return Mesh(axes);
}

mlir::FailureOr<OverlapOptions> optionsOf(mlir::ModuleOp module,
                                          const std::string &machine,
                                          const std::string &mesh, bool force) {
  OverlapOptions options;
  options.force = force;
  auto model = readMachineOption(module, machine);
  if (mlir::failed(model))
    return mlir::failure();
  options.machine = model->value_or(MachineModel());
  mlir::FailureOr<Mesh> axes = meshOf(module, mesh);
  if (mlir::failed(axes))
    return mlir::failure();
  options.mesh = std::move(*axes);
  return options;
}

struct OverlapCollectivesPass
    : impl::OverlapCollectivesPassBase<OverlapCollectivesPass> {
  using Base::Base;
  void runOnOperation() override {
    mlir::FailureOr<OverlapOptions> options =
        optionsOf(getOperation(), machine, meshAxes, force);
    if (mlir::failed(options))
      return signalPassFailure();
    options->memoryBytes = double(memory);
    overlapCollectives(getOperation(), *options);
  }
};

struct RingDotsPass : impl::RingDotsPassBase<RingDotsPass> {
  using Base::Base;
  void runOnOperation() override {
    mlir::FailureOr<OverlapOptions> options =
        optionsOf(getOperation(), machine, meshAxes, force);
    if (mlir::failed(options))
      return signalPassFailure();
    options->directions = directions;
    makeRingDots(getOperation(), *options);
  }
};

struct PrintPeakMemoryPass
    : impl::PrintPeakMemoryPassBase<PrintPeakMemoryPass> {
  using Base::Base;
  void runOnOperation() override {
    PredictedPeak peak = predictPeak(getOperation());
    llvm::raw_ostream &os = llvm::outs();
    os << "peak: " << peak.bytes << " bytes";
    if (peak.op)
      os << " at " << peak.op->getName();
    os << "\n";
    for (const HeldValue &held : peak.values) {
      os << "  " << held.bytes << " " << str(held.kind);
      if (held.index >= 0)
        os << " #" << held.index;
      else if (mlir::Operation *op = held.value.getDefiningOp())
        os << " of " << op->getName();
      os << " : " << held.value.getType() << "\n";
    }
    markAllAnalysesPreserved();
  }
};

} // namespace

void registerOverlapPasses() { registerOverlapTablePasses(); }

} // namespace shardwright
