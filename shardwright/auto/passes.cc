//===- passes.cc - automatic sharding as a pass ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/passes.h"
#include "shardwright/auto/auto_named_options.h"
#include "shardwright/auto/in_place.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/shardy/pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace shardwright {
namespace {

/// The options of the pass, as text.
struct AutoTexts {
  std::string mesh, machine, memory;
  int effort = 1;
};

/// Reads the texts; the error names the option.
llvm::Expected<AutoOptions> readTexts(const AutoTexts &texts) {
  AutoRequest request;
  for (auto [name, value] :
       {std::pair("mesh", texts.mesh), std::pair("machine", texts.machine),
        std::pair("memory", texts.memory),
        std::pair("effort", std::to_string(texts.effort))})
    if (!value.empty())
      if (llvm::Error e = readAutoOption(name, value, name, request.options))
        return std::move(e);
  return std::move(request.options);
}

struct AutoShardPass : PassWrapper<AutoShardPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AutoShardPass)

  AutoShardPass() = default;
  AutoShardPass(const AutoShardPass &other)
      : PassWrapper(other), given(other.given) {}
  explicit AutoShardPass(AutoOptions given) : given(std::move(given)) {}

  StringRef getArgument() const final { return "sw-auto-shard"; }
  StringRef getDescription() const final {
    return "Adds the shardings with which a step is predicted to take the "
           "least time";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    // Of what trials make.
    registry.insert<func::FuncDialect, sdy::SdyDialect,
                    stablehlo::StablehloDialect>();
  }
  /// The search runs pass managers of its own on copies of the module.
  void runOnOperation() final {
    if (!given) {
      auto read = readTexts({mesh, machine, memory, effort});
      if (!read) {
        getOperation().emitError()
            << "sw-auto-shard: " << llvm::toString(read.takeError());
        return signalPassFailure();
      }
      given = std::move(*read);
    }
    if (failed(autoShardInPlace(getOperation(), *given)))
      signalPassFailure();
  }

private:
  Option<std::string> mesh{
      *this, "mesh",
      llvm::cl::desc("of a module without one, as data=4,model=2")};
  Option<std::string> machine{*this, "machine", llvm::cl::desc("machine file")};
  Option<std::string> memory{
      *this, "memory",
      llvm::cl::desc("of a device, as 16GiB (default: the machine's)")};
  Option<int> effort{*this, "effort",
                     llvm::cl::desc("0: layouts that people use; 1: a search; "
                                    "2: one of ten times the trials"),
                     llvm::cl::init(1)};
  std::optional<AutoOptions> given;
};

} // namespace

void addAutoPartitioner(OpPassManager &pm, const AutoOptions &options,
                        const PropagateOptions &propagation) {
  pm.addPass(std::make_unique<AutoShardPass>(options));
  UserPriorityPropagateOptions again;
  again.conservativePropagation = propagation.conservativePropagation;
  again.extraRules = propagation.extraRules;
  again.shardy = propagation.shardy;
  pm.addPass(createUserPriorityPropagate(again, propagation.observer,
                                         /*dumpIndex=*/0));
}

void registerAutoPasses() { PassRegistration<AutoShardPass>(); }

} // namespace shardwright
