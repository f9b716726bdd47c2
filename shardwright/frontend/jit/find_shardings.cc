//===- find_shardings.cc - search for shardings of a program --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/find_shardings.h"

#include "shardwright/auto/plan_inside.h"
#include "shardwright/compile/named_options.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/frontend/array/value.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright::frontend {

Expected<ProgramOptions> programOptions(const LoweredProgram &lowered) {
  ProgramOptions options;
  options.compile.backend = &client().backend();
  auto error = [](llvm::Error error) {
    return makeError(ErrorKind::Runtime,
                     "INVALID_ARGUMENT: ", llvm::toString(std::move(error)));
  };
  for (const auto &[name, value] : lowered.request.compilerOptions) {
    llvm::Expected<bool> isSearch =
        applyAutoOption(name, value, options.search);
    if (!isSearch)
      return error(isSearch.takeError());
    if (*isSearch)
      continue;
    if (llvm::Error wrong = applyNamedOption(name, value, options.compile))
      return error(std::move(wrong));
  }
  options.search.chooseMachine(options.compile);
  return options;
}

/// Copies the shardings of arguments and results.
static void copyShardings(func::FuncOp from, func::FuncOp to) {
  for (unsigned i = 0; i < to.getNumArguments(); ++i)
    if (mlir::Attribute sharding = from.getArgAttr(i, sdy::kShardingAttr))
      to.setArgAttr(i, sdy::kShardingAttr, sharding);
  for (unsigned i = 0; i < to.getNumResults(); ++i)
    if (mlir::Attribute sharding = from.getResultAttr(i, sdy::kShardingAttr))
      to.setResultAttr(i, sdy::kShardingAttr, sharding);
}

LogicalResult findShardings(ModuleOp module, const LoweredProgram &lowered,
                            const ProgramOptions &options,
                            std::string &report) {
  report.clear();
  if (!options.search.isAsked || lowered.request.numDevices < 2)
    return success();
  AutoRequest request = options.search;
  request.options.specsOnly = true;
  request.options.compile = options.compile;
  request.options.compile.afterStage = nullptr;
  OwningOpRef<ModuleOp> found(module.clone());
  if (failed(shardAsAsked(found, request, &report)))
    return failure();
  copyShardings(sdy::getMainFunc(*found), sdy::getMainFunc(module));
  return success();
}

LogicalResult findInnerShardings(ModuleOp module, const LoweredProgram &lowered,
                                 ProgramOptions &options) {
  if (!options.search.plansInside || lowered.request.numDevices < 2)
    return success();
  return planInside(module, options.compile);
}

} // namespace shardwright::frontend
