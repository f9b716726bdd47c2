//===- portable_passes.cc - artifact steps as passes ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/dialect/vhlo/vhlo.h"
#include "shardwright/interop/portable/portable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Base of passes with the option `allow-other-dialects`.
template <typename Self>
struct LegalizePass : PassWrapper<Self, OperationPass<ModuleOp>> {
  LegalizePass() = default;
  LegalizePass(const LegalizePass &other)
      : PassWrapper<Self, OperationPass<ModuleOp>>(other) {}

  Pass::Option<bool> allowOtherDialects{
      *this, "allow-other-dialects",
      llvm::cl::desc("Keep ops, types and attributes of other dialects"),
      llvm::cl::init(false)};
};

struct StablehloLegalizeToVhloPass : LegalizePass<StablehloLegalizeToVhloPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StablehloLegalizeToVhloPass)

  StringRef getArgument() const final { return "stablehlo-legalize-to-vhlo"; }
  StringRef getDescription() const final {
    return "Replaces StableHLO by the newest version of VHLO";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<vhlo::VhloDialect>();
  }
  void runOnOperation() final {
    if (failed(legalizeStablehloToVhlo(getOperation(), allowOtherDialects)))
      signalPassFailure();
  }
};

struct VhloLegalizeToStablehloPass : LegalizePass<VhloLegalizeToStablehloPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloLegalizeToStablehloPass)

  StringRef getArgument() const final { return "vhlo-legalize-to-stablehlo"; }
  StringRef getDescription() const final {
    return "Replaces VHLO of any version by StableHLO";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<func::FuncDialect, quant::QuantDialect,
                    stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    if (failed(legalizeVhloToStablehlo(getOperation(), allowOtherDialects)))
      signalPassFailure();
  }
};

struct VhloToVersionPass
    : PassWrapper<VhloToVersionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloToVersionPass)
  VhloToVersionPass() = default;
  VhloToVersionPass(const VhloToVersionPass &other) : PassWrapper(other) {}

  Option<std::string> target{*this, "target",
                             llvm::cl::desc("Version to convert to: #.#.#, or "
                                            "current, or minimum")};

  StringRef getArgument() const final { return "vhlo-to-version"; }
  StringRef getDescription() const final {
    return "Converts VHLO to another version";
  }
  void runOnOperation() final {
    ModuleOp module = getOperation();
    std::optional<vhlo::Version> version =
        target == "current"   ? vhlo::kCurrentVersion
        : target == "minimum" ? vhlo::kMinimumVersion
                              : vhlo::Version::parse(target);
    if (!version) {
      if (target.empty())
        module.emitError("No target version specified.");
      else
        module.emitError("Invalid target version argument '")
            << target << "'\nTarget version must be of the form `#.#.#`.";
      return signalPassFailure();
    }
    auto text = [](vhlo::Version v) {
      std::string result;
      llvm::raw_string_ostream(result) << v;
      return result;
    };
    if (*version < vhlo::kMinimumVersion) {
      module.emitError("target version ")
          << text(*version) << " is less than minimum supported "
          << text(vhlo::kMinimumVersion);
      return signalPassFailure();
    }
    if (*version > vhlo::kCurrentVersion) {
      module.emitError("target version ")
          << text(*version) << " is greater than current version "
          << text(vhlo::kCurrentVersion);
      return signalPassFailure();
    }
    if (failed(convertVhloToVersion(module, *version)))
      signalPassFailure();
  }
};

} // namespace

void registerPortablePasses() {
  PassRegistration<StablehloLegalizeToVhloPass>();
  PassRegistration<VhloLegalizeToStablehloPass>();
  PassRegistration<VhloToVersionPass>();
}

} // namespace shardwright
