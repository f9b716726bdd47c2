//===- gspmd_module.cc - modules in GSPMD's notation ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/gspmd_module.h"

#include "shardwright/frontend/jit/module_context.h"
#include "shardwright/interop/gspmd/export_gspmd.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

namespace shardwright::frontend {

Expected<std::string> gspmdModuleText(const std::string &text,
                                      bool withLocations) {
  ModuleContext &shared = moduleContext();
  std::lock_guard lock(shared.mutex);
  ErrorText errors(&shared.context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &shared.context);
  if (!module || failed(exportGspmd(*module)))
    return errors.error();
  return moduleText(*module, withLocations) + "\n";
}

} // namespace shardwright::frontend
