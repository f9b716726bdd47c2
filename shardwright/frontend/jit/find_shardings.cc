//===- find_shardings.cc - search for shardings of a program --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/find_shardings.h"

#include "shardwright/auto/auto_named_options.h"
#include "shardwright/auto/plan_inside.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright::frontend {

Expected<std::map<std::string, std::string>>
takeSearchOptions(const std::map<std::string, std::string> &options,
                  CompileOptions &compile) {
  std::map<std::string, std::string> others;
  AutoRequest request;
  for (const auto &[name, value] : options) {
    llvm::Expected<bool> isSearch = applyAutoOption(name, value, request);
    if (!isSearch)
      return makeError(ErrorKind::Runtime, "INVALID_ARGUMENT: ",
                       llvm::toString(isSearch.takeError()));
    if (!*isSearch)
      others[name] = value;
  }
  request.chooseMachine(compile);
  return others;
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

static LogicalResult readRequest(ModuleOp module, const LoweredProgram &lowered,
                                 AutoRequest &request) {
  for (const auto &[name, value] : lowered.request.compilerOptions)
    if (llvm::Expected<bool> isOne = applyAutoOption(name, value, request);
        !isOne)
      return module.emitError() << llvm::toString(isOne.takeError());
  return success();
}

LogicalResult findShardings(ModuleOp module, const LoweredProgram &lowered,
                            const CompileOptions &options,
                            std::string &report) {
  report.clear();
  AutoRequest request;
  request.options.specsOnly = true;
  if (failed(readRequest(module, lowered, request)))
    return failure();
  if (!request.isAsked || lowered.request.numDevices < 2)
    return success();
  request.options.compile = options;
  request.options.compile.afterStage = nullptr;
  OwningOpRef<ModuleOp> found(module.clone());
  if (failed(shardAsAsked(found, request, &report)))
    return failure();
  copyShardings(sdy::getMainFunc(*found), sdy::getMainFunc(module));
  return success();
}

LogicalResult findInnerShardings(ModuleOp module, const LoweredProgram &lowered,
                                 CompileOptions &options) {
  AutoRequest request;
  if (failed(readRequest(module, lowered, request)))
    return failure();
  if (!request.plansInside || lowered.request.numDevices < 2)
    return success();
  return planInside(module, options);
}

} // namespace shardwright::frontend
