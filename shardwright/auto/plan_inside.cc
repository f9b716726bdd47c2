//===- plan_inside.cc - layouts of inner values by a search ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/plan_inside.h"

#include "shardwright/auto/in_place.h"
#include "shardwright/auto/prepare.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {
namespace {

/// The options of compilations on copies of an imported module.
CompileOptions forCopies(const CompileOptions &options, Stage last) {
  CompileOptions copies = options;
  copies.stopAfter = last;
  copies.form = ProgramForm::Device;
  copies.afterStage = nullptr;
  copies.observer = nullptr;
  copies.partition.observer = nullptr;
  return copies;
}

/// The first mesh that has axes.
FlatSymbolRefAttr firstMesh(ModuleOp module) {
  for (sdy::MeshOp op : module.getOps<sdy::MeshOp>())
    if (!op.getMesh().getAxes().empty())
      return FlatSymbolRefAttr::get(op.getSymNameAttr());
  return {};
}

/// A copy of the module whose arguments and results have the shardings that
/// propagation gives them.
FailureOr<OwningOpRef<ModuleOp>>
withFixedBorder(ModuleOp module, const CompileOptions &options) {
  OwningOpRef<ModuleOp> propagated = module.clone();
  if (failed(compile(*propagated, forCopies(options, Stage::Propagate))))
    return failure();
  func::FuncOp from = sdy::getMainFunc(*propagated);
  OwningOpRef<ModuleOp> fixed = module.clone();
  func::FuncOp to = sdy::getMainFunc(*fixed);
  // A value without a sharding is replicated, and would take axes.
  FlatSymbolRefAttr mesh = firstMesh(module);
  auto replicated = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? sdy::TensorShardingAttr::getFullyClosed(
                        module.getContext(), tensor.getRank(), mesh)
                  : sdy::TensorShardingAttr();
  };
  for (unsigned i = 0; i < from.getNumArguments(); ++i) {
    auto sharding = sdy::getSharding(from.getArgument(i));
    if (!sharding)
      sharding = replicated(from.getArgumentTypes()[i]);
    if (sharding)
      sdy::setSharding(to.getArgument(i), sharding);
  }
  for (unsigned i = 0; i < from.getNumResults(); ++i) {
    auto sharding = sdy::getFuncResultSharding(from, i);
    if (!sharding)
      sharding = replicated(from.getResultTypes()[i]);
    if (sharding)
      sdy::setFuncResultSharding(to, i, sharding);
  }
  return fixed;
}

} // namespace

LogicalResult planInside(ModuleOp module, CompileOptions &options) {
  options.partition.effort = Effort::Most;
  if (failed(importModule(module, options.import)))
    return failure();
  FailureOr<int64_t> devices =
      simplifyForDevices(module, options.import.devices);
  if (failed(devices))
    return failure();
  options.isImported = true;
  if (*devices == 1 || !hasMesh(module) || !sdy::getMainFunc(module))
    return success();

  // compile() repeats the errors of the program itself.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = module.clone();
  FailureOr<Compiled> greedy = compile(*copy, forCopies(options, Stage::Local));
  if (failed(greedy))
    return success();
  AutoOptions search;
  search.compile = forCopies(options, Stage::Local);
  search.machine = options.partition.machine.value_or(MachineModel());
  search.overlap = options.overlap;
  // More memory than the machine has is no reason to refuse a program.
  search.memory = std::max(search.machine.memoryBytes,
                           double(greedy->report.predictedPeak->bytes));
  search.pairs.pairs = StatePairs::None;
  auto fixed = withFixedBorder(module, options);
  if (failed(fixed))
    return success();
  FailureOr<AutoResult> found = autoShardImported(**fixed, search);
  if (failed(found) || !found->found.fits ||
      found->found.step.total() >= greedy->report.predicted.time.total())
    return success();
  copyShardings(*found->module, module);
  options.partition.machine = search.machine;
  return success();
}

} // namespace shardwright
